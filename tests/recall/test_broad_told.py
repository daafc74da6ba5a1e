"""Broad questions through the whole recall: what they bring, how it is ordered and scored."""

from __future__ import annotations

from datetime import timedelta

import pytest

from confide import Confide, audience, statement
from confide.model import Trust
from confide.recall.ranking import MIX, weigh

from ..conftest import Clock
from .looking import found as finding

pytestmark = pytest.mark.req("S31")
BOB, OWN = "human:bob", audience("human:bob", "dm")


async def told(confide: Confide, question: str) -> list[str]:
    return [one.memory.text for one in (await confide.recall(question, OWN)).memories]


async def tell(confide: Confide, *said: tuple[str, str], **more) -> None:
    for text, kind in said:
        await confide.remember(statement(text, by=BOB, place="dm", kind=kind, **more))


@pytest.mark.parametrize(
    "question",
    ["what am I working on right now?", "what are my projects?", "What's on my plate today?"],
)
async def test_other_sorts_stay_away_if_something_of_the_wanted_sort_is_known(
    confide: Confide, question: str
) -> None:
    await tell(
        confide,
        ("My brother Tom lives in Oslo", "relationship"),
        ("I am a welder from Ghent", "identity"),
        ("The bridge is closed", "knowledge"),
        ("I am building a boat until May", "task"),
    )
    assert await told(confide, question) == ["I am building a boat until May"]


async def test_other_sorts_are_told_if_they_have_the_word_that_is_asked_for(
    confide: Confide,
) -> None:
    await tell(
        confide,
        ("I am building a boat until May", "task"),
        ("My projects are late", "knowledge"),
        ("The bridge is closed", "knowledge"),
    )
    assert set(await told(confide, "what are my projects?")) == {
        "I am building a boat until May", "My projects are late",
    }  # fmt: skip


async def test_knowledge_is_told_if_nothing_of_the_wanted_sort_is_known(confide: Confide) -> None:
    await tell(confide, ("The bridge is closed", "knowledge"), ("I like tea", "preference"))
    assert await told(confide, "what are my projects?") == ["The bridge is closed"]
    assert await told(confide, "Who are my friends?") == []


async def test_what_one_does_is_asked_in_so_many_words(confide: Confide) -> None:
    await tell(confide, ("I am a welder from Ghent", "identity"), ("I like tea", "preference"))
    assert await told(confide, "what do I do?") == ["I am a welder from Ghent"]


@pytest.mark.req("S14")
async def test_what_a_broad_question_brings_is_scored_and_weighed_like_anything_else(
    confide: Confide, clock: Clock
) -> None:
    await tell(confide, ("I met Ann", "event"), lifetime=timedelta(days=900))
    clock.advance(days=90)
    await tell(confide, ("I met Cy", "event"), ("I met Di", "event"), lifetime=timedelta(days=900))
    found = await finding(confide, "Who am I?", OWN, clock())
    assert len(found) == 3
    assert found[2][0].row["text"] == "I met Ann"
    for (one, weight), strength in zip(found, (1.0, 1.0, 0.5), strict=True):
        meant = MIX.meaning * max(0.0, one.similarity)
        relevance = MIX.own + MIX.window + MIX.name * (1 - 3 / 4) + meant
        assert one.relevance == pytest.approx(relevance, abs=1e-5)
        expected = weigh(one.relevance, strength=strength, confidence=1.0, trust=Trust.SAID)
        assert weight == pytest.approx(expected, abs=1e-6)


async def test_among_equals_the_newest_comes_first(confide: Confide, clock: Clock) -> None:
    places = ["group:a", "group:b", "dm", "group:c"]
    for place in places:
        await confide.remember(statement("I like tea", by=BOB, place=place, kind="preference"))
        clock.advance(days=1)
    found = await finding(confide, "What do I like?", OWN, clock(), top_k=3)
    assert len({weight for _, weight in found}) == 1
    said = [one.row["said_at"] for one, _ in found]
    assert said == sorted(said, reverse=True)
    assert (clock() - said[0]).days == 1
