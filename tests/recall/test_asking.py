"""What somebody asks in private changes nothing in what anybody else is told."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from confide import Confide, audience, statement
from confide.privacy.policy import Audience

from ..conftest import Clock

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
    rooms = [audience(BOB, place) for place in (ROOM, GROUP, "dm")] + [audience("human:eve", ROOM)]
    before = [await everything(confide, who) for who in rooms]
    assert all(any(told for told, _ in answers) for answers in before)
    for question in ("Who keeps bees?", "the cello", "Who am I?"):
        assert (await confide.recall(question, audience(ALICE, "dm"))).memories
    assert [await everything(confide, who) for who in rooms[:2]] == before[:2]
    assert await everything(confide, rooms[3]) == before[3]
    # Nor his own in company, where others read along.
    assert (await confide.recall("bees", audience(BOB, "dm"))).memories
    assert [await everything(confide, who) for who in rooms[:2]] == before[:2]


@pytest.mark.req("S14", "S26")
async def test_ones_own_questions_keep_a_memory_strong_for_oneself(
    confide: Confide, clock: Clock
) -> None:
    for number in range(2):
        text = f"We watched eclipse number {number} together"
        await confide.remember(
            statement(text, by=ALICE, place=GROUP, kind="event", lifetime=timedelta(days=900))
        )
        clock.advance(days=1)
    clock.advance(days=200)
    own, question = audience(ALICE, "dm"), "Which eclipse did we watch together?"

    async def order(who: Audience) -> list[str]:
        found = (await confide.recall(question, who)).memories
        return [told.memory.text[-10:-9] for told in found]

    others = await order(audience(BOB, GROUP))
    assert len(others) == 2
    await confide.recall("number 0", own)
    assert (await order(own))[0] == "0"
    assert await order(audience(BOB, GROUP)) == others
