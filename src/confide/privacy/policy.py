"""The rule, held once: a memory is told only if every clause of its label holds for the audience.

`hear` clauses ask of every viewer, `ask` clauses of the asker and the setting. What cannot be
proven is not told. `store/sql/policy.sql` says the same to the database; tests compare the two.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Final, NamedTuple, assert_never

from confide.model import Entity, Namespace, Place, shown
from confide.privacy import atoms
from confide.privacy.atoms import Atom
from confide.privacy.places import (
    is_elsewhere,
    is_read_along,
    spaces_around,
    tells_nothing,
    tells_one_person_alone,
)


class ClauseKind(StrEnum):
    HEAR = "hear"
    ASK = "ask"


class Term(NamedTuple):
    """An atom in a clause. One that consent lent ends, and may serve one purpose only."""

    atom: Atom
    until: datetime | None = None
    purpose: str | None = None


class Clause(NamedTuple):
    """One stakeholder's condition. Only `owner` can relax it."""

    kind: ClauseKind
    owner: Entity
    terms: frozenset[Term]


@dataclass(frozen=True, slots=True)
class Label:
    """All that the policy may know about a memory. Empty, it is told to nobody."""

    clauses: frozenset[Clause] = frozenset()


class EveryoneIn(NamedTuple):
    """Whoever is in a place or space now, or joins it later and reads back."""

    what: Atom  # place:p or space:s


class Anyone(NamedTuple):
    """The open web, or viewers nobody could name."""


Viewer = Entity | EveryoneIn | Anyone
NOBODY: Final[frozenset[Viewer]] = frozenset()
GLOBAL_LEVEL: Final = Namespace()  # nothing named: the asker's own global level, never "all"


@dataclass(frozen=True, slots=True, kw_only=True)
class Audience:
    """Who asks, where the answer will appear, and everyone who will see it there."""

    asker: Entity
    place: Place
    viewers: frozenset[Viewer]
    namespace: Namespace = GLOBAL_LEVEL
    purpose: str | None = None
    as_said: Audience | None = None  # as the asker named the place, where platforms attest another


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """What platforms attest, read in the same snapshot as the memories."""

    agent: Entity
    now: datetime
    places: Mapping[str, Place] = field(default_factory=dict[str, Place])
    belongs: Mapping[Entity, frozenset[Atom]] = field(
        default_factory=dict[Entity, frozenset[Atom]]
    )  # the places, spaces, roles and groups someone is in now, and the presences they were part of

    def within(self, place_id: str) -> Iterable[Place]:
        """A place and what it lies in, innermost first."""
        seen: set[str] = set()
        at: str | None = place_id
        while at is not None and at not in seen and at in self.places:
            seen.add(at)
            yield self.places[at]
            at = self.places[at].parent


class Decision(NamedTuple):
    told: bool
    because: str
    clause: Clause | None = None  # the one that withheld it


class Ears(NamedTuple):
    """An audience, worked out once for any number of labels."""

    audience: Audience
    world: World
    listeners: tuple[frozenset[Atom], ...]  # what covers each of them
    asking: frozenset[Atom]  # what covers who asks, and where


def listen(audience: Audience, world: World) -> Ears:
    listeners = tuple(up(viewer, world) for viewer in listeners_of(audience, world))
    return Ears(audience, world, listeners, up(audience.asker, world) | setting(audience, world))


def decide(label: Label, audience: Audience, world: World) -> Decision:
    """Whether `audience` may be told a memory with this label, and why."""
    return decide_for(listen(audience, world), label)


def _as_said(ears: Ears) -> Ears | None:
    """The same audience in the place as its asker named it. It can only narrow."""
    said = ears.audience.as_said
    if said is None:
        return None
    places = {**ears.world.places, said.place.id: said.place}
    if said.place.space is not None:  # as its asker names it, also for what it lies in
        around = ears.world.within(said.place.parent or said.place.id)
        places |= {p.id: replace(p, space=None) for p in around if p.id != said.place.id}
    return listen(said, replace(ears.world, places=places))


def decide_for(ears: Ears, label: Label) -> Decision:
    """The same for one label of many."""
    audience, world = ears.audience, ears.world
    if not label.clauses:
        return Decision(False, "it has no label")
    if tells_nothing(audience.place.kind):
        return Decision(False, "nothing is told in a place of an unknown kind")
    if not audience.viewers:
        return Decision(False, "nobody is known to be listening")
    if not ears.listeners:
        return _to_itself(audience, world)
    broken = [clause for clause in label.clauses if not _holds(clause, ears)]
    if not broken:
        said = _as_said(ears)
        if said is not None:
            return decide_for(said, label)
        return Decision(True, "everyone who will see the answer may hear it")
    clause = min(broken, key=_reading_order)
    return Decision(False, _because(clause), clause)


