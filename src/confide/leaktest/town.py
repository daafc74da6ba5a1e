"""The town: who is where now, person by person. The oracle looks here and nowhere else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from confide.leaktest.canaries import AGENT, Canary
from confide.leaktest.rooms import READ_BY, ROOMS, SAID_IN, Level, ReadBy, Room
from confide.model import PlaceKind

LASTS_DAYS = {"context": 7, "event": 30, "task": 14, "observation": 3}  # A1
CONSENT_DAYS = 90
OPEN = (PlaceKind.PUBLIC, PlaceKind.ANNOUNCEMENT)


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


class Town:
    """Rooms are kept by a name of their own: one that opens is a new room (`mods#2`)."""

    def __init__(self, now: datetime) -> None:
        self.now = now
        self.kind: dict[str, PlaceKind] = {}
        self.space: dict[str, str | None] = {}
        self.parent: dict[str, str | None] = {}
        self.members: dict[str, set[str]] = {}
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

    def inside(self, room: Room) -> frozenset[str]:
        return frozenset(self.members.get(self.name(room), ()))

    # What happens in it

    def join(self, room: Room, *who: str) -> None:
        name = self.name(room)
        came = set(who) - self.members[name]
        self.members[name] |= came
        if room.space:
            self.spaces.setdefault(room.space, set()).update(who)
        for canary in self.canaries:
            if canary.place == name and canary.level is Level.ROOM:
                canary.is_subject_late |= bool(canary.about & came - canary.there)

    def leave(self, room: Room, who: str) -> None:
        """Out of the room, out of the threads in it, and out of what it was before it opened."""
        for name in list(self.members):
            if any(around.split("#")[0] == room.key for around in self.around(name)):
                self.members[name].discard(who)

    def leave_space(self, space: str, who: str) -> None:
        self.spaces[space].discard(who)
        for name, of in self.space.items():
            if of == space:
                self.members[name].discard(who)

    def open(self, room: Room, kind: PlaceKind) -> None:
        """What was said behind closed doors stays with the room that it was (S20)."""
        old = self.name(room)
        fresh = f"{room.key}#{old.count('#') + 2}"
        self._build(room, fresh, kind)
        for thread in ROOMS:
            if thread.parent == room.key:
                self._build(thread, f"{thread.key}#{self.name(thread).count('#') + 2}", thread.kind)

    def close(self, room: Room, kind: PlaceKind) -> None:
        """What was public in it, and in its threads, is now for those in it (S20)."""
        name = self.name(room)
        self.kind[name] = kind
        for canary in self.canaries:
            if name in self.around(canary.place) and canary.level is Level.SPACE:
                canary.level = Level.OWNER_IN_ROOM

    def say(self, canary: Canary, room: Room) -> None:
        """Note what only this moment knows about a canary."""
        has_members = READ_BY[self.kind_of(room)] in (ReadBy.LISTED, ReadBy.ANYONE_IN_IT)
        if has_members and canary.by != AGENT:
            self.join(room, canary.by)
        canary.place = self.name(room)
        canary.there = self.inside(room)
        canary.level = self._level(canary, room)
        hours = canary.hours or LASTS_DAYS.get(canary.kind.value, 0) * 24
        canary.ends_at = self.now + timedelta(hours=hours) if hours else None
        canary.consent_ends = self.now + timedelta(days=CONSENT_DAYS)
        self.canaries.append(canary)

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
            case ReadBy.ANYONE_IN_IT:
                spaces = frozenset({room.space} if room.space else ())
                later = Reader(f"whoever joins {name} later", frozenset(self.around(name)), spaces)
                return [asker, later, *self._people(self.members[name])]
            case ReadBy.NOBODY_KNOWN:
                return []

    def _people(self, names: Iterable[str]) -> list[Reader]:
        return [self.person(name) for name in sorted(names)]
