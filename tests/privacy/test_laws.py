"""The laws of the rule, by name, on random worlds."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from tests.privacy import strategies as some
from tests.privacy.facts import AGENT, NOW, human
from tests.privacy.tellable import Note

from confide.model import Entity, PlaceKind
from confide.privacy.atoms import ANYONE
from confide.privacy.consent import Consent, apply_consents
from confide.privacy.disclosure import disclose
from confide.privacy.labels import Origin, hear, label
from confide.privacy.policy import (
    Audience,
    Clause,
    Label,
    Term,
    Viewer,
    World,
    decide,
    listeners_of,
    minimal,
    union,
)

ROUNDS = settings(max_examples=60, deadline=None, derandomize=True)
NOBODY = Label(frozenset({hear(human("x"), set())}))


@pytest.mark.req("S2", "B2")
@ROUNDS
@given(some.labels, some.audiences(), some.viewers, some.worlds())
def test_more_viewers_never_reveal_more(
    one: Label, audience: Audience, another: Viewer, world: World
) -> None:
    assume(listeners_of(audience, world))  # beside the agent somebody listens already
    wider = replace(audience, viewers=audience.viewers | {another})
    assert decide(one, audience, world).told or not decide(one, wider, world).told


@pytest.mark.req("B2")
@ROUNDS
@given(some.labels, some.clauses, some.audiences(), some.worlds())
def test_adding_a_clause_never_reveals_more(
    one: Label, clause: Clause, audience: Audience, world: World
) -> None:
    narrower = Label(one.clauses | {clause})
    assert decide(one, audience, world).told or not decide(narrower, audience, world).told


@pytest.mark.req("S8", "B2")
@ROUNDS
@given(st.lists(some.labels, min_size=1, max_size=3), some.audiences(), some.worlds())
def test_union_is_told_exactly_where_every_source_is(
    sources: list[Label], audience: Audience, world: World
) -> None:
    each = all(decide(one, audience, world).told for one in sources)
    assert decide(union(sources), audience, world).told == each


@pytest.mark.req("K4")
@ROUNDS
@given(st.lists(some.labels, max_size=2), some.audiences(), some.worlds())
def test_a_source_without_a_label_silences_what_is_derived(
    sources: list[Label], audience: Audience, world: World
) -> None:
    assert not decide(union([*sources, Label()]), audience, world).told


@pytest.mark.req("K4", "S7")
@ROUNDS
@given(some.labels, some.audiences(), some.worlds())
def test_what_is_empty_or_unknown_is_not_told(one: Label, audience: Audience, world: World) -> None:
    assert not decide(Label(), audience, world).told
    assert not decide(one, replace(audience, viewers=frozenset()), world).told
    nowhere = replace(audience.place, kind=PlaceKind.UNKNOWN)
    assert not decide(one, replace(audience, place=nowhere), world).told
    if listeners_of(audience, world):  # alone the agent may reason over all it holds
        for clause in one.clauses:
            emptied = clause._replace(terms=frozenset[Term]())
            assert not decide(Label(one.clauses | {emptied}), audience, world).told


@pytest.mark.req("K18")
@ROUNDS
@given(some.labels, some.worlds(), some.entities)
def test_only_the_agent_itself_is_told_all_when_it_alone_will_see_the_answer(
    one: Label, world: World, asker: Entity
) -> None:
    place = replace(some.direct(asker))
    seen = Audience(asker=asker, place=place, viewers=frozenset({AGENT}))
    assert decide(one, seen, world).told == (asker == AGENT)


@pytest.mark.req("K11", "K5")
@ROUNDS
@given(
    some.origins(),
    st.lists(some.consents, max_size=3),
    some.consents,
    some.audiences(),
    some.worlds(),
)
def test_withdrawing_undoes_consenting(
    origin: Origin, others: list[Consent], one: Consent, audience: Audience, world: World
) -> None:
    base = label(origin)
    before = apply_consents(base, others, {})
    agreed = apply_consents(base, [*others, one], {})
    assert apply_consents(base, others, {}) == before
    assert {c.owner for c in agreed.clauses} == {c.owner for c in base.clauses}
    lapsed = replace(one, until=NOW)
    without = decide(before, audience, world).told
    assert decide(apply_consents(base, [*others, lapsed], {}), audience, world).told == without


@pytest.mark.req("K5")
@ROUNDS
@given(some.labels, st.lists(some.consents, max_size=3), some.audiences(), some.worlds())
def test_consent_only_widens_and_its_order_changes_nothing(
    one: Label, agreed: list[Consent], audience: Audience, world: World
) -> None:
    widened = apply_consents(one, agreed, {})
    assert widened == apply_consents(one, reversed(agreed), {})
    assert decide(widened, audience, world).told or not decide(one, audience, world).told


@pytest.mark.req("K5", "K6")
@ROUNDS
@given(some.labels, some.consents)
def test_only_its_owner_can_relax_a_clause(one: Label, consent: Consent) -> None:
    kept = {c for c in one.clauses if c.owner != consent.grantor}
    assert kept <= apply_consents(one, [consent], {}).clauses
    stranger = replace(consent, grantor=human("nobody-here"))
    assert apply_consents(one, [stranger], {}) == one


@pytest.mark.req("K11")
@ROUNDS
@given(some.labels, some.consents, some.audiences(), some.worlds())
def test_consent_for_a_purpose_counts_only_where_it_is_named(
    one: Label, consent: Consent, audience: Audience, world: World
) -> None:
    agreed = apply_consents(one, [replace(consent, purpose="mending")], {})
    assert decide(agreed, audience, world).told == decide(one, audience, world).told


@pytest.mark.req("B3")
@ROUNDS
@given(some.labels, some.audiences(at_least=0), some.worlds())
def test_every_decision_says_why(one: Label, audience: Audience, world: World) -> None:
    decision = decide(one, audience, world)
    assert decision.because
    assert decision.clause is None or (decision.clause in one.clauses and not decision.told)


@pytest.mark.req("B2")
@ROUNDS
@given(some.labels, some.audiences(), some.worlds())
def test_the_minimal_clauses_decide_like_the_label(
    one: Label, audience: Audience, world: World
) -> None:
    bare = minimal(one)
    assert bare
    again = Label(frozenset(Clause(kind, human("x"), terms) for kind, terms in bare))
    assert decide(again, audience, world).told == decide(one, audience, world).told


@ROUNDS
@given(some.labels)
def test_no_minimal_clause_is_implied_by_another(one: Label) -> None:
    bare = minimal(one)
    assert not any(a < b for kind, a in bare for other, b in bare if kind == other)


@pytest.mark.req("K4", "S7")
@ROUNDS
@given(some.origins())
@example(Origin(agent=AGENT, scope="made up", owner=None, speaker=None, place=None))  # type: ignore[arg-type]
def test_whatever_is_said_gets_a_label_that_asks_of_its_hearers(origin: Origin) -> None:
    made = label(origin)
    assert any(clause.kind.value == "hear" for clause in made.clauses)
    assert origin.inherited <= made.clauses


@pytest.mark.req("A7")
@ROUNDS
@given(some.origins(), some.audiences(), some.worlds())
def test_being_more_careful_never_reveals_more(
    origin: Origin, audience: Audience, world: World
) -> None:
    public, personal, sensitive = (
        decide(label(replace(origin, sensitivity=s, is_portable=False)), audience, world).told
        for s in some.Sensitivity
    )
    assert public or not personal
    assert public or not sensitive


@pytest.mark.req("P4", "A1")
@ROUNDS
@given(some.audiences(), some.worlds())
def test_only_what_is_alive_is_disclosed(audience: Audience, world: World) -> None:
    everyone = Label(frozenset({hear(human("x"), {ANYONE})}))
    notes = [Note(everyone, status=status) for status in some.STATUSES]
    notes += [Note(everyone, expires_at=NOW + timedelta(seconds=s)) for s in (-1, 0, 1)]
    notes += [Note(everyone, is_opted_out=True), Note(Label()), Note(NOBODY)]
    disclosed = disclose(notes, audience, world)
    alive = [n for n in notes if n.is_alive(world.now)]
    right = [n for n in alive if decide(n.label, audience, world).told]
    assert list(disclosed.told) == right
    assert [n for n, _ in disclosed.withheld] == [n for n in notes if n not in right]
    assert all(why.because and not why.told for _, why in disclosed.withheld)
