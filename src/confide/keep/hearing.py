"""The rule asked for everybody at once: people alike in all that the label names are asked once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from confide.model import Entity, Namespace, Place
from confide.privacy import atoms
from confide.privacy.atoms import Atom, AtomKind
from confide.privacy.disclosure import judge
from confide.privacy.places import MEANING, Readers, direct
from confide.privacy.policy import Audience, Decision, EveryoneIn, Label, Viewer
from confide.privacy.reasons import reason

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
        asked = _audience(memory, direct(who), who, frozenset({who}))
        found.append(Hearer(who, decision.told, reason(memory, decision, asked), also))
    return tuple(found)


def rooms(memory: Memory, everyone: Everyone, alike: dict[Entity, Alike]) -> tuple[Room, ...]:
    """Every place that somebody is in, and who can bring it up there."""
    named = label_atoms(memory.label)
    decided: dict[object, Decision] = {}  # rooms alike in all that the label names are asked once
    return tuple(
        _room(memory, everyone, place, alike, named, decided)
        for place in sorted(everyone.world.places.values(), key=lambda place: place.id)
        if everyone.rooms.get(place.id)
        and MEANING[place.kind].readers in (Readers.EVERYONE, Readers.LISTED)
    )


def _room(
    memory: Memory,
    everyone: Everyone,
    place: Place,
    alike: dict[Entity, Alike],
    named: frozenset[Atom],
    decided: dict[object, Decision],
) -> Room:
    inside = everyone.rooms[place.id]
    viewers: frozenset[Viewer] = frozenset(inside)
    seen_as: object = place
    if MEANING[place.kind].readers is Readers.EVERYONE:
        viewers = frozenset({EveryoneIn(atoms.place(place.id))})
        seen_as = _around(everyone, place) & named
    kinds = {alike[who] for who in inside}
    here: dict[Alike, Decision] = {}
    because: set[tuple[bool, str]] = set()  # first why it is not told
    for who in inside:
        kind = alike[who]
        if kind not in here:
            key = seen_as, kind
            if key not in decided:
                decided[key] = _decide(memory, everyone, place, who, viewers)
            here[kind] = decided[key]
            asked = _audience(memory, place, who, viewers)
            because.add((here[kind].told, reason(memory, here[kind], asked)))
            if len(here) == len(kinds):
                break
    told_to = [who for who in inside if here[alike[who]].told] if _any_told(here) else []
    return Room(place, tuple(sorted(told_to)), min(because)[1])


def _any_told(decided: dict[Alike, Decision]) -> bool:
    return any(one.told for one in decided.values())


def _around(everyone: Everyone, place: Place) -> frozenset[Atom]:
    """All atoms by which a label can name a place, as who listens and as where."""
    found: set[Atom] = set()
    for one in everyone.world.within(place.id):
        found |= {atoms.place(one.id), atoms.at_place(one.id)}
        if one.space is not None:
            found |= {atoms.space(one.space), atoms.at_space(one.space)}
    return frozenset(found)


def _decide(
    memory: Memory,
    everyone: Everyone,
    place: Place,
    asker: Entity,
    viewers: frozenset[Viewer],
    purpose: str | None = None,
) -> Decision:
    return judge(memory, _audience(memory, place, asker, viewers, purpose), everyone.world)


def _audience(
    memory: Memory,
    place: Place,
    asker: Entity,
    viewers: frozenset[Viewer],
    purpose: str | None = None,
) -> Audience:
    return Audience(
        asker=asker,
        place=place,
        viewers=viewers,
        namespace=memory.origin.namespace or Namespace(),
        purpose=purpose,
    )


def tell_apart(memory: Memory, everyone: Everyone) -> dict[Entity, Alike]:
    """Of everybody, all that the label can tell apart."""
    named = label_atoms(memory.label)
    by_name = {one.name: frozenset({one}) for one in named if one.kind is AtomKind.ENTITY}
    belongs = everyone.world.belongs
    namespaces = (memory.origin.namespace or Namespace()).and_ancestors()
    by_scope = any(atom.kind is AtomKind.AT_SCOPE for atom in named)
    found: dict[Entity, Alike] = {}
    for who in {*everyone.people, *(one for inside in everyone.rooms.values() for one in inside)}:
        own = by_name.get(str(who), NOTHING)
        if who in belongs:
            own |= belongs[who] & named
        if by_scope:
            own |= {atoms.at_scope(who, one) for one in namespaces} & named
        found[who] = own
    return found


def _purposes(label: Label) -> tuple[str, ...]:
    named = {term.purpose for clause in label.clauses for term in clause.terms}
    return tuple(sorted(one for one in named if one is not None))
