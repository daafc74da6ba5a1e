"""The label table, clause by clause: who states what about something said where.

`hear[alice] alice p=chat` reads: Alice insists that every hearer is Alice or in the chat.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from tests.privacy.facts import AGENT, human

from confide.model import Entity, Kind, Namespace, Place, PlaceKind, Scope, Sensitivity
from confide.privacy import atoms
from confide.privacy.atoms import ANYONE
from confide.privacy.labels import (
    Origin,
    ask,
    hear,
    in_confidence,
    insiders_of,
    is_for_owner_alone,
    label,
)
from confide.privacy.places import direct
from confide.privacy.policy import Clause, Label

ALICE, BOB, CAROL = human("alice"), human("bob"), human("carol")
DM = direct(ALICE)
CHAT = Place(id="chat", kind=PlaceKind.GROUP)
CARE = Place(id="ctx:care", kind=PlaceKind.CONTEXT)
MODS = Place(id="mods", kind=PlaceKind.RESTRICTED, space="guild")
GENERAL = Place(id="general", kind=PlaceKind.PUBLIC, space="guild")
TOOL = Place(id="tool", kind=PlaceKind.CONNECTION)
NOWHERE = Place(id="nowhere", kind=PlaceKind.UNKNOWN)
AGENT_ONLY = {"hear[bot] bot"}


def said(scope: Scope, place: Place | None, **rest: Any) -> Origin:
    """Said by Alice, public and about nobody, unless `rest` says otherwise."""
    fields: dict[str, Any] = {"owner": ALICE, "speaker": ALICE, "sensitivity": Sensitivity.PUBLIC}
    return Origin(agent=AGENT, scope=scope, place=place, **(fields | rest))


def stated(origin: Origin) -> set[str]:
    return {written(clause) for clause in label(origin).clauses}


def written(clause: Clause) -> str:
    names = sorted(
        str(term.atom).removeprefix("e=human:").removeprefix("e=si:") for term in clause.terms
    )
    return f"{clause.kind.value}[{clause.owner.id}] {' '.join(names)}"


@pytest.mark.req("S1", "S4", "K3", "A3")
def test_each_scope_states_its_clauses() -> None:
    everywhere = {"hear[alice] *"}
    for origin, clauses in [
        (said(Scope.SELF_ONLY, None, owner=AGENT, speaker=None), AGENT_ONLY),
        (
            said(Scope.SELF_ONLY, DM, owner=AGENT),
            {"hear[bot] alice bot", "ask[bot] alice bot", "hear[alice] alice"},
        ),
        (said(Scope.DM, DM), {"hear[alice] alice", "ask[alice] alice", "ask[alice] @alone"}),
        (
            said(Scope.DM, TOOL),
            {"hear[alice] alice p=tool", "ask[alice] alice", "ask[alice] @alone @p=tool"},
        ),
        (
            said(Scope.CHANNEL_RESTRICTED, MODS),
            {"hear[alice] p=mods", "ask[alice] alice", "ask[alice] @alone @p=mods"},
        ),
        (
            said(Scope.GROUP, CHAT, epoch=3),
            {
                "hear[alice] alice p=chat",
                "ask[alice] @p=chat alice w=chat#3",
                "ask[alice] @alone @p=chat",
            },
        ),
        (
            said(Scope.GUILD_PUBLIC, GENERAL),
            {"hear[alice] alice s=guild", "ask[alice] @s=guild alice"},
        ),
        (said(Scope.GLOBAL, DM), everywhere | {"ask[alice] alice"}),
        (said(Scope.PUBLIC, GENERAL), everywhere),
        (
            said(Scope.GRANTED, DM, owner=AGENT),
            {"hear[bot] alice bot", "ask[bot] alice bot", "hear[alice] alice"},
        ),
    ]:
        assert stated(origin) == clauses, origin


@pytest.mark.req("K3")
def test_a_grant_joins_the_agents_clauses_and_rooms_join_as_settings() -> None:
    grants = frozenset({atoms.entity(BOB), atoms.place("mods"), atoms.space("guild"), ANYONE})
    assert stated(said(Scope.GRANTED, MODS, owner=AGENT, grants=grants)) == {
        "hear[bot] * alice bob bot p=mods s=guild",
        "ask[bot] * @p=mods @s=guild alice bob bot",
        "hear[alice] alice p=mods",
    }
    assert stated(said(Scope.GRANTED, None, owner=AGENT, speaker=None, grants=grants)) == {
        "hear[bot] * bob bot p=mods s=guild",
        "ask[bot] * @p=mods @s=guild bob bot",
    }


@pytest.mark.req("K4")
@pytest.mark.parametrize("scope", [Scope.SELF_ONLY, Scope.GRANTED])
def test_what_is_granted_is_the_agents_whoever_is_named_its_owner(scope: Scope) -> None:
    assert stated(said(scope, DM)) == stated(said(scope, DM, owner=AGENT))


@pytest.mark.req("S7")
@pytest.mark.parametrize(
    ("scope", "place"),
    [
        (Scope.CHANNEL_RESTRICTED, DM),
        (Scope.CHANNEL_RESTRICTED, None),
        (Scope.CHANNEL_RESTRICTED, NOWHERE),
        (Scope.GROUP, DM),
        (Scope.GROUP, None),
        (Scope.GUILD_PUBLIC, CHAT),
        (Scope.GUILD_PUBLIC, None),
    ],
)
def test_a_scope_that_its_place_cannot_give_is_for_the_agent_alone(
    scope: Scope, place: Place | None
) -> None:
    assert stated(said(scope, place)) == AGENT_ONLY


@pytest.mark.req("K8", "K5")
def test_who_told_it_has_a_say_where_they_do_not_own_the_clauses() -> None:
    told = {"owner": ALICE, "speaker": BOB}
    assert "hear[bob] alice bob" in stated(said(Scope.DM, DM, **told))
    assert "hear[bob] alice bob p=tool" in stated(said(Scope.DM, TOOL, **told))
    assert "hear[bob] bob p=mods" in stated(said(Scope.CHANNEL_RESTRICTED, MODS, **told))
    assert "hear[bob] alice bob s=guild" in stated(said(Scope.GUILD_PUBLIC, GENERAL, **told))
    assert "hear[bob] bob" in stated(said(Scope.GLOBAL, DM, **told))
    assert "hear[bob] bob p=mods" in stated(said(Scope.GLOBAL, MODS, **told))
    assert "hear[bob] bob s=guild" in stated(said(Scope.PUBLIC, GENERAL, **told))
    assert "hear[bob] bob" in stated(said(Scope.PUBLIC, None, **told))
    no_space = Place(id="general", kind=PlaceKind.PUBLIC)
    assert "hear[bob] bob p=general" in stated(said(Scope.PUBLIC, no_space, **told))
    assert stated(said(Scope.GROUP, CHAT, **told)) == {
        "hear[bob] bob p=chat",
        "ask[bob] @p=chat bob w=chat#0",
        "ask[bob] @alone @p=chat",
    }
    by_agent = said(Scope.DM, DM, speaker=AGENT)
    assert stated(by_agent) == stated(said(Scope.DM, DM))


@pytest.mark.req("K1")
def test_without_an_owner_or_speaker_the_next_in_line_owns_the_clauses() -> None:
    nobody = {"owner": None, "speaker": None}
    assert stated(said(Scope.GLOBAL, DM, **nobody)) == {"hear[bot] *", "ask[bot] bot"}
    assert stated(said(Scope.GLOBAL, DM, owner=None)) == {"hear[alice] *", "ask[alice] alice"}
    assert "hear[bot] bot p=chat" in stated(said(Scope.GROUP, CHAT, **nobody))
    assert "hear[bob] bob p=chat" in stated(said(Scope.GROUP, CHAT, owner=BOB, speaker=None))


@pytest.mark.req("K6")
def test_every_subject_but_the_speaker_has_a_say() -> None:
    about = frozenset({ALICE, BOB})
    nobody = {"owner": None, "speaker": None}
    for origin, clause in [
        (said(Scope.SELF_ONLY, DM, subjects=about), "hear[bob] alice bob"),
        (said(Scope.DM, DM, subjects=about), "hear[bob] alice bob"),
        (said(Scope.CHANNEL_RESTRICTED, MODS, subjects=about), "hear[bob] alice bob p=mods"),
        (said(Scope.GROUP, CHAT, subjects=about), "hear[bob] alice bob p=chat"),
        (said(Scope.GUILD_PUBLIC, GENERAL, subjects=about), "hear[bob] alice bob s=guild"),
        (said(Scope.GLOBAL, DM, subjects=about), "hear[bob] alice bob"),
        (said(Scope.DM, DM, owner=None, subjects=about), "hear[bob] alice bob"),
        (said(Scope.DM, DM, subjects=about, **nobody), "hear[bob] bob"),
        (said(Scope.GROUP, CHAT, subjects=about, **nobody), "hear[bob] bob p=chat"),
        (said(Scope.GUILD_PUBLIC, GENERAL, subjects=about, **nobody), "hear[bob] bob s=guild"),
        (said(Scope.CHANNEL_RESTRICTED, DM, subjects=about), "hear[bob] alice bob"),
        (said(Scope.GROUP, DM, subjects=about), "hear[bob] alice bob"),
        (said(Scope.GUILD_PUBLIC, None, subjects=about), "hear[bob] alice bob"),
    ]:
        subjects_say = {c for c in stated(origin) if c.startswith("hear[bob]")}
        assert subjects_say == {clause}, origin
        by_alice = stated(replace(origin, subjects=frozenset({ALICE})))
        if origin.speaker == ALICE:
            assert by_alice == stated(replace(origin, subjects=frozenset()))


@pytest.mark.req("A9")
def test_who_joins_later_is_kept_out_of_what_was_said_about_them() -> None:
    about = said(
        Scope.GROUP, CHAT, epoch=2, subjects=frozenset({BOB}), joined_later=frozenset({BOB})
    )
    kept_out = "hear[alice] alice w=chat#2"
    assert kept_out in stated(about)
    assert "hear[bob] bob w=chat#2" in stated(replace(about, speaker=None, owner=BOB))
    assert "hear[bot] bot w=chat#2" in stated(replace(about, speaker=None, owner=None))
    assert kept_out not in stated(replace(about, joined_later=frozenset({CAROL})))
    assert kept_out not in stated(replace(about, is_portable=True))
    assert kept_out not in stated(replace(about, place=None))
    restricted = replace(about, scope=Scope.CHANNEL_RESTRICTED, place=MODS)
    assert not any("w=" in clause for clause in stated(restricted))


@pytest.mark.req("A7", "A8")
def test_careful_facts_are_for_their_insiders() -> None:
    personal = said(Scope.GLOBAL, CHAT, sensitivity=Sensitivity.PERSONAL)
    base = stated(replace(personal, sensitivity=Sensitivity.PUBLIC))
    assert stated(personal) - base == {"hear[alice] alice p=chat", "ask[alice] @alone @p=chat"}
    sensitive = replace(personal, sensitivity=Sensitivity.SENSITIVE)
    assert stated(sensitive) - base == {"hear[alice] alice", "ask[alice] @alone"}
    in_private = replace(personal, place=DM)
    assert stated(in_private) - base == {"hear[alice] alice", "ask[alice] @alone"}
    two = replace(sensitive, subjects=frozenset({BOB, CAROL}), present=frozenset({BOB}))
    added = stated(two) - stated(replace(two, sensitivity=Sensitivity.PUBLIC))
    assert added == {
        f"{clause}"
        for j in ("alice", "bob")
        for clause in (f"hear[{j}] alice bob", f"ask[{j}] alice bob", f"ask[{j}] @alone")
    }


@pytest.mark.req("A8", "K19")
def test_in_a_context_opened_for_it_its_participants_of_then_are_told() -> None:
    here = {
        "hear[alice] alice w=ctx:care#4",
        "ask[alice] @p=ctx:care alice",
        "ask[alice] @alone @p=ctx:care",
    }
    origin = said(Scope.GLOBAL, CARE, epoch=4, sensitivity=Sensitivity.SENSITIVE)
    base = {"hear[alice] *", "ask[alice] alice"}
    assert stated(origin) == here | base
    assert stated(replace(origin, sensitivity=Sensitivity.PERSONAL)) == here | base
    elsewhere = {"hear[alice] alice", "ask[alice] alice", "ask[alice] @alone"}
    assert stated(replace(origin, place=None)) == elsewhere | base
    unopened = replace(origin, owner=BOB, speaker=None, present=frozenset({CAROL}))
    assert stated(unopened) == {
        "hear[bob] *",
        "ask[bob] bob",
        "hear[bob] bob",
        "ask[bob] @alone",
    }
    opened = replace(unopened, present=frozenset({BOB}))
    assert "hear[bob] bob w=ctx:care#4" in stated(opened)


@pytest.mark.req("A8", "K18")
def test_insiders_are_owner_speaker_and_subjects_who_were_there() -> None:
    about = frozenset({BOB, CAROL})
    origin = said(Scope.DM, DM, subjects=about, present=frozenset({BOB, human("eve")}))
    assert insiders_of(origin) == {ALICE, BOB}
    assert insiders_of(replace(origin, owner=AGENT)) == {ALICE, BOB}
    agents = replace(origin, owner=AGENT, speaker=None)
    assert insiders_of(agents) == {BOB}
    assert insiders_of(replace(agents, present=frozenset())) == frozenset()
    assert insiders_of(replace(agents, subjects=frozenset({AGENT}))) == {AGENT}
    assert insiders_of(replace(agents, subjects=frozenset())) == {AGENT}
    nobodys = replace(agents, scope=Scope.PUBLIC, present=frozenset())
    silent = stated(replace(nobodys, sensitivity=Sensitivity.SENSITIVE))
    assert silent >= AGENT_ONLY


@pytest.mark.req("K3", "K18")
def test_what_the_agent_grants_of_its_own_it_has_agreed_to() -> None:
    grants = frozenset({atoms.entity(BOB), atoms.place("mods")})
    own = said(Scope.GRANTED, None, owner=AGENT, speaker=None, grants=grants)
    careful = replace(own, sensitivity=Sensitivity.SENSITIVE)
    assert stated(careful) - stated(own) == {"ask[bot] @alone @p=mods"}
    everyone = replace(careful, grants=frozenset({ANYONE}))
    assert "ask[bot] * @alone" in stated(everyone)
    told = replace(careful, speaker=ALICE)
    assert "hear[alice] alice" in stated(told)
    assert "ask[alice] @alone" in stated(told)


@pytest.mark.req("P1", "P2")
def test_a_workspace_is_its_owners() -> None:
    origin = said(Scope.DM, DM, namespace=Namespace("W", "track:1"))
    clause = "ask[alice] @n=human:alice@W@track:1"
    assert clause in stated(origin)
    assert stated(replace(origin, namespace=None)) == stated(origin) - {clause}
    assert not any("@n" in clause for clause in stated(replace(origin, owner=None)))


def test_a_subject_who_opted_out_leaves_it_to_the_speaker_alone() -> None:
    about = {"subjects": frozenset({BOB}), "objectors": frozenset({BOB, CAROL})}
    # The agent's: no consent that Bob gave before he objected relaxes them.
    added = {"hear[bot] alice", "ask[bot] alice", "ask[bot] @alone"}
    origin = said(Scope.PUBLIC, GENERAL, **about)
    assert stated(origin) - stated(replace(origin, objectors=frozenset())) == added
    unsaid = replace(origin, speaker=None)
    assert {"hear[bot] bot", "ask[bot] bot", "ask[bot] @alone"} <= stated(unsaid)


@pytest.mark.req("A12", "S21")
def test_what_travels_with_its_subject_ends_when_they_opt_out() -> None:
    bob = frozenset({BOB})
    origin = said(
        Scope.GUILD_PUBLIC,
        GENERAL,
        subjects=bob,
        present=bob,
        kind=Kind.PREFERENCE,
        is_portable=True,
    )
    added = {"hear[bot] alice", "ask[bot] alice", "ask[bot] @alone"}
    assert added <= stated(replace(origin, objectors=bob))


@pytest.mark.req("A11", "A12")
def test_lasting_public_traits_may_travel_with_their_subjects() -> None:
    def travels(**change: Any) -> bool:
        fields = {
            "subjects": frozenset({BOB}),
            "present": frozenset({BOB}),
            "kind": Kind.PREFERENCE,
            "is_portable": True,
        }
        origin = said(change.pop("scope", Scope.GUILD_PUBLIC), GENERAL, **(fields | change))
        return "ask[alice] @s=guild alice bob" in stated(origin)

    assert {kind for kind in Kind if travels(kind=kind)} == {
        "preference",
        "identity",
        "relationship",
    }
    assert not travels(is_portable=False)
    assert not travels(sensitivity=Sensitivity.PERSONAL)
    assert not travels(is_confidential=True)
    assert not travels(only_for=frozenset({atoms.entity(BOB)}))
    assert not travels(present=frozenset())
    assert travels(present=frozenset(), is_portable_confirmed=True)
    group = said(
        Scope.GROUP,
        CHAT,
        subjects=frozenset({BOB}),
        present=frozenset({BOB}),
        kind=Kind.IDENTITY,
        is_portable=True,
    )
    assert stated(group) == {
        "hear[alice] alice bob p=chat",
        "ask[alice] @p=chat alice bob w=chat#0",
        "ask[alice] @alone @p=chat",
        "hear[bob] alice bob p=chat",
    }
    restricted = replace(group, scope=Scope.CHANNEL_RESTRICTED, place=MODS)
    assert "ask[alice] alice" in stated(restricted)


@pytest.mark.req("K8")
def test_what_is_inherited_stays_as_it_was() -> None:
    chain = hear(Entity("si", "rex"), {atoms.entity(CAROL)})
    origin = said(Scope.PUBLIC, GENERAL, inherited=frozenset({chain}))
    assert label(origin).clauses == {hear(ALICE, {ANYONE}), chain}


def test_nothing_is_claimed_that_was_not_said() -> None:
    bare = Origin(agent=AGENT, scope=Scope.GROUP, owner=ALICE, speaker=ALICE, place=CHAT)
    assert bare == Origin(
        agent=AGENT,
        scope=Scope.GROUP,
        owner=ALICE,
        speaker=ALICE,
        place=CHAT,
        epoch=0,
        subjects=frozenset(),
        present=frozenset(),
        sensitivity=Sensitivity.SENSITIVE,
        kind=Kind.EVENT,
        namespace=None,
        grants=frozenset(),
        is_portable=False,
        is_portable_confirmed=False,
        joined_later=frozenset(),
        objectors=frozenset(),
        inherited=frozenset(),
    )


@pytest.mark.req("K10", "K16")
def test_who_carried_words_into_a_context_may_hear_them_and_their_source_and_subjects_expect_it() -> (
    None
):
    through = {"through": "tool", "epoch": 2}
    assert "hear[alice] alice p=ctx:care p=tool" in stated(said(Scope.GROUP, CARE, **through))
    about = stated(said(Scope.GROUP, CARE, subjects=frozenset({BOB}), **through))
    assert "hear[bob] alice bob p=ctx:care p=tool" in about
    granted = stated(said(Scope.GRANTED, CARE, subjects=frozenset({BOB}), **through))
    assert "hear[bob] alice bob p=ctx:care p=tool" in granted


@pytest.mark.req("K5", "A9")
def test_confidence_is_between_those_who_were_in_a_group_and_else_with_who_said_it() -> None:
    for place, scope, who in [
        (CHAT, Scope.GROUP, "alice #=chat#3"),
        (CARE, Scope.GROUP, "alice #=ctx:care#3"),
        (MODS, Scope.CHANNEL_RESTRICTED, "alice"),
        (GENERAL, Scope.GUILD_PUBLIC, "alice"),
        (DM, Scope.DM, "alice"),
    ]:
        made = stated(said(scope, place, is_confidential=True, epoch=3))
        names = sorted(who.split())
        assert any(
            clause.startswith("hear[alice] ") and sorted(_names(clause)) == names for clause in made
        ), (place, made)
    assert in_confidence(ALICE, None, 3) == hear(ALICE, {atoms.entity(ALICE)})


def _names(clause: str) -> list[str]:
    """As they are written, presences by room and epoch."""
    return [one.replace("w=", "#=") for one in clause.split(" ")[1:]]


@pytest.mark.req("B12")
def test_what_nobody_but_its_owner_hears_is_known_as_such() -> None:
    def alone(*terms: atoms.Atom, kind: Any = hear) -> bool:
        return is_for_owner_alone(Label(frozenset({kind(ALICE, set(terms))})), ALICE, AGENT)

    own, agent, bob = (atoms.entity(one) for one in (ALICE, AGENT, BOB))
    assert alone(own)
    assert alone(agent)
    assert alone(own, agent, atoms.place("human:alice/laptop"))
    assert not alone(own, bob)
    assert not alone(atoms.place("chat"))
    assert not alone(own, atoms.space("human:alice/laptop"))
    assert not alone(atoms.place("human:alicex"))
    assert not alone(own, kind=ask), "who may ask says nothing of who hears"
    both = Label(frozenset({hear(ALICE, {own}), ask(ALICE, {bob})}))
    assert is_for_owner_alone(both, ALICE, AGENT)
    assert not is_for_owner_alone(Label(), ALICE, AGENT)
