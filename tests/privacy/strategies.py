"""Random worlds, labels and audiences, small enough that they often meet."""

from __future__ import annotations

from datetime import timedelta
from random import Random
from typing import NamedTuple

from hypothesis import strategies as st
from tests.privacy.facts import AGENT, NOW, human

from confide.model import Entity, Kind, Namespace, Place, PlaceKind, Scope, Sensitivity, Status
from confide.privacy import atoms
from confide.privacy.atoms import ALONE, ANYONE, Atom
from confide.privacy.consent import Consent
from confide.privacy.labels import Origin
from confide.privacy.places import direct
from confide.privacy.policy import (
    Anyone,
    Audience,
    Clause,
    ClauseKind,
    EveryoneIn,
    Label,
    Term,
    Viewer,
    World,
    listen,
)
from confide.store.places import WITNESSED

# Some people have names that look like the words of the rule.
PEOPLE = [human(name) for name in ("alice", "bob", "*", "p=chat", "eve@", "zoë")]
ENTITIES = [*PEOPLE, AGENT, Entity("dog", "bella")]
GROUPS = [Entity("role", "tutor"), Entity("group", "care")]
PLACE_IDS = ["chat", "mods@G", "thread@mods@G", "ctx:care", "tool", "general@H", "chat#1"]
SPACES = ["G", "H", "G/R"]
MOMENTS = [None, NOW - timedelta(days=1), NOW, NOW + timedelta(microseconds=1)]
STATUSES = list(Status)
PURPOSES = [None, "care", "fun"]
NAMESPACES = [Namespace(w, s) for w in (None, "W", "V") for s in (None, "track:1")]

entities = st.sampled_from(ENTITIES)
places = st.sampled_from(PLACE_IDS)
listeners = st.one_of(
    st.just(ANYONE),
    st.sampled_from([*ENTITIES, *GROUPS]).map(atoms.entity),
    places.map(atoms.place),
    st.sampled_from(SPACES).map(atoms.space),
    st.builds(atoms.present, places, st.integers(0, 2)),
)
settings = st.one_of(
    st.just(ALONE),
    places.map(atoms.at_place),
    st.sampled_from(SPACES).map(atoms.at_space),
    st.builds(atoms.at_scope, entities, st.sampled_from(NAMESPACES)),
)
terms = st.builds(
    Term,
    st.one_of(listeners, listeners, settings),
    st.sampled_from(MOMENTS),
    st.sampled_from(PURPOSES),
)
clauses = st.builds(Clause, st.sampled_from(ClauseKind), entities, st.frozensets(terms, max_size=4))
labels = st.builds(Label, st.frozensets(clauses, min_size=1, max_size=4))
consents = st.integers(0, 2**48).map(lambda seed: random_consent(Random(seed)))
place_values = st.builds(
    Place,
    id=places,
    kind=st.sampled_from([k for k in PlaceKind if k is not PlaceKind.UNKNOWN]),
    space=st.sampled_from([*SPACES, None]),
    parent=st.none() | places,
)
viewers: st.SearchStrategy[Viewer] = st.one_of(
    entities,
    st.sampled_from(GROUPS),
    places.map(lambda p: EveryoneIn(atoms.place(p))),
    st.sampled_from(SPACES).map(lambda s: EveryoneIn(atoms.space(s))),
    st.just(Anyone()),
)


@st.composite
def origins(draw: st.DrawFn) -> Origin:
    some = st.frozensets(entities, max_size=3)
    return Origin(
        agent=AGENT,
        scope=draw(st.sampled_from(Scope)),
        owner=draw(st.none() | entities),
        speaker=draw(st.none() | entities),
        place=draw(st.none() | place_values | entities.map(direct)),
        epoch=draw(st.integers(0, 2)),
        subjects=draw(some),
        present=draw(some),
        sensitivity=draw(st.sampled_from(Sensitivity)),
        kind=draw(st.sampled_from(Kind)),
        namespace=draw(st.none() | st.sampled_from(NAMESPACES)),
        grants=draw(st.frozensets(listeners, max_size=2)),
        is_portable=draw(st.booleans()),
        is_portable_confirmed=draw(st.booleans()),
        joined_later=draw(some),
        objectors=draw(some),
        inherited=draw(st.frozensets(clauses, max_size=1)),
    )


def _can_be_known(p: Place) -> bool:
    if p.kind is PlaceKind.GUEST:
        return False
    return p.space is not None or p.kind not in (PlaceKind.PUBLIC, PlaceKind.ANNOUNCEMENT)


@st.composite
def worlds(draw: st.DrawFn) -> World:
    """Parents may form circles and members may be in no space: the rule must stand that too."""
    known = {p.id: p for p in draw(st.lists(place_values, max_size=6)) if _can_be_known(p)}
    belongs: dict[Entity, frozenset[Atom]] = {}
    for who in draw(st.sets(entities, max_size=5)):
        found: set[Atom] = set(draw(st.sets(st.sampled_from(SPACES).map(atoms.space))))
        found |= draw(st.sets(st.sampled_from(GROUPS).map(atoms.entity)))
        for p in draw(st.sets(st.sampled_from(sorted(known)))) if known else ():
            found.add(atoms.place(p))
            if known[p].kind in WITNESSED:
                found |= {atoms.present(p, n) for n in draw(st.sets(st.integers(0, 2)))}
        belongs[who] = frozenset(found)
    return World(agent=AGENT, now=NOW, places=known, belongs=belongs)


