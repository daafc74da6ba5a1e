"""Who somebody in an import is said to be: it narrows at once, and opens rooms once confirmed."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from confide.model import Entity
from confide.privacy.labels import Origin
from confide.store import memories, places
from confide.store.connection import Connection
from confide.store.encoding import read_entity
from confide.store.memory import Memory, read_memories
from confide.store.opting import opted_out
from confide.store.queries import query
from confide.store.relabel import relabel

if TYPE_CHECKING:
    from confide.store.database import Database


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """What an importer says: somebody in a file is `account`. `someone` is shown to nobody."""

    id: uuid.UUID
    someone: Entity
    account: Entity
    importer: Entity
    platform: str
    is_in_person: bool
    claimed_at: datetime
    confirmed_at: datetime | None
    refused_at: datetime | None
    called: str = ""  # in the file


async def make(connection: Connection, database: Database, claim: Claim) -> None:
    """Say it. Whom they were said to be before leaves their rooms."""
    agent = database.agent
    row = await connection.fetchrow(query("claims", "of_someone"), agent, str(claim.someone))
    before = _read(row) if row is not None else None
    if before is not None and before.account != claim.account:
        await connection.execute(query("claims", "drop"), agent, before.id)
        await _settle(connection, database, before, claim.claimed_at)
    await connection.execute(
        query("claims", "make"), agent, claim.id, str(claim.someone), str(claim.account),
        str(claim.importer), claim.platform, claim.is_in_person, claim.claimed_at,
    )  # fmt: skip
    if before is None or before.account != claim.account:
        await _give_a_say(connection, database, claim)


async def one(connection: Connection, agent: str, id: uuid.UUID) -> Claim | None:
    row = await connection.fetchrow(query("claims", "one"), agent, id)
    return _read(row) if row is not None else None


async def on(connection: Connection, agent: str, account: Entity) -> list[Claim]:
    rows = await connection.fetch(query("claims", "on_account"), agent, str(account))
    return [_read(row) for row in rows]


async def decide(
    connection: Connection, database: Database, claim: Claim, is_so: bool, now: datetime
) -> None:
    """Its owner says whether the account is theirs in that file."""
    done = "confirm" if is_so else "refuse"
    await connection.execute(query("claims", done), database.agent, claim.id, now)
    await _settle(connection, database, claim, now, is_in=is_so)


async def _settle(
    connection: Connection, database: Database, claim: Claim, now: datetime, is_in: bool = False
) -> None:
    """The account is, or is no longer, where that somebody was, and was there for what was said."""
    agent, account = database.agent, str(claim.account)
    rows = await connection.fetch(query("claims", "rooms"), agent, str(claim.someone))
    rooms = [row["place"] for row in rows]
    for room in rooms:
        await connection.execute(query("places", "wait_for_writers"), agent, room)
        for inside in sorted(await places.inside(connection, agent, room)):
            # Whoever is learning there has read who was there before this.
            await connection.execute(query("sessions", "shut_out"), agent, inside)
    if is_in:
        await connection.execute(query("claims", "enter"), agent, str(claim.someone), account)
    else:
        await connection.execute(query("claims", "leave"), agent, account, rooms)
    await connection.execute(query("claims", "present"), agent, account, rooms)
    for room in rooms:
        await _were_there(connection, database, room, claim.account, now)


async def _were_there(
    connection: Connection, database: Database, room: str, who: Entity, now: datetime
) -> None:
    agent = database.agent
    stays = await connection.fetch(query("claims", "was_there"), agent, room, str(who))
    kept = await memories.kept_in_place(connection, agent, room, database.agent_entity)
    changed: list[tuple[Memory, Origin]] = []
    for memory in kept:
        o = memory.origin
        was_there = any(
            row["joined_epoch"] <= o.epoch
            and (row["left_epoch"] is None or o.epoch < row["left_epoch"])
            for row in stays
        )
        present = o.present | {who} if was_there else o.present - {who}
        if present != o.present and who != memory.owner:
            changed.append((memory, replace(o, present=present)))
    if changed:
        await relabel(connection, database, changed, now)


async def _give_a_say(connection: Connection, database: Database, claim: Claim) -> None:
    """What was learned from their words before concerns the account too, from now on."""
    rows = await connection.fetch(query("claims", "said"), database.agent, str(claim.someone))
    kept = read_memories(rows, database.agent_entity)
    objecting = await opted_out(connection, database.agent, {claim.account})
    changed = [
        (
            one,
            replace(
                one.origin,
                subjects=one.subjects | {claim.account},
                objectors=one.origin.objectors | objecting,
            ),
        )
        for one in kept
    ]
    if changed:
        await relabel(connection, database, changed, claim.claimed_at)


def _read(row: Mapping[str, Any]) -> Claim:
    people: dict[str, Any] = {
        name: read_entity(row[name]) for name in ("someone", "account", "importer")
    }
    return Claim(**(dict(row) | people))
