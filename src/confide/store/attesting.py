"""What the platform says about a place, and what changes for its memories when that does."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Final

from confide.errors import InvalidEntity, InvalidInput
from confide.model import Entity, Place, PlaceKind, Scope
from confide.privacy.labels import Origin
from confide.store import memories, places
from confide.store.connection import Connection, Row
from confide.store.memory import Memory
from confide.store.places import Attested
from confide.store.queries import query
from confide.store.relabel import relabel

if TYPE_CHECKING:
    from confide.store.database import Database

#: Scopes whose source and subjects expect whoever can read where it was said.
REACHES_AS_ITS_PLACE: Final = frozenset({Scope.GLOBAL, Scope.PUBLIC, Scope.GRANTED})


async def attest_place(
    connection: Connection,
    database: Database,
    said: Place,
    now: datetime,
    held: Row | None = None,
) -> tuple[Attested, Place | None]:
    """The place as it is now, and its parent. A thread without a known parent is unknown."""
    parent = await _parent(connection, database.agent, said)
    if said.parent is not None:
        kind = said.kind if parent else PlaceKind.UNKNOWN
        said = replace(
            said,
            kind=kind,
            parent=parent.id if parent else None,
            space=parent.space if parent else None,
        )
    attested = await places.attest(connection, database.agent, said, held)
    if attested.was is not None and places.is_open(attested.was):
        await _narrow(connection, database, attested.place, now)
    return attested, parent


async def _parent(connection: Connection, agent: str, said: Place) -> Place | None:
    if said.parent is None:
        return None
    rows = await connection.fetch(
        query("places", "by_bare_id"), agent, said.parent, _like(said.parent)
    )
    ids = [row["platform_id"] for row in rows]
    if said.parent in ids:
        ids = [said.parent]
    if len(ids) > 1:
        raise InvalidEntity("place", f"{said.parent!r} is ambiguous: {', '.join(sorted(ids))}")
    if not ids:
        return None
    row = await connection.fetchrow(query("places", "peek"), agent, ids[0])
    assert row is not None  # listed a moment ago, in this transaction
    return Place(
        id=row["id"], kind=PlaceKind(row["kind"]), space=row["space"], parent=row["parent"]
    )


def _like(bare: str) -> str:
    return bare.replace("\\", r"\\").replace("%", r"\%").replace("_", r"\_") + "@%"


async def join_place(
    connection: Connection,
    database: Database,
    attested: Attested,
    who: Iterable[Entity],
    now: datetime,
) -> int:
    """Make `who` members; returns the epoch that what is said now belongs to."""
    wanted = frozenset(who)
    if attested.place.kind is PlaceKind.DIRECT and len(wanted) > 1:
        raise InvalidInput("present", "a direct chat has one person; use group:ID for more")
    new, epoch = await places.join(connection, database.agent, attested.place, wanted)
    if new and attested.place.kind in places.WITNESSED:
        await _hide_from_newcomers(connection, database, attested.place, new, now)
    return attested.epoch if epoch is None else epoch


async def _hide_from_newcomers(
    connection: Connection, database: Database, place: Place, new: frozenset[Entity], now: datetime
) -> None:
    """What was said about them before they came is for those who were there."""
    await connection.execute(query("places", "wait_for_writers"), database.agent, place.id)
    kept = await memories.kept_in_place(connection, database.agent, place.id, database.agent_entity)
    changed: list[tuple[Memory, Origin]] = []
    for memory in kept:
        o = memory.origin
        late = (o.subjects & new) - o.present
        if late and o.scope is Scope.GROUP:
            changed.append((memory, replace(o, joined_later=o.joined_later | late)))
    if changed:
        await relabel(connection, database, changed, now)


async def _narrow(connection: Connection, database: Database, place: Place, now: datetime) -> None:
    """S20: what was public in a place that closed is for that place."""
    changed: list[tuple[Memory, Origin]] = []
    for id in sorted(await places.inside(connection, database.agent, place.id)):
        await connection.execute(query("places", "wait_for_writers"), database.agent, id)
        kept = await memories.kept_in_place(connection, database.agent, id, database.agent_entity)
        for memory in kept:
            if memory.scope is Scope.GUILD_PUBLIC:
                narrower = replace(memory.origin, scope=Scope.CHANNEL_RESTRICTED)
                changed.append((memory, narrower))
            elif memory.scope in REACHES_AS_ITS_PLACE:
                changed.append((memory, memory.origin))
    if changed:
        await relabel(connection, database, changed, now)
