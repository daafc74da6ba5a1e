"""The town: who is where now, person by person. The oracle looks here and nowhere else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from confide.leaktest.canaries import AGENT, Canary
from confide.leaktest.rooms import (
    HAVE_MEMBERS,
    READ_BY,
    ROOMS,
    SAID_IN,
    Level,
    ReadBy,
    Room,
    spaces_around,
)
from confide.model import PlaceKind

LASTS_DAYS = {"context": 7, "event": 30, "task": 14, "observation": 3}  # A1
CONSENT_DAYS = 90
OPEN = (PlaceKind.PUBLIC, PlaceKind.ANNOUNCEMENT)
THREADS = (PlaceKind.THREAD, PlaceKind.FORUM_POST)


@dataclass(frozen=True, slots=True)
class Reader:
    """One individual who sees an answer, with the rooms and spaces that individual is in."""

    name: str
    rooms: frozenset[str] = frozenset()
    spaces: frozenset[str] = frozenset()
    roles: frozenset[str] = frozenset()
    also: frozenset[str] = frozenset()  # other identities that are the same person

    def is_one_of(self, names: Iterable[str | None]) -> bool:
        return not ({self.name} | self.also).isdisjoint(names)


@dataclass(frozen=True, slots=True)
class Question:
    """Who asks, in which room the answer appears, and in which workspace."""

    asker: str
    room: Room
    namespace: str | None = None
    is_stale: bool = False  # it calls the room what it was before it closed


class Town:
    """Rooms are kept by a name of their own: one that opens is a new room (`mods#2`)."""

    def __init__(self, now: datetime) -> None:
        self.now = now
        self.kind: dict[str, PlaceKind] = {}
        self.space: dict[str, str | None] = {}
        self.parent: dict[str, str | None] = {}
        self.members: dict[str, set[str]] = {}
        self.stays: dict[tuple[str, str], list[list[datetime | None]]] = {}  # from, until
        self.left: set[tuple[str, str]] = set()  # who only a platform brings back
        self.moved: dict[str, datetime] = {}  # when somebody last came or left
        self.spaces: dict[str, set[str]] = {}
        self.roles: dict[str, set[str]] = {}
        self.canaries: list[Canary] = []
        self.same: set[frozenset[str]] = set()  # identities that both confirmed to be one person
        self.opted_out: set[str] = set()
        self._now_called: dict[str, str] = {}
        for room in ROOMS:
            self._build(room, room.key, room.kind)

    def _build(self, room: Room, name: str, kind: PlaceKind) -> None:
        self._now_called[room.key] = name
        self.kind[name], self.space[name] = kind, room.space
        self.parent[name] = self._now_called[room.parent] if room.parent else None
        self.members[name] = set()

    def name(self, room: Room) -> str:
        return self._now_called.get(room.key, room.key)

    def kind_of(self, room: Room) -> PlaceKind:
        return self.kind.get(self.name(room), room.kind)

    def whole(self, room: Room) -> str:
        """The room that a thread is part of, with its people and all that is said in it."""
        name = self.name(room)
        while self.kind.get(name) in THREADS:
            name = self.parent[name] or name
        return name

    def inside(self, room: Room) -> frozenset[str]:
        return frozenset(self.members.get(self.whole(room), ()))

    # What happens in it

    def join(self, room: Room, *who: str, at: datetime | None = None) -> None:
        name = self.whole(room)
        came = set(who) - self.members[name]
        self.members[name] |= came
        if came:
            self.moved[name] = max(at or self.now, self.moved.get(name, at or self.now))
        for one in came:
            self.stays.setdefault((name, one), []).append([at or self.now, None])
            self.left.discard((name, one))
        for space in spaces_around(room.space):
            self.spaces.setdefault(space, set()).update(who)
        for canary in self.canaries:
            if canary.place == name and canary.level is Level.ROOM:
                canary.is_subject_late |= bool(canary.about & came - canary.there)

    def leave(self, room: Room, who: str, at: datetime | None = None) -> None:
        """Out of the room, out of the threads in it, and out of what it was before it opened."""
        for name in list(self.members):
            if any(around.split("#")[0] == room.key for around in self.around(name)):
                self._out(name, who, at or self.now)
                if at is not None:
                    self._was_away(name, who, at)

    def _out(self, name: str, who: str, at: datetime) -> None:
        for stay in self.stays.get((name, who), []):
            stay[1] = stay[1] or at
        if who in self.members[name]:
            self.left.add((name, who))
            self.moved[name] = max(at, self.moved.get(name, at))
        self.members[name].discard(who)

    def _was_away(self, name: str, who: str, since: datetime) -> None:
        """That somebody left becomes known late: they lose all since the last time that somebody came
        or went before, and of what arrived late what was said since."""
        for canary in self.canaries:
            is_later = canary.said_at is not None and canary.said_at >= since
            is_later = is_later or not canary.has_own_moment
            if canary.place == name and is_later and canary.by != who:
                canary.there -= {who}

    def leave_space(self, space: str, who: str) -> None:
        for one, people in self.spaces.items():
            if space in spaces_around(one):
                people.discard(who)
        for name, of in self.space.items():
            if space in spaces_around(of):
                self._out(name, who, self.now)

    def open(self, room: Room, kind: PlaceKind) -> None:
        """What was said behind closed doors stays with the room that it was (S20)."""
        old = self.name(room)
        fresh = f"{room.key}#{old.count('#') + 2}"
        self._build(room, fresh, kind)
        for thread in ROOMS:
            if thread.parent == room.key:
                self._build(thread, f"{thread.key}#{self.name(thread).count('#') + 2}", thread.kind)

    def close(self, room: Room, kind: PlaceKind) -> None:
        """What was public in it, and in its threads, is now for those in it (S20).

        An announcement channel that becomes an ordinary public one has fewer readers, but what was
        said in it was for its space all along, and stays so.
        """
        name = self.name(room)
        self.kind[name] = kind
        if kind in OPEN:
            return
        for canary in self.canaries:
            if name in self.around(canary.place) and canary.level is Level.SPACE:
                canary.level = Level.OWNER_IN_ROOM

    def say(self, canary: Canary, room: Room) -> None:
        """Note what only this moment knows about a canary."""
        has_members = READ_BY[self.kind_of(room)] in HAVE_MEMBERS
        name = canary.place = self.whole(room)
        canary.said_at = self.now - timedelta(days=canary.days_late)
        if has_members and canary.by != AGENT and (name, canary.by) not in self.left:
            self.join(room, canary.by, at=canary.said_at)
        canary.has_own_moment = canary.said_at < self.moved.get(name, canary.said_at)
        canary.there = (
            self._there_at(name, canary.said_at) if canary.days_late else self.inside(room)
        )
        if has_members and canary.by != AGENT:
            canary.there |= {canary.by}
        canary.level = self._level(canary, room)
        late = canary.about & self.inside(room) - canary.there
        canary.is_subject_late = canary.level is Level.ROOM and bool(late)
        hours = canary.hours or LASTS_DAYS.get(canary.kind.value, 0) * 24
        canary.ends_at = self.now + timedelta(hours=hours) if hours else None
        canary.consent_ends = self.now + timedelta(days=CONSENT_DAYS)
        self.canaries.append(canary)

    def _there_at(self, name: str, when: datetime) -> frozenset[str]:
        return frozenset(
            who
            for (place, who), stays in self.stays.items()
            for begin, end in stays
            if place == name and begin is not None and begin <= when and not (end and end <= when)
        )

    def _level(self, canary: Canary, room: Room) -> Level:
        if canary.access or canary.by == AGENT or canary.scope == "self_only":
            return Level.GRANTED
        if canary.scope == "global":
            return Level.OWNER_ANYWHERE
        if canary.scope == "dm" or canary.namespace is not None:
            return Level.OWNER
        if canary.place not in self.kind:
            return Level.OWNER
        kinds = (self.kind[name] for name in self.around(canary.place))
        return next(SAID_IN[kind] for kind in kinds if kind in SAID_IN)

    # What the oracle asks

    def around(self, name: str) -> Iterator[str]:
        """A room and the rooms it lies in."""
        at: str | None = name
        while at is not None:
            yield at
            at = self.parent.get(at)

    def person(self, name: str) -> Reader:
        """Being in a thread is being in the room it lies in."""
        rooms = {
            around
            for room, who in self.members.items()
            if name in who
            for around in self.around(room)
        }
        spaces = {space for space, who in self.spaces.items() if name in who}
        roles = {role for role, who in self.roles.items() if name in who}
        also = {other for pair in self.same if name in pair for other in pair - {name}}
        return Reader(name, frozenset(rooms), frozenset(spaces), frozenset(roles), frozenset(also))

    def readers(self, question: Question) -> list[Reader]:
        """Every individual who sees the answer now or later; nobody if that cannot be known."""
        room, asker = question.room, self.person(question.asker)
        name = self.name(room)
        match READ_BY[self.kind_of(room)]:
            case ReadBy.ASKER:
                return [asker]
            case ReadBy.ASKER_AND_CLIENT:
                return [asker, Reader(f"the client of {name}", frozenset({name}))]
            case ReadBy.LISTED:
                return [asker, *self._people(self.members[name])]
            case ReadBy.ANYONE:
                return [asker, Reader("a stranger"), *self._people(self.inside(room))]
            case ReadBy.ANYONE_IN_IT:
                spaces = spaces_around(room.space)
                later = Reader(f"whoever joins {name} later", frozenset(self.around(name)), spaces)
                return [asker, later, *self._people(self.inside(room))]
            case ReadBy.NOBODY_KNOWN:
                return []

    def _people(self, names: Iterable[str]) -> list[Reader]:
        return [self.person(name) for name in sorted(names)]
