"""The rule asked for everybody at once: people alike in all that the label names are asked once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from confide.model import Entity, Namespace, Place
from confide.privacy import atoms
from confide.privacy.atoms import Atom, AtomKind
from confide.privacy.disclosure import judge
from confide.privacy.places import MEANING, Readers, direct
from confide.privacy.policy import Audience, Decision, EveryoneIn, Label, Viewer

if TYPE_CHECKING:
    from confide.store.auditing import Everyone
    from confide.store.memory import Memory

Alike = frozenset[Atom]
NOTHING: Final[Alike] = frozenset()


class Hearer(NamedTuple):
    """Whether somebody is told it, alone with the agent, and for which purposes besides."""

    who: Entity
    told: bool
    because: str
    purposes: tuple[str, ...] = ()


class Room(NamedTuple):
    """Who of those in a place is told it when they ask there."""

    place: Place
    told_to: tuple[Entity, ...]
    because: str  # why the others are not, or nobody is


def label_atoms(label: Label) -> frozenset[Atom]:
    return frozenset(term.atom for clause in label.clauses for term in clause.terms)


def hearers(memory: Memory, everyone: Everyone, alike: dict[Entity, Alike]) -> tuple[Hearer, ...]:
    """Everyone who is known, each alone with the agent."""
    purposes = _purposes(memory.label)
    decided: dict[Alike, tuple[Decision, tuple[str, ...]]] = {}
    found: list[Hearer] = []
    for who in everyone.people:
        key = alike[who]
        if key not in decided:
            plain = _decide(memory, everyone, direct(who), who, frozenset({who}))
            decided[key] = (
                plain,
                tuple(
                    purpose
                    for purpose in purposes
                    if not plain.told
                    and _decide(memory, everyone, direct(who), who, frozenset({who}), purpose).told
                ),
            )
        decision, also = decided[key]
        found.append(Hearer(who, decision.told, decision.because, also))
    return tuple(found)


def rooms(memory: Memory, everyone: Everyone, alike: dict[Entity, Alike]) -> tuple[Room, ...]:
    """Every place that somebody is in, and who can bring it up there."""
    return tuple(
        _room(memory, everyone, place, everyone.rooms[place.id], alike)
        for place in sorted(everyone.world.places.values(), key=lambda place: place.id)
        if everyone.rooms.get(place.id)
        and MEANING[place.kind].readers in (Readers.EVERYONE, Readers.LISTED)
    )


def _room(
    memory: Memory,
    everyone: Everyone,
    place: Place,
    inside: tuple[Entity, ...],
    alike: dict[Entity, Alike],
) -> Room:
    viewers: frozenset[Viewer] = frozenset(inside)
    if MEANING[place.kind].readers is Readers.EVERYONE:
        viewers = frozenset({EveryoneIn(atoms.place(place.id))})
    decided: dict[Alike, Decision] = {}
    for who in inside:
        if alike[who] not in decided:
            decided[alike[who]] = _decide(memory, everyone, place, who, viewers)
    told_to = sorted(who for who in inside if decided[alike[who]].told)
    withheld = [one.because for one in decided.values() if not one.told]
    told = next((one.because for one in decided.values() if one.told), "")
    return Room(place, tuple(told_to), min(withheld) if withheld else told)


def _decide(
    memory: Memory,
    everyone: Everyone,
    place: Place,
    asker: Entity,
    viewers: frozenset[Viewer],
    purpose: str | None = None,
) -> Decision:
    audience = Audience(
        asker=asker,
        place=place,
        viewers=viewers,
        namespace=memory.origin.namespace or Namespace(),
        purpose=purpose,
    )
    return judge(memory, audience, everyone.world)


def tell_apart(memory: Memory, everyone: Everyone) -> dict[Entity, Alike]:
    """Of everybody, all that the label can tell apart."""
    named = label_atoms(memory.label)
    belongs = everyone.world.belongs
    namespaces = (memory.origin.namespace or Namespace()).and_ancestors()
    by_scope = any(atom.kind is AtomKind.AT_SCOPE for atom in named)
    found: dict[Entity, Alike] = {}
    for who in {*everyone.people, *(one for inside in everyone.rooms.values() for one in inside)}:
        own = {atoms.entity(who)}
        if by_scope:
            own |= {atoms.at_scope(who, one) for one in namespaces}
        found[who] = (belongs.get(who, NOTHING) | own) & named
    return found


def _purposes(label: Label) -> tuple[str, ...]:
    named = {term.purpose for clause in label.clauses for term in clause.terms}
    return tuple(sorted(one for one in named if one is not None))
