"""What platforms say about places: who joins, who leaves, what a place has become."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Annotated, Final

from confide.declare import Group, OwnId, Room, Source, Vouched, Whom, Zoned, verb
from confide.errors import InvalidEntity, InvalidInput, NotFound
from confide.keep.syncing import Change, Sight, sync
from confide.model import COLLECTIVE, Entity, Place, PlaceKind
from confide.privacy.acting import Act, CallerKind
from confide.privacy.leaves import Called
from confide.privacy.places import MEANING, OF_ONE, clean_space, parse_place
from confide.store import places as store
from confide.store import spaces
from confide.store.attesting import (
    attest_place,
    join_place,
    leave_place,
    leave_space,
    moment,
)
from confide.store.colliding import tried_again
from confide.store.places import Moment
from confide.store.spaces import KnownPlace

#: How many people one statement of the database is about.
PAGE: Final = 1000
#: They see numbers and labels of every place.
OVERSEERS: Final = (CallerKind.ADMIN, CallerKind.AUDITOR)
Preview = Annotated[bool, Called("preview")]


class Places(Group, called="world"):
    """The verbs by which a platform keeps the store's picture of the world current."""

    @verb(Act.ATTEST, "PUT /places", once=True)
    @tried_again
    async def attest(self, place: Room, *, at: Zoned | None = None) -> Place:
        """What a place is, since `at`. One that opened starts anew; one that closed takes its
        memories along. An older statement changes nothing."""
        said, now = self._room(place), self.clock()
        stated = moment(at, now)
        async with self.database.keep(by="platform", doing="attest", at=now) as connection:
            known = await attest_place(connection, self.database, said, now, at=stated)
        return known.place

    @verb(Act.ATTEST, "POST /places/join", once=True, answers="changed")
    @tried_again
    async def join(self, place: Room, *who: Whom, at: Zoned | None = None) -> bool:
        """`who` are in `place` since `at`, and read what will be said there. Whether that is new."""
        said, people = self._room(place), _people(who)
        now = self.clock()
        stated, changed = moment(at, now), False
        async with self.database.keep(by="platform", doing="join", at=now) as connection:
            known = await attest_place(connection, self.database, said, now)
            for page in _pages(people):
                new, _ = await join_place(connection, self.database, known, page, now, at=stated)
                changed = changed or bool(new)
        return changed

    @verb(Act.ATTEST, "POST /places/leave", once=True, answers="changed")
    @tried_again
    async def leave(self, place: Room, *who: Whom, at: Zoned | None = None) -> bool:
        """`who` are in `place` no longer; what came by membership ends. Whether that is new."""
        said, people = self._room(place), _people(who)
        now = self.clock()
        stated, changed = moment(at, now), False
        async with self.database.keep(by="platform", doing="leave", at=now) as connection:
            known = await attest_place(connection, self.database, said, now)
            for one in people:
                left = await leave_place(connection, self.database, known.place, one, stated, now)
                changed = changed or left
        return changed

    def _room(self, place: Place | str) -> Place:
        return read_room(place, self.database.agent_entity)

    @verb(Act.READ_NUMBERS, "GET /places", only=OVERSEERS, answers="places")
    async def places(self) -> list[KnownPlace]:
        """Every place that is known now, and how many are in it."""
        async with self.database.keep() as connection:
            return await spaces.places(connection, self.database.agent)

    @verb(Act.ATTEST, "GET /spaces/places", answers="places")
    async def in_space(self, space: OwnId) -> list[KnownPlace]:
        """The places of a space, and how many are in each, for whoever runs it."""
        return [one for one in await self.places() if _is_within(one.place.space, space)]

    @verb(Act.ATTEST, "GET /places/of", answers="rooms")
    async def rooms_of(self, who: Vouched) -> list[str]:
        """Ids of the rooms that somebody is or was in, so that their platform can say it anew."""
        async with self.database.keep() as connection:
            return await spaces.rooms_of(connection, self.database.agent, who)

    @verb(Act.ATTEST, "POST /places/sync", once=True, answers="changes")
    async def sync(
        self,
        seen: Annotated[Sequence[Sight], Source.VOUCHED, Called("places")],
        *,
        all_of: OwnId | None = None,
        is_preview: Preview = False,
        at: Zoned | None = None,
    ) -> list[Change]:
        """Compare what a platform sees with what is stored, and take over all of it or, when
        anything is wrong, nothing.

        On every change of permissions, and at least once a day. With `all_of`, places of that
        space that were not seen are gone.
        """
        if len({one.place.id for one in seen}) < len(seen):
            raise InvalidInput("places", "one of them is there twice")
        return await sync(
            self.database, seen, self.clock(), all_of=all_of, is_preview=is_preview, at=at
        )

    @verb(Act.ATTEST, "POST /places/reclassify", once=True, answers="changes")
    async def reclassify(
        self,
        to: PlaceKind,
        *,
        places: Annotated[Sequence[str], Source.VOUCHED] = (),
        space: OwnId | None = None,
        kind: PlaceKind | None = None,
        is_preview: Preview = False,
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

    @verb(None, "POST /places/reviewed", once=True, only=(CallerKind.PLATFORM, CallerKind.ADMIN))
    async def reviewed(self, place: OwnId, *, space: OwnId | None = None) -> None:
        """Somebody has looked at what was said in a place before it opened; who runs its `space`,
        if that is named."""
        if space is not None and not place.endswith(f"@{space}"):
            raise InvalidInput("place", f"is no place of {space}")
        async with self.database.keep(by="operator", doing="review place") as connection:
            if not await spaces.reviewed(connection, self.database.agent, place):
                raise NotFound("no such place waits for a review")

    @verb(Act.ATTEST, "POST /spaces/join", once=True, answers="changed")
    @tried_again
    async def join_space(self, space: OwnId, *who: Whom, at: Zoned | None = None) -> bool:
        """`who` are in a space, or hold the role of one inside it: `guild/verified`."""
        named, people = clean_space(space), [read_person(one) for one in who]
        now = self.clock()
        stated, changed = moment(at, now), False
        async with self.database.keep(by="platform", doing="join space", at=now) as connection:
            for page in _pages(people):
                new = await store.join_space(connection, self.database.agent, named, page, stated)
                changed = changed or new
        return changed

    @verb(Act.ATTEST, "POST /spaces/end", once=True, answers="left")
    @tried_again
    async def end_space(self, space: OwnId) -> int:
        """The agent was removed from a space: nobody is in it, for all it can know. Returns how
        many were. What its people own is still told to each of them alone."""
        agent, now = self.database.agent, self.clock()
        async with self.database.keep(by="platform", doing="end space", at=now) as connection:
            people = await spaces.people(connection, agent, space)
            for who in people:
                await leave_space(connection, self.database, space, who, moment(None, now), now)
        return len(people)

    @verb(Act.ATTEST, "POST /spaces/leave", once=True, answers="changed")
    @tried_again
    async def leave_space(self, space: OwnId, *who: Whom, at: Zoned | None = None) -> bool:
        """`who` left a space, with every place and role in it."""
        named, people = clean_space(space), [read_person(one) for one in who]
        now = self.clock()
        stated, changed = moment(at, now), False
        async with self.database.keep(by="platform", doing="leave space", at=now) as connection:
            for one in people:
                left = await leave_space(connection, self.database, named, one, stated, now)
                changed = changed or left
        return changed

    @verb(Act.ATTEST, "PUT /roles", once=True, answers="changed")
    async def assign(self, collective: Whom, *who: Whom, at: Zoned | None = None) -> bool:
        """An authority gives `who` a role, or takes them into a group or organisation."""
        group, people, stated = self._collective(collective, who, at)
        changed, agent = False, self.database.agent
        async with self.database.keep(by="platform", doing="assign", at=self.clock()) as connection:
            for one in people:
                new = await store.join_collective(connection, agent, group, one, stated)
                changed = changed or new
        return changed

    @verb(Act.ATTEST, "POST /roles/end", once=True, answers="changed")
    async def unassign(self, collective: Whom, *who: Whom, at: Zoned | None = None) -> bool:
        """A role ended, or `who` left a group or organisation."""
        group, people, stated = self._collective(collective, who, at)
        changed, agent = False, self.database.agent
        async with self.database.keep(
            by="platform", doing="unassign", at=self.clock()
        ) as connection:
            for one in people:
                left = await store.leave_collective(connection, agent, group, one, stated)
                changed = changed or left
        return changed

    def _collective(
        self, collective: Entity | str, who: Sequence[Entity | str], at: Zoned | None
    ) -> tuple[Entity, list[Entity], Moment]:
        group = read_person(collective, "collective")
        if group.namespace not in COLLECTIVE:
            raise InvalidEntity("collective", f"{group} is no role, group or org")
        return group, _people(who), moment(at, self.clock())


def _people(who: Sequence[Entity | str]) -> list[Entity]:
    if not who:
        raise InvalidInput("who", "names nobody; for example human:alice")
    return [read_person(one) for one in who]


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
