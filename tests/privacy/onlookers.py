"""Who could see an answer, and where it appears, one person after another: the oracle's eyes."""

from __future__ import annotations

from dataclasses import dataclass

from tests.privacy.facts import AGENT, Facts

from confide.model import Entity, PlaceKind
from confide.privacy.atoms import Atom, AtomKind
from confide.privacy.policy import Anyone, Audience, EveryoneIn

ONE_TO_ONE = {PlaceKind.DIRECT, PlaceKind.EPHEMERAL, PlaceKind.THOUGHT}


@dataclass(frozen=True)
class Person:
    """Somebody who could see the answer: known by name, or a newcomer known by what they joined."""

    entity: Entity | None
    rooms: frozenset[str] = frozenset()
    spaces: frozenset[str] = frozenset()
    collectives: frozenset[Entity] = frozenset()
    witnessed: frozenset[tuple[str, int]] = frozenset()


@dataclass(frozen=True)
class Scene:
    """Where the answer appears."""

    rooms: frozenset[str]
    spaces: frozenset[str]
    namespaces: frozenset[tuple[Entity, str | None, str | None]]
    is_alone: bool
    purpose: str | None


def spaces_around(*spaces: str | None) -> frozenset[str]:
    """Whoever is in a space inside a space is in both."""
    found: set[str] = set()
    for parts in (space.split("/") for space in spaces if space):
        found |= {"/".join(parts[:n]) for n in range(1, len(parts) + 1)}
    return frozenset(found)


def individuals(audience: Audience, facts: Facts) -> list[Person]:
    """Everyone but the agent who could see the answer, now or later."""
    found: list[Person] = []
    seen = [v for v in audience.viewers if v != AGENT]
    if audience.place.kind is PlaceKind.CONNECTION:
        seen.append(EveryoneIn(Atom(AtomKind.PLACE, audience.place.id)))
    for viewer in seen:
        if isinstance(viewer, Anyone):
            found.append(Person(None))
        elif isinstance(viewer, EveryoneIn):
            found += _everyone(viewer.what, facts)
        else:
            found.append(person(viewer, facts))
    return found


def _everyone(what: Atom, facts: Facts) -> list[Person]:
    if what.kind is AtomKind.SPACE:
        newcomer = Person(None, spaces=spaces_around(what.name))
        return [newcomer, *(person(e, facts) for e in facts.spaces.get(what.name, ()))]
    lies_in = facts.around(what.name)
    newcomer = Person(
        None,
        rooms=frozenset({what.name, *(p.id for p in lies_in)}),
        spaces=spaces_around(*(p.space for p in lies_in)),
    )
    # Whoever is in a room reads its threads.
    rooms = [p.id for p in lies_in if p.kind not in (PlaceKind.THREAD, PlaceKind.FORUM_POST)]
    inside = facts.there.get(what.name) or facts.there.get(next(iter(rooms), what.name), {})
    return [newcomer, *(person(e, facts) for e in inside)]


def person(entity: Entity, facts: Facts) -> Person:
    kinds = (PlaceKind.GROUP, PlaceKind.CONTEXT, PlaceKind.CONNECTION)
    return Person(
        entity,
        rooms=frozenset(p for p, there in facts.there.items() if entity in there),
        spaces=frozenset(s for s, people in facts.spaces.items() if entity in people),
        collectives=frozenset(g for g, people in facts.collectives.items() if entity in people),
        witnessed=frozenset(
            (p, n)
            for p, there in facts.there.items()
            if facts.places[p].kind in kinds
            for n in there.get(entity, ())
        ),
    )


def scene(audience: Audience, facts: Facts) -> Scene:
    if audience.place.kind is PlaceKind.GUEST:
        nothing = frozenset[str]()
        return Scene(nothing, nothing, frozenset(), False, audience.purpose)
    lies_in = facts.around(audience.place.id) or [audience.place]
    named = {v for v in audience.viewers if v != AGENT}
    w, t = audience.namespace
    return Scene(
        rooms=frozenset(p.id for p in lies_in),
        spaces=spaces_around(*(p.space for p in lies_in)),
        namespaces=frozenset((audience.asker, *n) for n in [(w, t), (w, None), (None, None)]),
        is_alone=audience.place.kind in ONE_TO_ONE and named <= {audience.asker},
        purpose=audience.purpose,
    )


@dataclass(frozen=True)
class Occasion:
    """An audience, seen once: who could see the answer, who asks, where."""

    hearers: tuple[Person, ...]
    asker: Person
    scene: Scene
    is_silent: bool  # nobody is known to listen, or the place is of an unknown kind
    is_own_thought: bool


def occasion(audience: Audience, facts: Facts) -> Occasion:
    hearers = tuple(individuals(audience, facts))
    is_own_thought = not hearers and audience.asker == AGENT
    return Occasion(
        hearers,
        person(audience.asker, facts),
        scene(audience, facts),
        not audience.viewers
        or audience.place.kind is PlaceKind.UNKNOWN
        or (not hearers and not is_own_thought),
        is_own_thought,
    )
