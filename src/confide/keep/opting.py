"""Opting out: capture, telling and buffers stop at once (S21)."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Final

from confide.actor import Actor, require
from confide.errors import InvalidInput
from confide.keep.requesting import Asked, allow
from confide.model import Entity
from confide.privacy.acting import Act, Relation
from confide.privacy.labels import Origin
from confide.store.colliding import tried_again
from confide.store.connection import Connection
from confide.store.memory import Memory, read_memory
from confide.store.queries import query
from confide.store.relabel import relabel

if TYPE_CHECKING:
    from confide.store.database import Database

#: What a request to opt in is about, where it is not all and no place: no place has a blank in its id.
ONLY_GLOBAL: Final = "all but global"


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivacyState:
    """What somebody decided about their own memories."""

    is_opted_out: bool
    is_global_only: bool = False
    since: datetime | None = None


async def state(database: Database, who: Entity) -> PrivacyState:
    async with database.keep() as connection:
        row = await connection.fetchrow(query("opting", "state"), database.agent, str(who))
    if row is None:
        return PrivacyState(is_opted_out=False)
    return PrivacyState(is_opted_out=True, is_global_only=row["is_global_only"], since=row["since"])


@tried_again
async def opt_out(
    database: Database,
    who: Entity,
    actor: Actor,
    now: datetime,
    *,
    is_global_only: bool,
    history: int,
) -> None:
    """Theirs is told to nobody; what others said about them, to the speaker alone."""
    _require_self(who, actor)
    require(Act.OPT_OUT, actor, Relation.OWNER)
    if is_global_only and _is_of_all(await state(database, who)):
        asked = Asked(grantor=who, target=ONLY_GLOBAL)
        await allow(database, Act.OPT_IN, actor, Relation.OWNER, asked, now)
    async with database.keep(by=actor, doing="opt out", at=now) as connection:
        agent = database.agent
        # Opting out of less than before lets the rest be told again.
        await connection.execute(query("opting", "silence"), agent, str(who), False, False, now)
        await connection.execute(query("opting", "opt_out"), agent, str(who), now, is_global_only)
        await connection.execute(
            query("opting", "silence"), agent, str(who), True, is_global_only, now
        )
        if is_global_only:
            await _object(connection, database, who, now, objects=False)
        else:
            await silence(connection, database, who, now, history)


@tried_again
async def opt_in(database: Database, who: Entity, actor: Actor, now: datetime) -> None:
    _require_self(who, actor)
    await allow(database, Act.OPT_IN, actor, Relation.OWNER, Asked(grantor=who), now)
    async with database.keep(by=actor, doing="opt in", at=now) as connection:
        agent = database.agent
        await connection.execute(query("opting", "opt_in"), agent, str(who))
        await connection.execute(query("opting", "silence"), agent, str(who), False, False, now)
        await _object(connection, database, who, now, objects=False)


async def take_back(connection: Connection, agent: str, who: Entity, history: int) -> None:
    """Their own words leave what others remember: `history` is how far they helped to find it."""
    said = await connection.fetch(query("opting", "said"), agent, str(who))
    ids = [row["id"] for row in said]
    await connection.execute(query("erasing", "drop_words_after"), agent, ids, history)
    await connection.execute(query("opting", "drop_messages"), agent, str(who))
    # After them: whoever is using their words has finished by now.
    await connection.execute(query("opting", "drop_lent"), agent, str(who))
    await connection.execute(query("erasing", "drop_quotes_of"), agent, str(who))


async def object_to(
    connection: Connection,
    database: Database,
    who: Entity,
    now: datetime,
    memory_id: uuid.UUID | None = None,
) -> None:
    """What others said about `who`, or one memory of that, is told to whoever said it alone."""
    ids = [memory_id] if memory_id is not None else await _about(connection, database, who)
    await _mark(connection, database, {id: frozenset({who}) for id in ids}, who, now)


async def hold_objections(
    connection: Connection, database: Database, who: Entity, now: datetime
) -> None:
    """What `who` objected to stays so, wherever it came from."""
    kept = await _objected(connection, database, who, await _about(connection, database, who))
    await _mark(connection, database, {id: frozenset({who}) for id in kept}, who, now)


async def silence(
    connection: Connection, database: Database, who: Entity, now: datetime, history: int
) -> None:
    """What somebody who opted out left behind elsewhere."""
    await _object(connection, database, who, now, objects=True)
    await take_back(connection, database.agent, who, history)


async def _object(
    connection: Connection, database: Database, who: Entity, now: datetime, *, objects: bool
) -> None:
    ids = await _about(connection, database, who)
    kept = set(ids) if objects else await _objected(connection, database, who, ids)
    marks = {id: frozenset({who}) if id in kept else frozenset[Entity]() for id in ids}
    await _mark(connection, database, marks, who, now)


async def _about(connection: Connection, database: Database, who: Entity) -> list[uuid.UUID]:
    rows = await connection.fetch(query("opting", "about"), database.agent, str(who))
    return [row["id"] for row in rows]


async def _objected(
    connection: Connection, database: Database, who: Entity, ids: Sequence[uuid.UUID]
) -> set[uuid.UUID]:
    """An objection that was granted outlives opting out and in again."""
    rows = await connection.fetch(query("opting", "objected"), database.agent, str(who), list(ids))
    return {row["id"] for row in rows}


async def _mark(
    connection: Connection,
    database: Database,
    marks: Mapping[uuid.UUID, frozenset[Entity]],
    who: Entity,
    now: datetime,
) -> None:
    kept = await connection.fetch(query("memories", "kept_many"), database.agent, list(marks))
    changed: list[tuple[Memory, Origin]] = []
    for memory in (read_memory(row, database.agent_entity) for row in kept):
        o = memory.origin
        objectors = (o.objectors - {who}) | marks[memory.id]
        if objectors != o.objectors:
            changed.append((memory, replace(o, objectors=objectors)))
    if changed:
        await relabel(connection, database, changed, now)
        # Beside what others said next, it would still be told.
        hidden = [memory.id for memory, origin in changed if who in origin.objectors]
        await connection.execute(query("erasing", "drop_quotes"), database.agent, hidden)


def _is_of_all(known: PrivacyState) -> bool:
    """Opting out of less than that is opting in to the rest."""
    return known.is_opted_out and not known.is_global_only


def _require_self(who: Entity, actor: Actor) -> None:
    if actor.entity != who:
        raise InvalidInput("actor", f"only {who} decides this")