@st.composite
def audiences(draw: st.DrawFn, *, at_least: int = 1) -> Audience:
    asker = draw(entities)
    place = draw(st.one_of(place_values, st.just(direct(asker))))
    seen = draw(st.frozensets(viewers, min_size=at_least, max_size=3))
    return Audience(
        asker=asker,
        place=place,
        viewers=draw(st.sampled_from([seen, seen | {asker}, frozenset({asker})])),
        namespace=draw(st.sampled_from(NAMESPACES)),
        purpose=draw(st.sampled_from(PURPOSES)),
    )


class Meeting(NamedTuple):
    """A label and an audience that have to do with each other: about as often told as not."""

    label: Label
    audience: Audience
    world: World


def meetings() -> st.SearchStrategy[Meeting]:
    """One number makes a whole meeting, so that thousands are tried in a second."""
    return st.integers(0, 2**48).map(lambda seed: random_meeting(Random(seed)))


def random_meeting(chance: Random) -> Meeting:
    world = random_world(chance)
    audience = random_audience(chance, world)
    return Meeting(label_for(audience, world, chance), audience, world)


def random_consent(chance: Random) -> Consent:
    """Mostly in force, for everywhere and any purpose: else hardly one in fifty changes anything."""
    grantees = [
        lambda: ANYONE,
        lambda: atoms.entity(chance.choice([*ENTITIES, *GROUPS])),
        lambda: atoms.place(chance.choice(PLACE_IDS)),
        lambda: atoms.space(chance.choice(SPACES)),
        lambda: atoms.present(chance.choice(PLACE_IDS), chance.randrange(3)),
    ]
    return Consent(
        grantor=chance.choice(ENTITIES),
        grantee=chance.choice(grantees)(),
        where=chance.choice([None] * 9 + [*map(atoms.place, PLACE_IDS), *map(atoms.space, SPACES)]),
        until=chance.choice([None, None, None, *MOMENTS]),
        purpose=chance.choice([None, None, None, *PURPOSES]),
    )


def _place(chance: Random) -> Place:
    kind = chance.choice([k for k in PlaceKind if k is not PlaceKind.UNKNOWN])
    parent = chance.choice([None, None, *PLACE_IDS])
    return Place(
        id=chance.choice(PLACE_IDS), kind=kind, space=chance.choice([*SPACES, None]), parent=parent
    )


def random_world(chance: Random) -> World:
    made = [_place(chance) for _ in range(chance.randrange(7))]
    known = {p.id: p for p in made if _can_be_known(p)}
    belongs: dict[Entity, frozenset[Atom]] = {}
    for who in chance.sample(ENTITIES, chance.randrange(6)):
        found = {atoms.space(one) for one in chance.sample(SPACES, chance.randrange(3))}
        found |= {atoms.entity(one) for one in chance.sample(GROUPS, chance.randrange(3))}
        for p in chance.sample(sorted(known), chance.randrange(len(known) + 1)):
            found.add(atoms.place(p))
            if known[p].kind in WITNESSED:
                found |= {atoms.present(p, n) for n in range(3) if chance.random() < 0.5}
        belongs[who] = frozenset(found)
    return World(agent=AGENT, now=NOW, places=known, belongs=belongs)


def random_audience(chance: Random, world: World) -> Audience:
    asker = chance.choice(ENTITIES)
    place = chance.choice([direct(asker), _place(chance), *world.places.values()])
    others = [*ENTITIES, *GROUPS, EveryoneIn(atoms.place(place.id)), Anyone()]
    others += [EveryoneIn(atoms.space(one)) for one in SPACES]
    seen = chance.sample(others, chance.randrange(1, 4))
    return Audience(
        asker=asker,
        place=place,
        viewers=frozenset(chance.choice([seen, [*seen, asker], [asker]])),
        namespace=chance.choice(NAMESPACES),
        purpose=chance.choice(PURPOSES),
    )


def label_for(audience: Audience, world: World, chance: Random) -> Label:
    """Mostly of what covers who listens and asks, and mostly in force: of three clauses drawn at
    random one fails nearly always."""
    ears = listen(audience, world)
    every = frozenset[Atom]().union(*ears.listeners)
    common = frozenset[Atom].intersection(*ears.listeners) if ears.listeners else every
    strange = [*map(atoms.entity, ENTITIES), *map(atoms.place, PLACE_IDS), ANYONE, ALONE]

    def clause() -> Clause:
        kind = chance.choice(list(ClauseKind))
        likely = sorted(ears.asking if kind is ClauseKind.ASK else chance.choice([common, every]))
        found = [chance.choice([*likely, chance.choice(strange)]) for _ in range(2)]
        terms = {
            Term(
                atom,
                chance.choice([None, None, None, *MOMENTS]),
                chance.choice([None, None, None, audience.purpose, *PURPOSES]),
            )
            for atom in found
        }
        return Clause(kind, chance.choice(ENTITIES), frozenset(terms))

    return Label(frozenset(clause() for _ in range(chance.randrange(1, 4))))
