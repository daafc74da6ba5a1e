"""What platforms say about places: who joins, who leaves, what a place has become."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from confide.errors import InvalidEntity, InvalidInput, NotFound
from confide.keep.syncing import Change, Sight, sync
from confide.means import Part
from confide.model import COLLECTIVE, Entity, Place, PlaceKind
from confide.privacy.places import MEANING, OF_ONE, clean_space, parse_place
from confide.store import places
from confide.store.attesting import (
    attest_place,
    join_place,
    leave_place,
    leave_space,
    moment,
)
from confide.store.colliding import tried_again
from confide.store.encoding import read_entity
from confide.store.places import Moment
from confide.store.queries import query

#: How many people one statement of the database is about.
PAGE: Final = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownPlace:
    """A place as the operator sees it: what it is and how many are in it."""

    place: Place
    members: int
    needs_review: bool  # it opened, and somebody should look at what was said before


class Surroundings(Part):
    """The verbs by which a platform keeps the store's picture of the world current."""

    @tried_again
    async def attest(self, place: Place | str, *, at: datetime | None = None) -> Place:
        """What a place is, since `at`. One that opened starts anew; one that closed takes its
        memories along. An older statement changes nothing."""
        said, now = read_room(place, self.database.agent_entity), self.clock()
        stated = moment(at, now)
        async with self.database.keep(by="platform", doing="attest", at=now) as connection:
            known = await attest_place(connection, self.database, said, now, at=stated)
        return known.place

    @tried_again
    async def join(
        self, place: Place | str, *who: Entity | str, at: datetime | None = None
    ) -> bool:
        """`who` are in `place` since `at`, and read what will be said there. Whether that is new."""
        said, people = self._about(place, who)
        now = self.clock()
        stated, changed = moment(at, now), False
        async with self.database.keep(by="platform", doing="join", at=now) as connection:
            known = await attest_place(connection, self.database, said, now)
            for page in _pages(people):
                new, _ = await join_place(connection, self.database, known, page, now, at=stated)
                changed = changed or bool(new)
        return changed

    @tried_again
    async def leave(
        self, place: Place | str, *who: Entity | str, at: datetime | None = None
    ) -> bool:
        """`who` are in `place` no longer; what came by membership ends. Whether that is new."""
        said, people = self._about(place, who)
        now = self.clock()
        stated, changed = moment(at, now), False
        async with self.database.keep(by="platform", doing="leave", at=now) as connection:
            known = await attest_place(connection, self.database, said, now)
            for one in people:
                left = await leave_place(connection, self.database, known.place, one, stated, now)
                changed = changed or left
        return changed

    def _about(self, place: Place | str, who: Sequence[Entity | str]) -> tuple[Place, list[Entity]]:
        if not who:
            raise InvalidInput("who", "names nobody; for example human:alice")
        return read_room(place, self.database.agent_entity), [read_person(one) for one in who]

    async def places(self, space: str | None = None) -> list[KnownPlace]:
        """Every place that is known now, or those of one space."""
        async with self.database.keep() as connection:
            rows = await connection.fetch(query("places", "list"), self.database.agent)
        return [
            KnownPlace(
                place=Place(
                    id=row["platform_id"],
                    kind=PlaceKind(row["kind"]),
                    space=row["space"],
                    parent=row["parent"],
                ),
                members=row["members"],
                needs_review=row["needs_review"],
            )
            for row in rows
            if space is None or _is_within(row["space"], space)
        ]

    async def rooms_of(self, who: Entity) -> list[str]:
        """Ids of the rooms that somebody is or was in, so that their platform can say it anew."""
        async with self.database.keep() as connection:
            rows = await connection.fetch(
                query("places", "rooms_of"), self.database.agent, str(who)
            )
        return [row["platform_id"] for row in rows]

    async def sync(
        self,
        seen: Sequence[Sight],
        *,
        all_of: str | None = None,
        is_preview: bool = False,
        at: datetime | None = None,
    ) -> list[Change]:
        """Compare what a platform sees with what is stored, and take it over.

        On every change of permissions, and at least once a day. With `all_of`, places of that
        space that were not seen are gone.
        """
        return await sync(
            self.database, seen, self.clock(), all_of=all_of, is_preview=is_preview, at=at
        )

    async def reclassify(
        self,
        to: PlaceKind,
        *,
        places: Sequence[str] = (),
        space: str | None = None,
        kind: PlaceKind | None = None,
        is_preview: bool = False,
    ) -> list[Change]:
        """Give many places another kind at once: those named, or all of a space, of one kind."""
        if not MEANING[to].has_space:
            raise InvalidInput("to", f"{to.value} is no kind of room in a space")
        if bool(places) == (space is not None):
            raise InvalidInput("space", "name places, or a space with all that is in it")
        known = {one.place.id: one.place for one in await self.places()}
        missing = [id for id in places if id not in known or not MEANING[known[id].kind].has_space]
        if missing:
            raise NotFound(f"there is no such place in a space: {', '.join(missing)}")
        chosen = [known[id] for id in places] or [
            place for place in known.values()
            if place.space == space and MEANING[place.kind].has_space
            and kind in (None, place.kind)
        ]  # fmt: skip
        return await self.sync(
            [Sight(replace(one, kind=to)) for one in chosen], is_preview=is_preview
        )

    async def reviewed(self, place_id: str, space: str | None = None) -> None:
        """Somebody has looked at what was said in a place before it opened; who runs its `space`,
        if that is named."""
        if space is not None and not place_id.endswith(f"@{space}"):
            raise InvalidInput("place", f"is no place of {space}")
        async with self.database.keep(by="operator", doing="review place") as connection:
            done = await connection.execute(
                query("places", "reviewed"), self.database.agent, place_id
            )
        if done == "UPDATE 0":
            raise NotFound("no such place waits for a review")

    @tried_again
    async def join_space(self, space: str, *who: Entity | str, at: datetime | None = None) -> bool:
        """`who` are in a space, or hold the role of one inside it: `guild/verified`."""
        named, people = clean_space(space), [read_person(one) for one in who]
        now = self.clock()
        stated, changed = moment(at, now), False
        async with self.database.keep(by="platform", doing="join space", at=now) as connection:
            for page in _pages(people):
                new = await places.join_space(connection, self.database.agent, named, page, stated)
                changed = changed or new
        return changed

    @tried_again
    async def end_space(self, space: str) -> int:
        """The agent was removed from a space: nobody is in it, for all it can know. Returns how
        many were. What its people own is still told to each of them alone."""
        agent, now = self.database.agent, self.clock()
        async with self.database.keep(by="platform", doing="end space", at=now) as connection:
            rows = await connection.fetch(query("places", "in_space"), agent, space)
            for row in rows:
                who = read_entity(row["entity"])
                await leave_space(connection, self.database, space, who, moment(None, now), now)
        return len(rows)

    @tried_again
    async def leave_space(self, space: str, *who: Entity | str, at: datetime | None = None) -> bool:
        """`who` left a space, with every place and role in it."""
        named, people = clean_space(space), [read_person(one) for one in who]
        now = self.clock()
        stated, changed = moment(at, now), False
        async with self.database.keep(by="platform", doing="leave space", at=now) as connection:
            for one in people:
                left = await leave_space(connection, self.database, named, one, stated, now)
                changed = changed or left
        return changed

    async def assign(
        self, collective: Entity | str, *who: Entity | str, at: datetime | None = None
    ) -> bool:
        """An authority gives `who` a role, or takes them into a group or organisation."""
        group, people, stated = self._collective(collective, who, at)
        changed, agent = False, self.database.agent
        async with self.database.keep(by="platform", doing="assign", at=self.clock()) as connection:
            for one in people:
                new = await places.join_collective(connection, agent, group, one, stated)
                changed = changed or new
        return changed

    async def unassign(
        self, collective: Entity | str, *who: Entity | str, at: datetime | None = None
    ) -> bool:
        """A role ended, or `who` left a group or organisation."""
        group, people, stated = self._collective(collective, who, at)
        changed, agent = False, self.database.agent
        async with self.database.keep(
            by="platform", doing="unassign", at=self.clock()
        ) as connection:
            for one in people:
                left = await places.leave_collective(connection, agent, group, one, stated)
                changed = changed or left
        return changed

    def _collective(
        self, collective: Entity | str, who: Sequence[Entity | str], at: datetime | None
    ) -> tuple[Entity, list[Entity], Moment]:
        group = read_person(collective, "collective")
        if group.namespace not in COLLECTIVE:
            raise InvalidEntity("collective", f"{group} is no role, group or org")
        if not who:
            raise InvalidInput("who", "names nobody; for example human:alice")
        return group, [read_person(one) for one in who], moment(at, self.clock())


def read_person(value: Entity | str | object, field: str = "who") -> Entity:
    """Somebody, as an entity or written. What is neither is an error, never ignored."""
    if not isinstance(value, str | Entity):
        raise InvalidEntity(field, f"is {type(value).__name__}; pass for example human:alice")
    return Entity.parse(str(value), field)


def read_room(value: Place | str | object, agent: Entity) -> Place:
    """A place that people join and leave, as a value or written."""
    if not isinstance(value, str | Place):
        raise InvalidEntity("place", f"is {type(value).__name__}; pass for example group:friends")
    place = parse_place(value, agent) if isinstance(value, str) else value
    if place.kind in OF_ONE:
        raise InvalidInput("place", "nobody joins or leaves a direct chat; use group:ID")
    return place


def _pages(people: Sequence[Entity]) -> Iterator[Sequence[Entity]]:
    """Many at a time, however large the place is."""
    for start in range(0, len(people), PAGE):
        yield people[start : start + PAGE]


def _is_within(inner: str | None, space: str) -> bool:
    """A space, or a community role's inside it."""
    return inner is not None and (inner == space or inner.startswith(f"{space}/"))
