"""Who may act: the whole product of acts, callers and relations."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest
from tools.acting_page import page

from confide.actor import Actor, ruling
from confide.model import Entity
from confide.privacy import acting
from confide.privacy.acting import MODELS, PEOPLE, SAYS, Act, CallerKind, Relation, Verdict, may

WORLD = [*product(Act, CallerKind, Relation)]
#: What lets somebody be told more than before, or cannot be undone (B12).
WIDENING = {
    Act.CONSENT, Act.GRANT, Act.BROADCAST, Act.EVERYWHERE, Act.OPEN_CONNECTION, Act.OPEN_INSIGHT,
    Act.FREE_OWN, Act.FREE, Act.CONFIRM_MERGE, Act.RESTORE, Act.OPT_IN, Act.PROTECT, Act.ERASE,
    Act.ERASE_ANY, Act.CORRECT, Act.CONFIRM_CLAIM, Act.OPEN_CONTEXT, Act.CHOOSE_MODEL,
}  # fmt: skip
NARROWING = {Act.FORGET, Act.WITHDRAW, Act.NARROW, Act.OPT_OUT, Act.SPLIT}


def yes(act: Act, caller: CallerKind) -> set[Relation]:
    return {one for one in Relation if may(act, caller, one).verdict is Verdict.YES}


def ask(act: Act, caller: CallerKind) -> set[Relation]:
    return {one for one in Relation if may(act, caller, one).verdict is Verdict.ASK}


def test_every_question_has_an_answer_with_a_reason() -> None:
    assert len(WORLD) == len(Act) * 11 * 7
    for act, caller, relation in WORLD:
        verdict, reason = may(act, caller, relation)
        assert verdict in Verdict
        assert SAYS[caller] in reason or "only" in reason or "somebody else" in reason


def test_every_act_has_a_row_and_everything_else_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert set(acting.TABLE) == set(Act)
    monkeypatch.setattr(acting, "TABLE", {})
    assert {may(*one).verdict for one in WORLD} == {Verdict.NO}


@pytest.mark.req("B12")
def test_what_a_model_may_hold_widens_nothing() -> None:
    for act, caller, relation in product(WIDENING, MODELS, Relation):
        assert may(act, caller, relation).verdict is not Verdict.YES, (act, caller, relation)


@pytest.mark.req("B12")
def test_what_a_person_may_widen_their_key_may_ask_for() -> None:
    for act in WIDENING - {Act.ERASE_ANY, Act.BROADCAST, Act.FREE, Act.OPEN_CONTEXT}:
        by_themselves = yes(act, CallerKind.PLATFORM) & {Relation.OWNER}
        assert by_themselves <= ask(act, CallerKind.PERSONAL), act
        assert by_themselves <= ask(act, CallerKind.TOKEN), act


def test_the_agent_consents_to_nothing_and_else_is_as_a_personal_key() -> None:
    for act, relation in product(set(Act) - {Act.CONSENT}, Relation):
        assert may(act, CallerKind.AGENT, relation)[0] is may(act, CallerKind.PERSONAL, relation)[0]
    assert {may(Act.CONSENT, CallerKind.AGENT, one).verdict for one in Relation} == {Verdict.NO}


def test_a_signed_in_person_is_as_one_a_platform_attests_and_attests_nobody() -> None:
    of_others = (Act.ATTEST, Act.APPOINT_GUARDIAN, Act.NAME, Act.OPEN_CONTEXT)
    # No session begets another.
    attesting = {(act, Relation.NONE) for act in of_others} | {(Act.SIGN_IN, Relation.OWNER)}
    for act, relation in {*product(Act, Relation)} - attesting:
        by_platform = may(act, CallerKind.PLATFORM, relation)[0]
        assert may(act, CallerKind.SIGNED_IN, relation)[0] is by_platform, (act, relation)
    for act, relation in attesting:
        assert may(act, CallerKind.SIGNED_IN, relation).verdict is Verdict.NO


def test_a_program_attests_as_a_platform_does_and_is_not_the_operator() -> None:
    for act, relation in product(Act, Relation):
        by_platform = may(act, CallerKind.PLATFORM, relation)[0]
        assert may(act, CallerKind.PROGRAM, relation)[0] is by_platform, (act, relation)
    assert not yes(Act.MAKE_KEY, CallerKind.PROGRAM)


@pytest.mark.req("K17")
def test_as_nobody_in_particular_no_words_are_read_and_nobody_consents() -> None:
    words = {Act.READ_OWN, Act.READ_HELD, Act.CONSENT, Act.FREE, Act.FREE_OWN, Act.CORRECT}
    for act, caller in product(words, CallerKind):
        assert may(act, caller, Relation.NONE).verdict is Verdict.NO, (act, caller)


@pytest.mark.req("K17")
def test_in_somebodys_name_nobody_does_what_is_nothing_to_them() -> None:
    eve = Entity.parse("human:eve")
    for act, caller in product(set(Act) - acting.OF_ANYBODY, CallerKind):
        assert ruling(act, Actor(eve, caller), Relation.NONE).verdict is Verdict.NO, (act, caller)
        as_nobody = ruling(act, Actor(None, caller), Relation.NONE)
        assert as_nobody == may(act, caller, Relation.NONE)


def test_the_operator_in_a_browser_sees_reviews_and_breaks_glass_and_nothing_else() -> None:
    allowed = {act for act in Act if yes(act, CallerKind.CONSOLE)}
    assert allowed == {
        Act.READ_LABELS, Act.READ_NUMBERS, Act.NARROW, Act.DECIDE_REQUEST, Act.REFUSE_INSIGHT,
        Act.BREAK_GLASS, Act.TEND, Act.TAKE_BACK,
    }  # fmt: skip
    for act in allowed:
        assert yes(act, CallerKind.CONSOLE) == {Relation.NONE}, act
    assert not any(ask(act, CallerKind.CONSOLE) for act in Act)


def test_only_a_platform_and_the_command_line_make_links_to_sign_in() -> None:
    makers = {CallerKind.PLATFORM, CallerKind.OPERATOR, CallerKind.PROGRAM}
    assert {caller for caller in CallerKind if yes(Act.SIGN_IN, caller)} == makers
    for caller in makers - {CallerKind.OPERATOR}:
        assert yes(Act.SIGN_IN, caller) == {Relation.OWNER}, "for their own person"


def test_an_auditor_sees_labels_and_numbers_and_does_nothing() -> None:
    allowed = {act for act in Act if yes(act, CallerKind.AUDITOR) or ask(act, CallerKind.AUDITOR)}
    assert allowed == {Act.READ_LABELS, Act.READ_NUMBERS}


def test_an_admin_key_restores_only_what_it_erased_itself_and_erases_nothing_for_good() -> None:
    assert yes(Act.RESTORE, CallerKind.ADMIN) == {Relation.OWNER}
    assert not yes(Act.ERASE, CallerKind.ADMIN) | yes(Act.ERASE_ANY, CallerKind.ADMIN)
    widened = {act for act in WIDENING - {Act.RESTORE} if yes(act, CallerKind.ADMIN)}
    assert not widened


def test_background_work_learns_and_narrows() -> None:
    done = {act for act in Act if yes(act, CallerKind.BACKGROUND)}
    assert Act.LEARN in done
    assert done - {Act.LEARN, Act.TEND} <= NARROWING
    assert not any(ask(act, CallerKind.BACKGROUND) for act in Act)


@pytest.mark.req("P6")
def test_nobody_frees_their_own_words_for_others() -> None:
    for caller in CallerKind:
        assert yes(Act.FREE, caller) <= {Relation.REVIEWER, Relation.CHAT_ADMIN}
        assert yes(Act.FREE_OWN, caller) <= {Relation.OWNER}


@pytest.mark.req("A6")
def test_who_is_concerned_forgets_and_so_does_an_admin_of_the_chat() -> None:
    for caller in PEOPLE:
        concerned = yes(Act.FORGET, caller) - {Relation.NONE}
        assert concerned == {
            Relation.OWNER, Relation.SPEAKER, Relation.SUBJECT, Relation.GUARDIAN,
            Relation.CHAT_ADMIN,
        }  # fmt: skip


def test_everyone_for_whom_something_is_done_can_narrow_it() -> None:
    for act in (Act.FORGET, Act.WITHDRAW, Act.OPT_OUT, Act.SPLIT):
        for caller in (*PEOPLE, *MODELS):
            assert Relation.OWNER in yes(act, caller), (act, caller)


def test_the_page_in_the_docs_is_made_from_the_table() -> None:
    written = Path(__file__).parents[2] / "docs" / "acting.md"
    assert written.read_text() == page(), "run: python tools/acting_page.py docs/acting.md"


def test_a_caller_can_ever_do_what_some_relation_lets_them_do_by_themselves() -> None:
    for act, caller in product(Act, CallerKind):
        assert acting.can_ever(act, caller) == bool(yes(act, caller)), (act, caller)
