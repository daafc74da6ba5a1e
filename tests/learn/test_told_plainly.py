"""What people plainly tell is kept in their own words; what they ask, order or take back is not."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from tests.extract.speech import AGENT, BOB, said
from tests.learn.speaking import say

from confide import Confide, Entity, Kind
from confide.language.attributes import stated_by_speaker
from confide.providers.builtin import BuiltinExtractor

ALICE = Entity("human", "alice")


@pytest.mark.req("S13")
@pytest.mark.parametrize(
    "line",
    [
        "ich hätte gern einen hund, aber der vermieter sagt nein",
        "veggie for us on saturdays, we gag on mushrooms",
    ],
)
def test_a_plain_sentence_is_an_event_in_the_persons_own_words(line: str) -> None:
    (fact,) = BuiltinExtractor().extract([said(line)])
    assert fact.snippet == line
    assert (fact.kind, fact.confidence) == (Kind.EVENT, 1.0)
    assert (fact.is_global_safe, fact.is_portable, fact.is_about_answering) == (False,) * 3


@pytest.mark.req("S13")
@pytest.mark.parametrize(
    "line",
    [
        "what time is it in chile rn",
        "whats the difference between a mutex and a semaphore",
        "write me a regex for iso dates",
        "can u make the tide thing a cron",
        "i quit my job to fight greydwarfs. jk",
        "he takes care of her at home",
    ],
)
def test_questions_orders_jokes_and_unknown_people_leave_nothing(line: str) -> None:
    facts = BuiltinExtractor().extract([said("ok", by=BOB, id="m0"), said(line)])
    assert [one for one in facts if one.confidence >= 0.7] == []


@pytest.mark.req("S11")
def test_an_answer_is_kept_without_the_agents_question() -> None:
    asked = said("You mentioned your divorce. What is left to do?", by=AGENT, id="m0")
    (fact,) = BuiltinExtractor().extract([asked, said("chapter four and the discussion")])
    assert "divorce" not in fact.text + fact.snippet
    assert fact.also_from == ()


@pytest.mark.req("S10")
@pytest.mark.parametrize(
    "line",
    [
        "could you keep your answers short with me please?",
        "always give references with DOI when you cite something.",
    ],
)
def test_a_standing_wish_is_about_answering(line: str) -> None:
    (fact,) = BuiltinExtractor().extract([said(line)])
    assert fact.is_about_answering
    assert fact.kind is Kind.PREFERENCE


@pytest.mark.req("S5")
def test_a_handle_keeps_its_last_underscore() -> None:
    (stated,) = stated_by_speaker("my ign is PalaPaco_")
    assert stated.attribute.value == "PalaPaco_"
    (stated,) = stated_by_speaker("_my ign is PalaPaco_")
    assert stated.attribute.value == "PalaPaco"


@pytest.mark.req("A1")
async def test_a_lifetime_counts_from_the_day_on_which_something_happens(confide: Confide) -> None:
    await say(confide, "I'm moving to Lyon on 20 May 2026 with my sister Anna")
    await confide.learning.learn(is_everything=True)
    (memory,) = await confide.memories(ALICE)
    assert memory.expires_at is not None
    day = datetime(2026, 5, 20, tzinfo=memory.expires_at.tzinfo)
    assert memory.expires_at > day + timedelta(days=1)
