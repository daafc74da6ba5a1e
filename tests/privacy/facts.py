"""Who is where, as plain facts, from which both the rule's world and the oracle's people are made."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from confide.model import Entity, Place, PlaceKind
from confide.privacy import atoms
from confide.privacy.atoms import Atom
from confide.privacy.policy import World
from confide.store.places import WITNESSED

AGENT = Entity("si", "bot")
NOW = datetime(2026, 1, 1, tzinfo=UTC)
Epochs = frozenset[int]


@dataclass(frozen=True, kw_only=True)
class Facts:
    places: Mapping[str, Place]
    there: Mapping[str, Mapping[Entity, Epochs]]  # who is in a place now, and at which epochs was
    spaces: Mapping[str, frozenset[Entity]]
    collectives: Mapping[Entity, frozenset[Entity]] = field(
        default_factory=dict[Entity, frozenset[Entity]]
    )
    now: datetime = NOW

    def world(self) -> World:
        """The same in the words of the rule."""
        belongs: dict[Entity, set[Atom]] = {}
        for p, members in self.there.items():
            for who, epochs in members.items():
                found = belongs.setdefault(who, set())
                found.add(atoms.place(p))
                if self.places[p].kind in WITNESSED:
                    found |= {atoms.present(p, n) for n in epochs}
        for s, people in self.spaces.items():
            for who in people:
                belongs.setdefault(who, set()).add(atoms.space(s))
        for group, people in self.collectives.items():
            for who in people:
                belongs.setdefault(who, set()).add(atoms.entity(group))
        return World(
            agent=AGENT,
            now=self.now,
            places=self.places,
            belongs={who: frozenset(found) for who, found in belongs.items()},
        )

    def around(self, place_id: str) -> list[Place]:
        """A place and what it lies in."""
        found: list[Place] = []
        at: str | None = place_id
        while at is not None and at in self.places and self.places[at] not in found:
            found.append(self.places[at])
            at = self.places[at].parent
        return found


def human(name: str) -> Entity:
    return Entity("human", name)


def rooms(*places: Place) -> dict[str, Place]:
    return {place.id: place for place in places}


def room(id: str, kind: PlaceKind, space: str | None = None, parent: str | None = None) -> Place:
    return Place(id=id, kind=kind, space=space, parent=parent)


def members(*who: Entity, epochs: Iterable[int] = (0,)) -> dict[Entity, Epochs]:
    return {entity: frozenset(epochs) for entity in who}
