"""Random worlds, labels and audiences, small enough that they often meet."""

from __future__ import annotations

from datetime import timedelta

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
)
from confide.store.places import WITNESSED

# Some people have names that look like the words of the rule.
PEOPLE = [human(name) for name in ("alice", "bob", "*", "p=chat", "eve@", "zoë")]
ENTITIES = [*PEOPLE, AGENT, Entity("dog", "bella")]
GROUPS = [Entity("role", "tutor"), Entity("group", "care")]
PLACE_IDS = ["chat", "mods@G", "thread@mods@G", "ctx:care", "tool", "general@H", "chat#1"]
SPACES = ["G", "H"]
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
consents = st.builds(
    Consent,
    grantor=entities,
    grantee=listeners,
    where=st.none() | places.map(atoms.place) | st.sampled_from(SPACES).map(atoms.space),
    until=st.sampled_from(MOMENTS),
    purpose=st.sampled_from(PURPOSES),
)
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


@st.composite
def worlds(draw: st.DrawFn) -> World:
    """Parents may form circles and members may be in no space: the rule must stand that too."""
    known = {
        p.id: p
        for p in draw(st.lists(place_values, max_size=6))
        if p.space or p.kind not in (PlaceKind.PUBLIC, PlaceKind.ANNOUNCEMENT)
    }
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
