"""Rooms: of what was said here, how much could be told there (B21)."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from confide.actor import Actor, require
from confide.declare import Group
from confide.errors import NotFound
from confide.model import Entity, Kind, Place, PlaceKind, Scope, Sensitivity
from confide.privacy.acting import Act, Relation
from confide.privacy.disclosure import disclose
from confide.privacy.places import MEANING, Readers, direct
from confide.recall.audience import audience_in, tell_to
from confide.store import memories
from confide.store.encoding import read_entity
from confide.store.queries import query
from confide.verbs.room_counts import (
    Cell,
    Labelled,
    Matrix,
    Room,
    RoomCounts,
    RoomWorld,
    label_clauses,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from confide.privacy.policy import Audience
    from confide.store.memory import Memory

#: How many labels of a cell are listed.
LISTED: Final = 50


class Rooms(Group):
    """`confide.rooms`: numbers for who runs the agent, and to each person those of what they hear."""

    async def of(self, who: Entity) -> list[Room]:
        """The rooms that somebody is in now, and who else is there."""
        async with self.database.keep() as connection:
            rows = await connection.fetch(
                query("rooms", "of_person"), self.database.agent, str(who)
            )
        return [
            Room(
                id=row["platform_id"],
                kind=PlaceKind(row["kind"]),
                space=row["space"],
                people=tuple(map(read_entity, row["people"])),
                kept_as=row["id"],
            )
            for row in rows
            if MEANING[PlaceKind(row["kind"])].readers in (Readers.EVERYONE, Readers.LISTED)
        ]

    async def people(self, *, actor: Actor) -> list[Entity]:
        """Everybody who is known by id, for who runs the agent."""
        require(Act.READ_LABELS, actor, Relation.NONE)
        async with self.database.keep() as connection:
            rows = await connection.fetch(query("rooms", "people"), self.database.agent)
        found = [read_entity(row["entity"]) for row in rows]
        return [one for one in found if one.namespace not in ("someone", "si")]

    async def members(self, place: str, *, actor: Actor, most: int = 500) -> list[Entity]:
        """Who is in a place now, for who runs the agent."""
        require(Act.READ_LABELS, actor, Relation.NONE)
        async with self.database.keep() as connection:
            rows = await connection.fetch(
                query("rooms", "inside"), self.database.agent, place, most
            )
        return [read_entity(row["entity"]) for row in rows]

    async def matrix_of(self, who: Entity, *, space: str | None = None, limit: int = 24) -> Matrix:
        """Among what somebody may hear: what was said in each of their rooms, and where they would
        be told it. What they may not hear is not counted."""
        rooms = await self.of(who)
        home = Room(id=direct(who).id, kind=PlaceKind.DIRECT, people=(who,))
        spaces = sorted({one.space for one in rooms if one.space})
        chosen = [one for one in rooms if space is None or one.space == space]
        every = (home, *chosen[:limit])
        ids = [one.kept_as or one.id for one in every]
        cells: dict[tuple[str, str], Cell] = {}
        most: dict[str, int] = defaultdict(int)
        for there in every:
            heard = _heard_in(there, who)
            async with tell_to(self.database, heard, self.clock()) as telling:
                found = await telling.connection.fetch(
                    query("rooms", "told_here"), ids, str(who), _open_in(there, rooms)
                )
            for here in every:
                told = {
                    Sensitivity(row["sensitivity"]): row["memories"]
                    for row in found
                    if row["place"] == (here.kept_as or here.id)
                }
                cells[here.id, there.id] = Cell(told, told)
                most[here.id] = max(most[here.id], sum(told.values()))
        said = [
            Room(id=one.id, kind=one.kind, space=one.space, people=one.people, said=most[one.id])
            for one in every
        ]
        return Matrix(tuple(said), every, cells, spaces=tuple(spaces), has_more=len(chosen) > limit)

    async def words(self, who: Entity, here: str, there: str, *, limit: int = 5) -> list[Memory]:
        """The newest behind a number of `matrix_of`: said here, and told to them there."""
        rooms = await self.of(who)
        home = Room(id=direct(who).id, kind=PlaceKind.DIRECT, people=(who,))
        known = {one.id: one for one in (home, *rooms)}
        if here not in known or there not in known:
            raise NotFound("there is no such room")
        place = known[here].kept_as or here
        heard, is_open = _heard_in(known[there], who), _open_in(known[there], rooms)
        async with tell_to(self.database, heard, self.clock()) as telling:
            rows = await telling.connection.fetch(
                query("rooms", "words_here"), place, str(who), is_open, limit
            )
            found = await memories.told(telling, [row["id"] for row in rows])
        told = disclose(found, telling.audience, telling.world).told
        return sorted(told, key=lambda one: one.said_at, reverse=True)

    async def matrix(
        self,
        *,
        actor: Actor,
        space: str | None = None,
        most: int = 24,
        opened: tuple[str, str] | None = None,
    ) -> Matrix:
        """Of everything that is kept, for who runs the agent: numbers, no words and no owners.

        With a cell `opened` also the labels of the newest memories in it."""
        require(Act.READ_NUMBERS, actor, Relation.NONE)
        if opened is not None:
            require(Act.READ_LABELS, actor, Relation.NONE)
        agent, now = self.database.agent, self.clock()
        async with self.database.keep() as connection:
            said = await connection.fetch(query("rooms", "said"), agent, now)
            world = RoomWorld(
                await connection.fetch(query("rooms", "places"), agent),
                await connection.fetch(query("rooms", "members"), agent),
                await connection.fetch(query("rooms", "others"), agent),
            )
            counting = RoomCounts(world, said, space, most)
            labelled = await connection.fetch(
                query("rooms", "labels"), agent, list(counting.labels)
            )
            needed = list({id for row in labelled for id in row["clauses"]})
            clauses = await connection.fetch(query("rooms", "clauses"), agent, now, needed)
            made = counting.matrix(label_clauses(labelled, clauses))
            if opened is None or opened not in made.cells:
                return made
            places = sorted(
                {row["place"] for row in said if counting.row_of(row["place"]) == opened[0]}
            )
            rows = await connection.fetch(query("rooms", "labels_said"), agent, now, places, LISTED)
        told = counting.told_in(opened[1])
        labels = tuple(
            Labelled(
                id=row["id"],
                kind=Kind(row["kind"]),
                scope=Scope(row["scope"]),
                sensitivity=Sensitivity(row["sensitivity"]),
                is_told=row["label_id"] in told,
            )
            for row in rows
        )
        return replace(made, labels=labels)


def _heard_in(room: Room, who: Entity) -> Audience:
    """Who sees the answer when somebody asks in one of their rooms."""
    if room.kind is PlaceKind.DIRECT:
        return audience_in(direct(who), who)
    others = room.people if room.kind is PlaceKind.CONTEXT else ()
    return audience_in(Place(id=room.id, kind=room.kind, space=room.space), who, present=others)


def _open_in(there: Room, rooms: Sequence[Room]) -> list[str]:
    """Rooms whose words belong to everybody in them, for somebody who asks `there`."""
    return [
        one.kept_as
        for one in rooms
        if one.id == there.id
        or (one.kind is PlaceKind.PUBLIC and one.space and one.space == there.space)
    ]
