"""The whole world as one label sees it, loaded at once for an audit."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from confide.model import COLLECTIVE, SOMEONE, Entity, Place, PlaceKind, is_someone
from confide.privacy import atoms
from confide.privacy.atoms import Atom, AtomKind
from confide.privacy.policy import World
from confide.store.connection import Connection
from confide.store.encoding import read_entity
from confide.store.queries import query

if TYPE_CHECKING:
    from confide.store.database import Database


@dataclass(frozen=True, slots=True)
class Everyone:
    """Everyone who is known, and who of them is in which place."""

    world: World
    people: tuple[Entity, ...]
    rooms: Mapping[str, tuple[Entity, ...]]


async def load_everyone(
    connection: Connection,
    database: Database,
    named: frozenset[Atom],
    concerned: Iterable[Entity],
    now: datetime,
) -> Everyone:
    """`named` are the atoms that can make a difference; nothing else of anybody is looked up."""
    agent = database.agent
    places = [
        Place(id=row["id"], kind=PlaceKind(row["kind"]), space=row["space"], parent=row["parent"])
        for row in await connection.fetch(query("audit", "places"), agent)
    ]
    belongs: dict[Entity, set[Atom]] = defaultdict(set)
    rooms: dict[str, tuple[Entity, ...]] = {}
    for row in await connection.fetch(query("audit", "members"), agent):
        inside = tuple(one for one in map(read_entity, row["entities"]) if not is_someone(one))
        rooms[row["place"]] = inside
        if (room := atoms.place(row["place"])) in named:
            for who in inside:
                belongs[who].add(room)
    for row in await connection.fetch(
        query("audit", "others"), agent, [str(one) for one in named], *_presences(named)
    ):
        belongs[read_entity(row["entity"])].add(Atom.read(row["atom"]))
    known = {read_entity(row[0]) for row in await connection.fetch(query("audit", "known"), agent)}
    known |= {read_entity(one.name) for one in named if one.kind is AtomKind.ENTITY}
    people = {one for one in known | set(concerned) if one.namespace not in (*COLLECTIVE, SOMEONE)}
    return Everyone(
        World(
            agent=database.agent_entity,
            now=now,
            places={place.id: place for place in places},
            belongs={who: frozenset(found) for who, found in belongs.items()},
        ),
        tuple(sorted(people - {database.agent_entity})),
        rooms,
    )


def _presences(named: Iterable[Atom]) -> tuple[list[str], list[int]]:
    found = [one.name.rpartition("#") for one in named if one.kind is AtomKind.PRESENT]
    return [place for place, _, _ in found], [int(epoch) for _, _, epoch in found]
