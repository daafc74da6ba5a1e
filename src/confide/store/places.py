"""Places, and who is in them, as platforms attest it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from confide.model import Entity, Place, PlaceKind
from confide.privacy.places import MEANING
from confide.store.connection import Connection, Row
from confide.store.encoding import read_entity
from confide.store.queries import query

#: Kinds of which it matters who was there when something was said.
WITNESSED: Final = frozenset({PlaceKind.GROUP, PlaceKind.CONTEXT, PlaceKind.CONNECTION})


@dataclass(frozen=True, slots=True)
class Attested:
    """A place as it is now; `was` is its former kind if that just changed."""

    place: Place
    epoch: int
    was: PlaceKind | None = None


async def attest(
    connection: Connection, agent: str, said: Place, held: Row | None = None
) -> Attested:
    """Take the platform's word for what a place is now. One that opens starts anew.

    `held`: its row, for who holds it already.
    """
    row = held or await connection.fetchrow(query("places", "current"), agent, said.id)
    if row is None:
        return await _add(connection, agent, said, said.id)
    known = Place(
        id=row["id"], kind=PlaceKind(row["kind"]), space=row["space"], parent=row["parent"]
    )
    if said == replace(known, id=said.id):
        return Attested(known, row["epoch"])
    if not _may_change_in_place(known, said):
        await connection.execute(query("places", "retire"), agent, known.id)
        count = await connection.fetchval(query("places", "generations"), agent, said.id)
        fresh = await _add(connection, agent, said, f"{said.id}#{count + 1}")
        return replace(fresh, was=known.kind)
    changed = replace(said, id=known.id)
    await connection.execute(
        query("places", "change"), agent, known.id, said.kind.value, said.space, said.parent
    )
    was = known.kind if known.kind != said.kind else None
    return Attested(changed, row["epoch"], was)


def _may_change_in_place(known: Place, said: Place) -> bool:
    """Only towards fewer readers; otherwise old memories would follow the place into the open."""
    if known.space != said.space or known.parent != said.parent:
        return False
    before, after = MEANING[known.kind], MEANING[said.kind]
    return before.scope == after.scope or (is_open(known.kind) and not is_open(said.kind))


def is_open(kind: PlaceKind) -> bool:
    return kind in (PlaceKind.PUBLIC, PlaceKind.ANNOUNCEMENT)


async def _add(connection: Connection, agent: str, said: Place, id: str) -> Attested:
    is_reopened = id != said.id
    done = await connection.execute(
        query("places", "add"),
        agent,
        id,
        said.id,
        said.kind.value,
        said.space,
        said.parent,
        is_reopened,
    )
    if done == "INSERT 0 0":
        return await attest(connection, agent, said)  # somebody else just added it
    return Attested(replace(said, id=id), 0)


async def members(connection: Connection, agent: str, place_id: str) -> frozenset[Entity]:
    rows = await connection.fetch(query("places", "members"), agent, place_id)
    return frozenset(read_entity(row["entity"]) for row in rows)


async def join(
    connection: Connection, agent: str, place: Place, who: Iterable[Entity]
) -> tuple[frozenset[Entity], int | None]:
    """Those who were not there before, and the new epoch if that made one."""
    wanted = frozenset(who)
    if place.space is not None:
        await connection.execute(
            query("places", "join_space"), agent, [str(e) for e in wanted], place.space
        )
    new = wanted - await members(connection, agent, place.id)
    if not new:
        return frozenset(), None
    epoch = 0
    if place.kind in WITNESSED:
        epoch = await connection.fetchval(query("places", "next_epoch"), agent, place.id)
    await connection.execute(
        query("places", "join"), agent, place.id, sorted(str(e) for e in new), epoch
    )
    return new, epoch


async def leave(connection: Connection, agent: str, place: Place, who: Entity) -> None:
    """What came by membership ends: in the place, its threads, and what it was before it opened."""
    for row in await connection.fetch(query("places", "left_with"), agent, place.id, str(who)):
        epoch = 0
        if PlaceKind(row["kind"]) in WITNESSED:
            epoch = await connection.fetchval(query("places", "next_epoch"), agent, row["id"])
        await connection.execute(query("places", "leave"), agent, row["id"], str(who), epoch)


async def leave_space(connection: Connection, agent: str, space: str, who: Entity) -> None:
    rows = await connection.fetch(query("places", "places_of_space"), agent, space, str(who))
    for row in rows:
        await connection.execute(query("places", "leave"), agent, row["id"], str(who), 0)
    await connection.execute(query("places", "leave_space"), agent, str(who), space)


async def use_epoch(connection: Connection, agent: str, place: Place) -> None:
    if place.kind in WITNESSED:
        await connection.execute(query("places", "use_epoch"), agent, place.id)


async def inside(connection: Connection, agent: str, place_id: str) -> list[str]:
    return [row["id"] for row in await connection.fetch(query("places", "inside"), agent, place_id)]
