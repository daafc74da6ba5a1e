"""Whether words may be told, asked of every single person who would read the answer."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tests.rooms.chronicle import (
    OPEN,
    REMEMBERED,
    THREADS,
    Chronicle,
    Room,
    Spot,
    Words,
    spaces_around,
)

ALONE = ("dm", "reply")


@dataclass(frozen=True)
class Reader:
    """Somebody by name, or whoever joins later and reads back (no name)."""

    name: str | None
    rooms: frozenset[Room] = frozenset()
    spaces: frozenset[str] = frozenset()
    roles: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Asked:
    """Who asks where, and everybody who reads the answer."""

    asker: Reader
    readers: tuple[Reader, ...]
    rooms: frozenset[Room] = frozenset()  # where the answer appears
    spaces: frozenset[str] = frozenset()
    is_alone: bool = False


class Judge:
    def __init__(self, chronicle: Chronicle) -> None:
        self.world = chronicle

    def person(self, name: str) -> Reader:
        rooms = frozenset(room for room in self.world.every if room.now(name))
        spaces = frozenset(s for s, who in self.world.spaces if who == name)
        roles = frozenset(role for role, who in self.world.roles if who == name)
        return Reader(name, rooms, spaces, roles)

    def ask(self, asker: str, spot: Spot, named: Iterable[str] = (), *, now: float) -> list[Asked]:
        """Each has to be told for anything to be told. Asking makes known only what was unknown."""
        me = self.person(asker)
        if spot.kind in ALONE:
            others = tuple(self.person(one) for one in named)
            spaces = frozenset(spaces_around(spot.space))
            return [Asked(me, (me, *others), spaces=spaces, is_alone=not others)]
        if spot.kind == "guest":
            return [Asked(me, (Reader(None),))]
        place, odd = self.world.place(spot)
        if place.kind == "unknown":
            return [Asked(me, ())]
        room, there = place.whole, {asker, *named}
        self.world.speak(room, there, now)
        me = self.person(asker)
        found = [self._in(place, me, there)]
        if odd:
            found.append(self._as_said(odd, place, me, there))
        return found

    def _in(self, place: Room, me: Reader, there: set[str]) -> Asked:
        room = place.whole
        around, spaces = frozenset(place.within()), frozenset(place.spaces())
        inside = room.inside()
        readers = [self.person(one) for one in sorted(there - inside)]
        # Whoever is in a private thread can read what it lies in.
        for one in map(self.person, sorted(inside)):
            readers.append(Reader(one.name, one.rooms | around, one.spaces | spaces, one.roles))
        if place.kind != "ctx":
            readers.append(Reader(None, around, spaces))
        if any(one.kind == "announcement" for one in place.within()):
            readers.append(Reader(None))
        return Asked(me, tuple(readers), around, spaces)

    def _as_said(self, odd: Spot, place: Room, me: Reader, there: set[str]) -> Asked:
        """As if it were what the asker calls it."""
        rooms, spaces = _called(odd, place)
        readers = [self.person(one) for one in sorted(there)]
        if odd.kind != "ctx":
            readers.append(Reader(None, rooms, spaces))
        if "announcement" in (odd.kind, odd.parent and odd.parent.kind):
            readers.append(Reader(None))
        return Asked(me, tuple(readers), rooms, spaces)

    def told(self, one: Words, asked: Iterable[Asked]) -> bool:
        return all(self._told(one, a) for a in asked)

    def _told(self, one: Words, asked: Asked) -> bool:
        ways = [(one.scope, one.room, one.space), *one.also]
        if not asked.readers:
            return False
        return all(
            all(_may_hear(one, way, n == 0, reader) for reader in asked.readers)
            and _may_ask(one, way, n == 0, asked)
            for n, way in enumerate(ways)
        )


Way = tuple[str, Room, str | None]


def _travellers(one: Words, scope: str) -> set[str]:
    is_close = one.is_confidential or bool(one.only_for)
    travels = one.is_portable and one.sensitivity == "public" and not is_close
    return set(one.about) & one.present if travels and scope in ("group", "space") else set()


def _was_there(one: Words, room: Room, reader: Reader) -> bool:
    return reader.name in one.present and room in reader.rooms


def _insiders(one: Words) -> set[str]:
    return {one.by} | (set(one.about) & one.present)


def _may_hear(one: Words, way: Way, is_first: bool, reader: Reader) -> bool:
    scope, room, space = way
    is_speaker = reader.name == one.by
    was_there = room.kind in REMEMBERED and _was_there(one, room, reader)
    if one.is_confidential and not is_speaker and not was_there:
        return False
    if one.only_for and not one.only_for & {reader.name, *reader.roles}:
        return False
    if reader.name in _travellers(one, scope):
        return True
    match scope:
        case "own":
            ok = is_speaker
        case "room":
            ok = room in reader.rooms
        case "group":
            ok = is_speaker or room in reader.rooms
        case _:
            ok = is_speaker or space in reader.spaces
    if ok and is_first and one.has_late_subject and scope == "group" and not one.is_portable:
        ok = is_speaker or _was_there(one, room, reader)
    return ok and _is_careful_enough(one, way, reader)


def _is_careful_enough(one: Words, way: Way, reader: Reader) -> bool:
    _, room, _ = way
    if one.sensitivity == "public" or reader.name in _insiders(one):
        return True
    if _is_care(one, room):
        return _was_there(one, room, reader)
    return (
        one.sensitivity == "personal"
        and room.kind not in ("dm", "unknown")
        and room in reader.rooms
    )


def _is_care(one: Words, room: Room) -> bool:
    return room.kind == "ctx"  # insiders are the speaker and subjects who were there


def _may_ask(one: Words, way: Way, is_first: bool, asked: Asked) -> bool:
    scope, room, space = way
    asker = asked.asker
    mine = asker.name == one.by or asker.name in _travellers(one, scope)
    here = room in asked.rooms
    match scope:
        case "own":
            ok = mine and asked.is_alone
        case "room":
            ok = mine and (here or asked.is_alone)
        case "group":
            ok = (mine or here or _was_there(one, room, asker)) and (here or asked.is_alone)
        case _:
            ok = mine or space in asked.spaces
    if not ok or one.sensitivity == "public":
        return ok
    is_room = room.kind not in ("dm", "unknown")
    if _is_care(one, room):
        return (asker.name in _insiders(one) or here) and (asked.is_alone or here)
    there = one.sensitivity == "personal" and here and is_room
    return asker.name in _insiders(one) and (asked.is_alone or there)


def _called(spot: Spot, place: Room) -> tuple[frozenset[Room], frozenset[str]]:
    """The rooms and spaces of a place as somebody calls it. One that opened would be another."""
    rooms, spaces, has_opened = frozenset[Room](), frozenset(spaces_around(spot.space)), False
    if spot.parent and place.parent:
        rooms, above = _called(spot.parent, place.parent)
        spaces |= above
        has_opened = place.parent not in rooms
    opens = place.kind not in OPEN and spot.kind in (*OPEN, *THREADS) and spot.kind != place.kind
    return (rooms if opens or has_opened else rooms | {place}), spaces
