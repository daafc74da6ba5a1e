"""What platforms said and people told, as one person after another would remember it.

Written from the rules in words. It shares no code with the product: neither atoms, clauses and
labels nor its tables. `judging.py` asks it who may hear what.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

OPEN = ("public", "announcement")
THREADS = ("thread", "forum-post")
REMEMBERED = ("group", "ctx")  # kinds of rooms of which it matters who was there
LONG_AGO = -1.0  # before any statement: the time of what was only guessed


@dataclass(frozen=True)
class Spot:
    """A place as somebody writes it. `parent` is another spot."""

    kind: str
    name: str
    space: str | None = None
    parent: Spot | None = None

    @property
    def written(self) -> str:
        inside = self.parent.written if self.parent else self.space
        return f"{self.kind}:{self.name}" + (f"@{inside}" if inside else "")

    @property
    def key(self) -> str:
        """What stays the same while its kind changes."""
        if self.parent:
            return f"{self.name}@{self.parent.key}"
        outer = self.space.partition("/")[0] if self.space else None
        return f"{self.name}@{outer}" if outer else f"{self.kind}:{self.name}"


@dataclass(eq=False)
class Stay:
    begin: float
    end: float | None = None
    newest: float = LONG_AGO  # statement that they are there; what was guessed has none


@dataclass(eq=False)
class Room:
    """One generation of a place. A thread has no people of its own."""

    key: str
    kind: str
    space: str | None
    parent: Room | None
    kind_at: float
    opened_at: float = LONG_AGO
    former: Room | None = None
    stays: dict[str, list[Stay]] = field(default_factory=dict)
    members_at: float = LONG_AGO
    epoch: int = 0
    is_used: bool = False
    begun: dict[int, float] = field(default_factory=dict)
    came: dict[int, set[str]] = field(default_factory=dict)  # who joined in which epoch
    last_said: float = LONG_AGO

    @property
    def whole(self) -> Room:
        return self.parent.whole if self.kind in THREADS and self.parent else self

    def within(self) -> Iterator[Room]:
        yield self
        if self.parent:
            yield from self.parent.within()

    def spaces(self) -> set[str]:
        return {s for room in self.within() for s in spaces_around(room.space)}

    def now(self, who: str) -> Stay | None:
        return next((one for one in self.stays.get(who, ()) if one.end is None), None)

    def inside(self) -> set[str]:
        return {who for who in self.stays if self.now(who)}


def spaces_around(space: str | None) -> list[str]:
    parts = space.split("/") if space else []
    return ["/".join(parts[:n]) for n in range(1, len(parts) + 1)]


@dataclass(eq=False, kw_only=True)
class Words:
    """Something said: who was there, and where it counts."""

    code: str
    by: str
    room: Room
    thread: Room | None
    epoch: int | None  # None: they have one of their own
    said_at: float
    present: set[str]
    scope: str
    space: str | None
    also: list[tuple[str, Room, str | None]]  # the same under what the place was said to be, or was
    about: frozenset[str] = frozenset()
    sensitivity: str = "public"
    is_confidential: bool = False
    only_for: frozenset[str] = frozenset()  # who may know, if not everybody there: the speaker too
    is_portable: bool = False
    is_message: bool = False  # kept with its label of then; what is learned of it is labelled anew
    has_late_subject: bool = False


@dataclass
class Leaving:
    at: float
    back: float | None = None


SCOPE = {
    "group": "group", "ctx": "group", "public": "space", "announcement": "space",
    "restricted": "room", "voice": "room", "private-thread": "room", "unknown": "own", "dm": "own",
}  # fmt: skip


class Chronicle:
    def __init__(self) -> None:
        self.rooms: dict[str, Room] = {}  # by key, as they are now
        self.every: list[Room] = []
        self.spaces: dict[tuple[str, str], float] = {}  # (space, who): the newest statement
        self.roles: dict[tuple[str, str], float] = {}  # (role, who): the newest statement
        self.left: dict[tuple[object, str], Leaving] = {}
        self.words: list[Words] = []

    # What a place is

    def place(self, spot: Spot, at: float | None = None) -> tuple[Room, Spot | None]:
        """The place that is meant now; and the spot, if it or its parent is called something else."""
        parent, odd = None, None
        if spot.parent:
            parent, odd_parent = self.place(spot.parent, at)
            odd = spot if odd_parent else None
            if parent.whole.kind == "unknown":
                spot = Spot("unknown", spot.name, None, spot.parent)
        space = parent.whole.space if parent else spot.space
        known = self.rooms.get(spot.key)
        if known is None:
            return self._build(spot, space, parent, at, None), odd
        if (known.kind, known.space, known.parent) == (spot.kind, space, parent):
            known.kind_at = max(known.kind_at, LONG_AGO if at is None else at)
            return known, odd
        is_moved = known.kind == spot.kind and spot.parent is not None
        if not is_moved and known.kind != "unknown":
            if at is None:
                if known.parent is not parent:  # which started anew
                    known = self._build(
                        Spot(known.kind, spot.name, None, spot.parent), space, parent, None, known
                    )
                return known, spot
            closes = known.kind in OPEN and spot.kind not in OPEN
            is_narrower = closes or spot.kind == "private-thread"
            if at < known.kind_at or (at == known.kind_at and not is_narrower):
                return known, odd
        if not self._stays_itself(known, spot.kind, space, parent):
            return self._build(spot, space, parent, at, known), odd
        was, known.kind, known.space = known.kind, spot.kind, space
        known.kind_at = max(known.kind_at, LONG_AGO if at is None else at)
        self._changed(known, was)
        return known, odd

    def _build(
        self, spot: Spot, space: str | None, parent: Room | None, at: float | None, old: Room | None
    ) -> Room:
        when = LONG_AGO if at is None else at
        opened = when if old else LONG_AGO
        room = Room(spot.key, spot.kind, space, parent, when, opened, old)
        self.rooms[spot.key] = room
        self.every.append(room)
        return room

    def _stays_itself(self, known: Room, kind: str, space: str | None, parent: Room | None) -> bool:
        """Only towards fewer readers; a place that opens is another one."""
        if known.parent is not parent:
            return False
        if known.kind in THREADS and kind == "private-thread":
            return True
        if known.kind in OPEN and kind not in OPEN:
            return True
        if SCOPE.get(known.kind, "as parent") != SCOPE.get(kind, "as parent"):
            return False
        return known.space == space or kind not in OPEN or known.space in spaces_around(space)

    def _changed(self, room: Room, was: str) -> None:
        for one in (words for words in self.words if not words.is_message):
            if was in THREADS and room.kind == "private-thread" and one.thread is room:
                one.room, one.thread = room, None
                if one.scope in ("space", "room", "group"):
                    one.scope = "room"
            elif was in OPEN and one.scope == "space" and room in one.room.within():
                if room.kind in OPEN:
                    one.space = room.space
                else:
                    one.scope = "room"

    # Who is in it

    def has_left(self, who: str, room: Room) -> bool:
        return any(
            one.back is None for what in self._ends_with(room)
            if (one := self.left.get((what, who)))
        )  # fmt: skip

    def _ends_with(self, room: Room) -> list[object]:
        return [*room.within(), *sorted(room.spaces())]

    def join(self, spot: Spot, who: str, at: float) -> None:
        room = self.place(spot)[0].whole
        leavings = [x.at for w in self._ends_with(room) if (x := self.left.get((w, who)))]
        if leavings and max(leavings) >= at:
            return
        self._back(who, [room, *spaces_around(room.space)], at)
        if stay := room.now(who):
            stay.newest = max(stay.newest, at)
        else:
            self._comes(room, {who}, at, at)
        for space in spaces_around(room.space):
            self._in_space(space, who, at)

    def speak(self, room: Room, people: Iterable[str], at: float) -> None:
        """Talking or asking makes known only what was unknown."""
        new = {who for who in people if not room.now(who) and not self.has_left(who, room)}
        if room.kind == "unknown" or not new:
            return
        for who in new:
            for space in spaces_around(room.space):
                self._in_space(space, who, LONG_AGO)
        self._comes(room, new, at, LONG_AGO)

    def _comes(self, room: Room, new: set[str], begin: float, newest: float) -> None:
        if room.kind in REMEMBERED or any(room.stays.get(who) for who in new):
            self._next_epoch(room, begin, new)
        for who in new:
            room.stays.setdefault(who, []).append(Stay(begin, newest=newest))
            room.came.setdefault(room.epoch, set()).add(who)
        room.members_at = max(room.members_at, begin)
        self._late_subjects(room, new)

    def _late_subjects(self, room: Room, new: set[str]) -> None:
        for one in self.words:
            if one.room is room and one.scope == "group" and one.about & new - one.present:
                one.has_late_subject = True

    def _next_epoch(self, room: Room, at: float, returning: set[str]) -> None:
        if room.is_used or room.came.get(room.epoch, set()) & returning:
            room.epoch += 1
        room.is_used = False
        room.begun.setdefault(room.epoch, max(at, room.last_said))

    def _back(self, who: str, what: Iterable[object], at: float) -> None:
        for one in what:
            leaving = self.left.get((one, who))
            if leaving and leaving.at < at:
                leaving.back = max(at, leaving.back or at)

    def _gone(self, who: str, what: object, at: float, newer: float | None) -> None:
        """`newer`: a statement that they are there all the same."""
        known = self.left.setdefault((what, who), Leaving(at))
        backs = [b for b in (newer, known.back) if b is not None and b > at]
        known.at, known.back = max(known.at, at), max(backs, default=None)
        if known.back is not None and known.back <= known.at:
            known.back = None

    def leave(self, spot: Spot, who: str, at: float) -> None:
        room = self.place(spot)[0]
        ended = [r for r in self.every if any(x.key == room.key for x in r.within())]
        for one in ended:
            if one.stays.get(who):
                self._leave(one, who, at)
        if not room.stays.get(who):
            self._gone(who, room, at, None)
        room.members_at = max(room.members_at, at)

    def _leave(self, room: Room, who: str, at: float) -> None:
        first_lost = None
        if room.kind in REMEMBERED and room.last_said >= at:
            first_lost = max((e for e, since in room.begun.items() if since <= at), default=0)
        for one in self.words:
            if one.room is room and who != one.by and _is_lost(one, room, first_lost, at):
                one.present.discard(who)
        for stay in room.stays[who]:
            if stay.end is not None and stay.begin < at < stay.end:
                stay.end = at
        stay = room.now(who)
        if stay and stay.newest > at:
            self._leave_and_return(room, who, stay, at, first_lost)
        elif stay:
            stay.end = at
            if room.kind in REMEMBERED:
                self._next_epoch(room, at, set())
        room.members_at = max(room.members_at, at)
        again = room.now(who)
        self._gone(who, room, at, again.newest if again else None)

    def _leave_and_return(
        self, room: Room, who: str, stay: Stay, at: float, first_lost: int | None
    ) -> None:
        """A newer statement says that they are there; they were away in between."""
        if first_lost is None and stay.begin >= at:
            return
        self._next_epoch(room, stay.newest, {who})
        begin = stay.newest if stay.begin < at else stay.begin
        stay.end = at
        room.stays[who].append(Stay(begin, newest=stay.newest))
        room.came.setdefault(room.epoch, set()).add(who)
        self._late_subjects(room, {who})

    # Spaces and roles

    def join_space(self, space: str, who: str, at: float) -> None:
        self._back(who, spaces_around(space), at)
        for one in spaces_around(space):
            self._in_space(one, who, at)

    def _in_space(self, space: str, who: str, at: float) -> None:
        leavings = [x.at for s in spaces_around(space) if (x := self.left.get((s, who)))]
        if not leavings or max(leavings) < at:
            self.spaces[space, who] = max(at, self.spaces.get((space, who), at))

    def leave_space(self, space: str, who: str, at: float) -> None:
        for room in self.every:
            if space in spaces_around(room.space) and room.stays.get(who):
                self._leave(room, who, at)
        for (one, person), newest in list(self.spaces.items()):
            if person == who and space in spaces_around(one) and newest <= at:
                del self.spaces[one, person]
        self._gone(who, space, at, self.spaces.get((space, who)))

    def assign(self, role: str, who: str, at: float) -> None:
        leaving = self.left.get((role, who))
        if leaving is None or leaving.at < at:
            self.roles[role, who] = max(at, self.roles.get((role, who), at))

    def unassign(self, role: str, who: str, at: float) -> None:
        if self.roles.get((role, who), at) <= at:
            self.roles.pop((role, who), None)
        known = self.left.setdefault((role, who), Leaving(at))
        known.at = max(known.at, at)

    # What is said

    def say(
        self, spot: Spot, by: str, code: str, *, now: float, said_at: float | None = None,
        named: Iterable[str] = (), only_for: Iterable[str] = (), **rest: object,
    ) -> Words:  # fmt: skip
        place, odd = self.place(spot)
        room, spoken = place.whole, now if said_at is None else min(said_at, now)
        there = {by, *named}
        self.speak(room, there, spoken)
        present, epoch = self._present(room, there, spoken)
        one = Words(
            code=code, by=by, room=room, thread=place if place is not room else None, epoch=epoch,
            said_at=now if said_at is None else said_at, present=present,
            scope=SCOPE[room.kind], space=room.space, also=[],
            only_for=self._may_know(by, set(only_for), present), **rest,
        )  # fmt: skip
        one.has_late_subject = one.scope == "group" and bool(
            one.about & room.inside() - one.present
        )
        if odd:
            one.also.append(self._as_said(odd, place))
        if spoken < room.opened_at and room.former:
            was = _at_that_time(room, spoken)
            one.also.append((SCOPE[was.kind], was, was.space))
        self.words.append(one)
        return one

    def _may_know(self, by: str, wanted: set[str], present: set[str]) -> frozenset[str]:
        """Of those named who was there, or a role that one of them holds."""
        if not wanted:
            return frozenset()
        held = {role for role, who in self.roles if who in present}
        return frozenset({by} | wanted & (present | held))

    def _as_said(self, spot: Spot, place: Room) -> tuple[str, Room, str | None]:
        if spot.kind not in THREADS or place.parent is None or spot.parent is None:
            space = place.parent.whole.space if place.parent else spot.space
            return SCOPE[spot.kind], place, space
        if self.place(spot.parent)[1]:
            return self._as_said(spot.parent, place.parent)
        whole = place.parent.whole
        return SCOPE[whole.kind], whole, whole.space

    def _present(self, room: Room, there: set[str], spoken: float) -> tuple[set[str], int | None]:
        if spoken < room.members_at:
            covered = {
                who for who, stays in room.stays.items()
                if any(s.begin <= spoken and (s.end is None or spoken < s.end) for s in stays)
            }  # fmt: skip
            return there | covered, None
        inside = room.inside()
        if room.kind in REMEMBERED and not there <= inside:
            return there | inside, None
        if room.kind in REMEMBERED:
            room.is_used, room.last_said = True, max(room.last_said, spoken)
        return there | inside, room.epoch


def _is_lost(one: Words, room: Room, first_lost: int | None, at: float) -> bool:
    if room.kind not in REMEMBERED or one.epoch is None:
        return one.said_at >= at
    return first_lost is not None and one.epoch >= first_lost


def _at_that_time(room: Room, spoken: float) -> Room:
    """The generation that there was, or the last before this one."""
    found, last = room.former, room.former
    while found is not None and found.opened_at > spoken:
        found = found.former
    assert last is not None
    return found or last
