"""How much of what was said in each room could be told in each other, counted over all labels at once."""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from confide.model import Entity, Kind, Place, PlaceKind, Scope, Sensitivity
from confide.privacy.places import MEANING, Readers, spaces_around

#: All direct chats are one row and one column; so are all connections, which are nobody's room.
DIRECT: Final = "direct"
CONNECTION: Final = "connection"
_EVERYBODY: Final = frozenset({"*"})
_LEVELS: Final = {one.value: one for one in Sensitivity}


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """A place where something was said or could be told."""

    id: str
    kind: PlaceKind
    space: str | None = None
    people: tuple[Entity, ...] = ()
    said: int = 0
    kept_as: str = ""  # a place that opened and started anew has another id in the store


@dataclass(frozen=True, slots=True)
class Cell:
    """Of what was said in one room, how much could be told in another, by level."""

    told: Mapping[Sensitivity, int]
    said: Mapping[Sensitivity, int]

    @property
    def count(self) -> int:
        return sum(self.told.values())

    @property
    def total(self) -> int:
        return sum(self.said.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """One memory of a cell, for who runs the agent: no words, and not whose it is."""

    id: uuid.UUID
    kind: Kind
    scope: Scope
    sensitivity: Sensitivity
    is_told: bool


@dataclass(frozen=True, slots=True)
class Matrix:
    """Rows: said here. Columns: could be told there, to somebody who asks there."""

    rows: tuple[Room, ...]
    columns: tuple[Room, ...]
    cells: Mapping[tuple[str, str], Cell]
    labels: tuple[Labelled, ...] = ()  # of the cell that was opened
    spaces: tuple[str, ...] = ()  # whose rooms can be chosen
    has_more: bool = False  # rooms than are shown


@dataclass(slots=True)
class LabelClauses:
    hear: list[frozenset[str]] = field(default_factory=list[frozenset[str]])
    ask: list[frozenset[str]] = field(default_factory=list[frozenset[str]])


def label_clauses(labels: Iterable[Any], clauses: Iterable[Any]) -> dict[int, LabelClauses]:
    known = {row["clause_id"]: (row["kind"], frozenset(row["atoms"] or ())) for row in clauses}
    found: dict[int, LabelClauses] = {}
    for row in labels:
        parts = [known[id] for id in row["clauses"]]
        found[row["id"]] = LabelClauses(
            [atoms for kind, atoms in parts if kind == "hear"],
            [atoms for kind, atoms in parts if kind == "ask"],
        )
    return found


class RoomWorld:
    """Whom each atom covers, for everybody at once."""

    def __init__(
        self, places: Iterable[Any], members: Iterable[Any], others: Iterable[Any]
    ) -> None:
        self.places = {
            row["id"]: Place(
                id=row["id"], kind=PlaceKind(row["kind"]), space=row["space"], parent=row["parent"]
            )
            for row in places
        }
        self.inside: dict[str, set[str]] = defaultdict(set)
        self._been: dict[str, list[tuple[str, int, int | None]]] = defaultdict(list)
        self._covered: dict[str, frozenset[str]] = {}
        for row in members:
            self._been[row["place"]].append((row["entity"], row["joined_epoch"], row["left_epoch"]))
            if row["left_epoch"] is None:
                self.inside[row["place"]].add(row["entity"])
        self._by_atom: dict[str, set[str]] = defaultdict(set)
        for row in others:
            self._by_atom[row["atom"]].add(row["entity"])

    def covers(self, atom: str) -> frozenset[str]:
        """The people whom an atom covers; `*` is everybody."""
        known = self._covered.get(atom)
        if known is None:
            known = self._covered[atom] = self._covers(atom)
        return known

    def _covers(self, atom: str) -> frozenset[str]:
        kind, _, name = atom.partition("=")
        match kind:
            case "*":
                return _EVERYBODY
            case "e":
                return frozenset({name} | self._by_atom[atom])
            case "p":
                return frozenset(self.inside[name])
            case "w":
                place, _, epoch = name.rpartition("#")
                return frozenset(
                    who
                    for who, joined, left in self._been[place]
                    if who in self.inside[place]
                    and joined <= int(epoch)
                    and (left is None or int(epoch) < left)
                )
            case "@n":
                return frozenset({name.partition("@")[0]})
            case "@p" if name.startswith("dm:"):
                return frozenset({name.removeprefix("dm:")})
            case _:
                return frozenset(self._by_atom[atom])

    def around(self, id: str) -> list[Place]:
        found: list[Place] = []
        at: str | None = id
        while at is not None and at in self.places and self.places[at] not in found:
            found.append(self.places[at])
            at = self.places[at].parent
        return found


class RoomCounts:
    """What was said in the rooms that are shown, and of it what could be told in each."""

    def __init__(self, world: RoomWorld, said: Iterable[Any], space: str | None, most: int) -> None:
        self._world = world
        self._said: dict[str, dict[int, dict[Sensitivity, int]]] = defaultdict(dict)
        self._totals: dict[str, dict[Sensitivity, int]] = defaultdict(lambda: defaultdict(int))
        for row in said:
            here, level, count = (
                self.row_of(row["place"]),
                _LEVELS[row["sensitivity"]],
                row["memories"],
            )
            counts = self._said[here].setdefault(row["label_id"], {})
            counts[level] = counts.get(level, 0) + count
            self._totals[here][level] += count
        self._choose(space, most)
        self.labels = {id for one in self.rows for id in self._said.get(one.id, ())}

    def _choose(self, space: str | None, most: int) -> None:
        """The rooms in which most was said, and direct chats."""
        rooms = [
            place
            for place in self._world.places.values()
            if MEANING[place.kind].readers in (Readers.EVERYONE, Readers.LISTED, Readers.ANYONE)
            and place.kind not in (PlaceKind.GUEST, PlaceKind.THREAD, PlaceKind.FORUM_POST)
        ]
        self._spaces = tuple(sorted({one.space for one in rooms if one.space}))
        rooms = [one for one in rooms if space is None or one.space == space]
        self._has_more = len(rooms) > most
        rooms.sort(key=lambda one: -self._sum(one.id))
        rooms = sorted(rooms[:most], key=lambda one: (one.space or "~", one.id))
        shown = [(DIRECT, PlaceKind.DIRECT, None), *((p.id, p.kind, p.space) for p in rooms)]
        self.columns = tuple(Room(id=id, kind=kind, space=space) for id, kind, space in shown)
        if CONNECTION in self._totals:
            shown.append((CONNECTION, PlaceKind.CONNECTION, None))
        self.rows = tuple(
            Room(id=id, kind=kind, space=space, said=self._sum(id)) for id, kind, space in shown
        )

    def _sum(self, here: str) -> int:
        return sum(self._totals[here].values()) if here in self._totals else 0

    def row_of(self, place: str) -> str:
        known = self._world.places.get(place)
        if place.startswith("dm:") or (known and known.kind is PlaceKind.DIRECT):
            return DIRECT
        if known and known.kind is PlaceKind.CONNECTION:
            return CONNECTION
        return place

    def matrix(self, labels: Mapping[int, LabelClauses]) -> Matrix:
        self._labels = labels
        self._by_atom: dict[str, list[int]] = defaultdict(list)
        for id, label in labels.items():
            for atom in min(label.hear, key=len, default=frozenset[str]()):
                self._by_atom[atom].append(id)
        cells: dict[tuple[str, str], Cell] = {}
        for there in self.columns:
            told = self.told_in(there.id)
            for here in self.rows:
                cells[here.id, there.id] = Cell(
                    self._count(here.id, told), dict(self._totals.get(here.id, {}))
                )
        return Matrix(self.rows, self.columns, cells, spaces=self._spaces, has_more=self._has_more)

    def told_in(self, there: str) -> set[int]:
        """Labels of what could be told there."""
        return self._alone() if there == DIRECT else self._in_room(there)

    def _count(self, here: str, labels: set[int]) -> dict[Sensitivity, int]:
        found: dict[Sensitivity, int] = defaultdict(int)
        said = self._said.get(here, {})
        for id in said.keys() & labels:
            for level, count in said[id].items():
                found[level] += count
        return dict(found)

    def _alone(self) -> set[int]:
        """Labels that let at least one person hear it, alone with the agent."""
        return {
            id
            for id, label in self._labels.items()
            if label.hear
            and self._somebody(
                [*label.hear, *(one for one in label.ask if "@alone" not in one)], None
            )
        }

    def _in_room(self, id: str) -> set[int]:
        """Labels that everyone there may hear, and that somebody there may bring up."""
        around = self._world.around(id)
        place, inside = self._world.places[id], frozenset(self._world.inside[id])
        spaces = {s for p in around if p.space for s in spaces_around(p.space)}
        hearing = {"*", *(f"p={p.id}" for p in around), *(f"s={s}" for s in spaces)}
        setting = {*(f"@p={p.id}" for p in around), *(f"@s={s}" for s in spaces)}
        is_open = any(p.kind is PlaceKind.ANNOUNCEMENT for p in around)
        is_listed = MEANING[place.kind].readers is Readers.LISTED
        if is_listed:
            candidates: Iterable[int] = self._labels
        else:
            candidates = {one for atom in hearing for one in self._by_atom.get(atom, ())}
        found: set[int] = set()
        for one in candidates:
            label = self._labels[one]
            if is_listed:
                heard = bool(label.hear) and all(self._covers_all(h, inside) for h in label.hear)
            else:
                heard = all("*" in h if is_open else not h.isdisjoint(hearing) for h in label.hear)
            asks = [a for a in label.ask if a.isdisjoint(setting)]
            if heard and (not asks or self._somebody(asks, inside)):
                found.add(one)
        return found

    def _covers_all(self, atoms: frozenset[str], people: frozenset[str]) -> bool:
        left = set(people)
        for atom in atoms:
            covered = self._world.covers(atom)
            if covered is _EVERYBODY or "*" in covered:
                return True
            left -= covered
        return not left and bool(people)

    def _somebody(self, clauses: list[frozenset[str]], among: frozenset[str] | None) -> bool:
        """Whether one person is covered by every clause."""
        left = among
        for atoms in clauses:
            covered: set[str] = set()
            for atom in atoms:
                covered |= self._world.covers(atom)
            if "*" in covered:
                continue
            left = frozenset(covered) if left is None else left & covered
            if not left:
                return False
        return left is None or bool(left)
