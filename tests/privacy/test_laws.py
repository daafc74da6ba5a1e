"""The laws of the rule, by name, on random worlds."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from math import sqrt
from random import Random

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from tests.chance import chance
from tests.privacy import strategies as some
from tests.privacy.facts import AGENT, NOW, human
from tests.privacy.strategies import Meeting
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

ROUNDS = settings(max_examples=60, deadline=None)
#: Cheap to make, and each says more.
MANY = settings(max_examples=500, deadline=None)
#: Enough to tell a share of 3 % from one of 1 %.
MEETINGS = 6000
NOBODY = Label(frozenset({hear(human("x"), set())}))


@pytest.mark.drawn
def test_random_meetings_end_one_way_about_as_often_as_the_other() -> None:
    """A law about labels that nobody is ever told, or everyone, would say nothing."""
    told = consent_changes = 0
    for number in range(MEETINGS):
        drawn = chance(number)
        label, audience, world = some.random_meeting(drawn)
        before = decide(label, audience, world).told
        agreed = apply_consents(label, [consents_to(label, some.random_consent(drawn))], {})
        told += before
        consent_changes += decide(agreed, audience, world).told != before
    assert_share(told, above=0.2, below=0.8)
    assert_share(consent_changes, above=0.01)


def assert_share(count: int, *, above: float, below: float = 1.0) -> None:
    """By a margin of five standard deviations: by chance it fails once in three million seeds."""
    share = count / MEETINGS
    margin = 5 * sqrt(share * (1 - share) / MEETINGS)
    assert above + margin < share < below - margin, (share, margin)


def consents_to(label: Label, consent: Consent) -> Consent:
    """The same by somebody who can relax a clause of this label."""
    return replace(consent, grantor=min(clause.owner for clause in label.clauses))


@pytest.mark.req("S2", "B2")
@MANY
@given(some.meetings(), some.viewers)
def test_more_viewers_never_reveal_more(meeting: Meeting, another: Viewer) -> None:
    one, audience, world = meeting
    assume(listeners_of(audience, world))  # beside the agent somebody listens already
    wider = replace(audience, viewers=audience.viewers | {another})
    assert decide(one, audience, world).told or not decide(one, wider, world).told


@pytest.mark.req("B2")
@MANY
@given(some.meetings(), some.clauses)
def test_adding_a_clause_never_reveals_more(meeting: Meeting, clause: Clause) -> None:
    one, audience, world = meeting
    narrower = Label(one.clauses | {clause})
    assert decide(one, audience, world).told or not decide(narrower, audience, world).told


@pytest.mark.req("S8", "B2")
@MANY
@given(some.meetings(), st.lists(st.integers(0, 2**32), max_size=2))
def test_union_is_told_exactly_where_every_source_is(meeting: Meeting, seeds: list[int]) -> None:
    one, audience, world = meeting
    sources = [one, *(some.label_for(audience, world, Random(seed)) for seed in seeds)]
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
@MANY
@given(some.meetings(), st.lists(some.consents, max_size=3), some.consents)
def test_withdrawing_undoes_consenting(
    meeting: Meeting, others: list[Consent], another: Consent
) -> None:
    """Whether it is taken back or lapses, whatever else was agreed to meanwhile."""
    base, audience, world = meeting
    one = consents_to(base, another)
    assume(one not in others)
    given = [one]
    before = decide(base, audience, world)
    agreed = apply_consents(base, given, {})
    assert {c.owner for c in agreed.clauses} == {c.owner for c in base.clauses}
    given += others
    given.remove(one)
    left = decide(apply_consents(base, given, {}), audience, world)
    assert others or left == before
    lapsed = replace(one, until=NOW)
    again = apply_consents(base, [*others[:1], lapsed, *others[1:]], {})
    assert decide(again, audience, world).told == left.told


@pytest.mark.req("K5")
@MANY
@given(some.meetings(), st.lists(some.consents, max_size=3))
def test_consent_only_widens_and_its_order_changes_nothing(
    meeting: Meeting, others: list[Consent]
) -> None:
    one, audience, world = meeting
    agreed = [consents_to(one, consent) for consent in others[:1]] + others[1:]
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
@MANY
@given(some.meetings(), some.consents)
def test_consent_for_a_purpose_counts_only_where_it_is_named(
    meeting: Meeting, another: Consent
) -> None:
    one, audience, world = meeting
    consent = consents_to(one, another)
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
@MANY
@given(some.meetings())
def test_the_minimal_clauses_decide_like_the_label(meeting: Meeting) -> None:
    one, audience, world = meeting
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
