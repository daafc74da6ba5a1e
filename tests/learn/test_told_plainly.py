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
        "shes a vet and works with horses",
        "did someone eat my pastel de nata",
        "is the library the one with the fish tank",
        "imagine crying at a poem about teeth",
    ],
)
def test_questions_orders_jokes_and_unknown_people_leave_nothing(line: str) -> None:
    facts = BuiltinExtractor().extract([said("ok", by=BOB, id="m0"), said(line)])
    assert [one for one in facts if one.confidence >= 0.7] == []


@pytest.mark.req("S13")
@pytest.mark.parametrize(
    ("line", "text"),
    [
        (
            "my sister's 40th is on 14 november, do we do cake?",
            "My sister's 40th is on 14 november",
        ),
        ("29th then. Seven o'clock, the reading room", "29th then. Seven o'clock, the reading"),
        ("thanks. I have a stammer, and talks are hell", "I have a stammer, and talks are hell"),
    ],
)
def test_what_a_message_tells_is_kept_without_what_it_asks(line: str, text: str) -> None:
    (fact,) = BuiltinExtractor().extract([said(line)])
    assert fact.text.startswith(text)
    assert "cake" not in fact.text


@pytest.mark.req("S13")
def test_one_short_sentence_of_oneself_is_a_fact_and_no_event() -> None:
    (fact,) = BuiltinExtractor().extract([said("we keep the spare key with our neighbour Ilse")])
    assert fact.kind is not Kind.EVENT
    assert not fact.is_portable


@pytest.mark.req("S13")
@pytest.mark.parametrize("line", ["RexTobi77", "E-07"])
def test_a_name_or_number_is_an_answer_by_itself(line: str) -> None:
    asked = said("Does the display show anything?", by=AGENT, id="m0")
    assert [one.text for one in BuiltinExtractor().extract([asked, said(line)])] == [line]
    assert BuiltinExtractor().extract([said(line)]) == []


@pytest.mark.req("A5")
@pytest.mark.parametrize(
    ("line", "who"),
    [
        ("also kayla is allergic to cats, all of them", "kayla"),
        ("mrs hallam wants 40 rolls", "hallam"),
        ("@bob loves pizza", "@bob"),
        ("alicex has cancer", "alicex"),
    ],
)
def test_who_is_spoken_of_is_noticed_in_lower_case(line: str, who: str) -> None:
    (fact,) = BuiltinExtractor().extract([said(line)])
    assert fact.subjects == (who,)


@pytest.mark.req("S13")
def test_a_missing_apostrophe_and_a_spoiler_hide_nothing() -> None:
    (fact,) = BuiltinExtractor().extract([said("i cant eat gluten")])
    assert fact.confidence == 1.0
    facts = BuiltinExtractor().extract([said("||my ex is called Tom|| and he lives in Leeds")])
    assert len(facts) == 1
    assert "Tom" in facts[0].subjects


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
