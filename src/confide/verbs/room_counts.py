"""How much of what was said in each room could be told in each other, counted over all labels at once."""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from confide.model import Entity, Kind, Place, PlaceKind, Scope, Sensitivity
from confide.privacy.places import MEANING, Readers, spaces_around

#: All direct chats are one row and one column; so are all connections, which are nobody's room.
DIRECT: Final = "direct"
CONNECTION: Final = "connection"
_EVERYBODY: Final = frozenset({"*"})


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


@dataclass(slots=True)
class LabelClauses:
    hear: list[frozenset[str]] = field(default_factory=list[frozenset[str]])
    ask: list[frozenset[str]] = field(default_factory=list[frozenset[str]])


def label_clauses(clauses: Iterable[Any]) -> dict[int, LabelClauses]:
    found: dict[int, LabelClauses] = defaultdict(LabelClauses)
    same: dict[frozenset[str], frozenset[str]] = {}
    for row in clauses:
        atoms = frozenset(row["atoms"] or ())
        atoms = same.setdefault(atoms, atoms)
        (
            found[row["label_id"]].hear if row["kind"] == "hear" else found[row["label_id"]].ask
        ).append(atoms)
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
    def __init__(
        self,
        world: RoomWorld,
        labels: Mapping[int, LabelClauses],
        said: Iterable[Any],
        now: datetime,
    ) -> None:
        self._world, self._labels = world, labels
        self._said: dict[str, dict[int, dict[str, int]]] = defaultdict(lambda: defaultdict(dict))
        for row in said:
            here = self.row_of(row["place"])
            counts = self._said[here][row["label_id"]]
            level = row["sensitivity"]
            counts[level] = counts.get(level, 0) + row["memories"]
        self._by_atom: dict[str, list[int]] = defaultdict(list)
        for id, label in labels.items():
            for atom in min(label.hear, key=len, default=frozenset[str]()):
                self._by_atom[atom].append(id)

    def row_of(self, place: str) -> str:
        known = self._world.places.get(place)
        if place.startswith("dm:") or (known and known.kind is PlaceKind.DIRECT):
            return DIRECT
        if known and known.kind is PlaceKind.CONNECTION:
            return CONNECTION
        return place

    def matrix(self, space: str | None, most: int) -> Matrix:
        totals = {here: self._count(here, self._labels) for here in self._said}
        rooms = [
            place
            for place in self._world.places.values()
            if MEANING[place.kind].readers in (Readers.EVERYONE, Readers.LISTED, Readers.ANYONE)
            and place.kind not in (PlaceKind.GUEST, PlaceKind.THREAD, PlaceKind.FORUM_POST)
            and (space is None or place.space == space)
        ]
        rooms.sort(key=lambda one: -sum(totals.get(one.id, {}).values()))
        rooms = sorted(rooms[:most], key=lambda one: (one.space or "~", one.id))
        columns = (
            Room(id=DIRECT, kind=PlaceKind.DIRECT),
            *(Room(id=one.id, kind=one.kind, space=one.space) for one in rooms),
        )
        rows = [
            Room(id=one.id, kind=one.kind, space=one.space, said=_sum(totals.get(one.id, {})))
            for one in columns
        ]
        if CONNECTION in totals:
            rows.append(
                Room(id=CONNECTION, kind=PlaceKind.CONNECTION, said=_sum(totals[CONNECTION]))
            )
        cells: dict[tuple[str, str], Cell] = {}
        for there in columns:
            told = self.told_in(there.id)
            for here in rows:
                told_here = self._count(here.id, told)
                cells[here.id, there.id] = Cell(told_here, totals.get(here.id, {}))
        return Matrix(tuple(rows), columns, cells)

    def told_in(self, there: str) -> set[int]:
        """Labels of what could be told there."""
        return self._alone() if there == DIRECT else self._in_room(there)

    def _count(self, here: str, labels: Iterable[int]) -> dict[Sensitivity, int]:
        found: dict[Sensitivity, int] = defaultdict(int)
        said = self._said.get(here, {})
        for id in said.keys() & set(labels):
            for level, count in said[id].items():
                found[Sensitivity(level)] += count
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


def _sum(counts: Mapping[Sensitivity, int]) -> int:
    return sum(counts.values())