def _holds(clause: Clause, ears: Ears) -> bool:
    terms = {t.atom for t in clause.terms if _is_in_force(t, ears.audience, ears.world)}
    match clause.kind:
        case ClauseKind.HEAR:
            return all(terms & covering for covering in ears.listeners)
        case ClauseKind.ASK:
            return not terms.isdisjoint(ears.asking)
        case _:
            assert_never(clause.kind)


def listeners_of(audience: Audience, world: World) -> frozenset[Viewer]:
    """The viewers that must be covered. The agent always is; through a connection its client reads along."""
    listeners = audience.viewers - {world.agent}
    if is_read_along(audience.place.kind):
        listeners |= {EveryoneIn(atoms.place(audience.place.id))}
    return listeners


def up(viewer: Viewer, world: World) -> frozenset[Atom]:
    """The atoms that cover a viewer."""
    match viewer:
        case EveryoneIn(what):
            if what.kind is atoms.AtomKind.SPACE:
                return frozenset({atoms.ANYONE, *map(atoms.space, spaces_around(what.name))})
            around = list(world.within(what.name))
            rooms = {atoms.place(p.id) for p in around} | {what}
            return frozenset({atoms.ANYONE} | rooms | set(map(atoms.space, _spaces(around))))
        case Anyone():
            return frozenset({atoms.ANYONE})
        case Entity():
            return frozenset({atoms.ANYONE, atoms.entity(viewer)}) | world.belongs.get(
                viewer, frozenset()
            )
        case _:
            assert_never(viewer)


def setting(audience: Audience, world: World) -> frozenset[Atom]:
    """Where the answer will appear: its place and parents, their space, the namespace, alone or not."""
    if is_elsewhere(audience.place.kind):
        return frozenset()
    around = list(world.within(audience.place.id)) or [audience.place]
    where = {atoms.at_place(p.id) for p in around} | set(map(atoms.at_space, _spaces(around)))
    where |= {atoms.at_scope(audience.asker, n) for n in audience.namespace.and_ancestors()}
    if is_alone(audience, world):
        where.add(atoms.ALONE)
    return frozenset(where)


def _spaces(around: Iterable[Place]) -> Iterable[str]:
    """Whoever is in a space inside a space is in both."""
    return {space for p in around if p.space is not None for space in spaces_around(p.space)}


def is_alone(audience: Audience, world: World) -> bool:
    """Computed from the viewers, not only from the kind of place: a group DM is company."""
    others = audience.viewers - {world.agent}
    return tells_one_person_alone(audience.place.kind) and others <= {audience.asker}


def union(labels: Iterable[Label]) -> Label:
    """Derived text is told exactly where every one of its sources could be told."""
    sources = list(labels)
    if not all(label.clauses for label in sources):
        return Label()  # one source that is told to nobody must not be lost among the others
    return Label(frozenset[Clause]().union(*(label.clauses for label in sources)))


def minimal(label: Label) -> frozenset[tuple[ClauseKind, frozenset[Term]]]:
    """The clauses that decide: a clause implied by a narrower one of its kind adds nothing."""
    bare = {(clause.kind, clause.terms) for clause in label.clauses}
    return frozenset(
        (kind, terms)
        for kind, terms in bare
        if not any(kind == other and narrower < terms for other, narrower in bare)
    )


def _to_itself(audience: Audience, world: World) -> Decision:
    """The agent is the only viewer: alone it may reason over all it holds (K18)."""
    if audience.asker == world.agent:
        return Decision(True, "the agent is alone with what it holds")
    return Decision(False, "nobody but the agent would see the answer")


def _is_in_force(term: Term, audience: Audience, world: World) -> bool:
    if term.until is not None and term.until <= world.now:
        return False
    return term.purpose is None or term.purpose == audience.purpose


def _reading_order(clause: Clause) -> tuple[bool, str, list[str]]:
    """Who would hear it is the better reason; who may ask comes second."""
    atoms_in_order = sorted(str(term.atom) for term in clause.terms)
    return clause.kind is ClauseKind.ASK, str(clause.owner), atoms_in_order


def _because(clause: Clause) -> str:
    who = shown(clause.owner)
    if clause.kind is ClauseKind.HEAR:
        return f"{who} has not allowed it for everyone who would see the answer"
    if all(term.atom.is_setting for term in clause.terms):
        return f"{who} allows it in other places only"
    return f"only people whom {who} named may ask for it here"
