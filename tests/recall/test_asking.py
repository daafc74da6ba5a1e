"""What somebody asks in private changes nothing in what anybody else is told."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from confide import Confide, audience, statement
from confide.privacy.policy import Audience

from ..conftest import Clock
from .looking import found

ALICE, BOB = "human:alice", "human:bob"
ROOM, GROUP = "public:general@guild", "group:friends"
SAID = [
    ("I play the cello in the evening", "event"),
    ("I keep bees on the roof", "event"),
    ("I saw bees in the garden", "observation"),
    ("I like bees and honey", "preference"),
    ("Honey is made by bees", "knowledge"),
]
QUESTIONS = [
    "Who is Alice?",
    "bees",
    "Who keeps bees?",
    "What did Alice play?",
    "What's new?",
    "Who am I?",
]


async def everything(confide: Confide, who: Audience) -> list[Any]:
    """Ids, order, scores and the text for the model, of every question."""
    answers = [await confide.recall(question, who) for question in QUESTIONS]
    return [
        ([(t.memory.id, t.relevance, t.similarity) for t in one.memories], str(one))
        for one in answers
    ]


async def fill(confide: Confide, clock: Clock) -> None:
    for by in (ALICE, BOB):
        for text, kind in SAID:
            for place in (ROOM, GROUP):
                said = f"{text}, says {by[6:]} in {place[:6]}"
                lifetime = timedelta(days=900)
                present = [ALICE, BOB]
                await confide.remember(
                    statement(said, by=by, place=place, kind=kind, lifetime=lifetime, present=present)
                )  # fmt: skip
    clock.advance(days=200)


@pytest.mark.req("S14", "S23", "B7")
async def test_no_private_question_changes_anothers_answers(confide: Confide, clock: Clock) -> None:
    await fill(confide, clock)
    own = audience(BOB, "dm")
    company = [audience(BOB, ROOM), audience(BOB, GROUP), audience("human:eve", ROOM)]
    before = [await everything(confide, who) for who in company]
    assert all(any(told for told, _ in answers) for answers in before)
    # His own questions may strengthen what he hears alone, and nothing that others read along.
    await everything(confide, own)
    alone = await everything(confide, own)
    assert [await everything(confide, who) for who in company] == before
    for question in ("Who keeps bees?", "the cello", "Who am I?"):
        assert (await confide.recall(question, audience(ALICE, "dm"))).memories
    assert [await everything(confide, who) for who in company] == before
    assert await everything(confide, own) == alone


@pytest.mark.req("S14", "S26")
async def test_ones_own_questions_keep_a_memory_strong_where_one_is_alone(
    confide: Confide, clock: Clock
) -> None:
    await confide.remember(
        statement(
            "We watched the eclipse", by=ALICE, place=GROUP, present=[BOB], kind="event",
            lifetime=timedelta(days=900),
        )
    )  # fmt: skip
    clock.advance(days=90)
    question = "the eclipse"

    async def weight(who: Audience) -> float:
        ((one, weight),) = await found(confide, question, who, clock())
        return weight / one.relevance

    alone, *company = [audience(ALICE, "dm"), audience(ALICE, GROUP), audience(BOB, GROUP)]
    for who in (alone, *company):
        assert await weight(who) == pytest.approx(0.95, abs=1e-5)
    assert (await confide.recall(question, alone)).memories
    assert await weight(alone) == pytest.approx(1.0, abs=1e-5)
    for who in company:
        assert await weight(who) == pytest.approx(0.95, abs=1e-5)
