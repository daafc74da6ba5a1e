"""What is due, who works on it, and what happens when it fails."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from confide import Confide
from confide.model import Entity, Fact, Message
from confide.remember.worker import MOST_ATTEMPTS

from .speaking import Verbatim, learn, say

ALICE = Entity.parse("human:alice")


class Broken:
    version = "broken-1"

    def extract(self, messages: Sequence[Message]) -> list[Fact]:
        raise ValueError(f"cannot read {messages[0].text}")


@pytest.mark.req("S12")
async def test_thirty_minutes_of_silence_are_noticed_also_after_a_restart(
    open_confide, clock
) -> None:
    async with open_confide() as before:
        assert not (await say(before, "I love oolong tea.")).is_due
        assert await before.learning.learn() == 0
    clock.advance(minutes=31)
    async with open_confide() as after:
        assert await after.learning.learn() == 1
        (session,) = await after.learning.sessions()
        assert (session.is_open, session.unlearned) == (False, 0)


@pytest.mark.req("S11")
async def test_after_silence_a_new_session_begins(confide: Confide, clock) -> None:
    await say(confide, "I love oolong tea.")
    clock.advance(minutes=31)
    await say(confide, "I love sencha.")
    newer, older = await confide.learning.sessions()
    assert (newer.message_count, newer.is_open) == (1, True)
    assert (older.message_count, older.is_open) == (1, False)


@pytest.mark.req("S12")
async def test_what_is_about_to_leave_the_history_is_learned_first(confide: Confide) -> None:
    await say(confide, "I love oolong tea.", place="group:tea")
    for n in range(19):
        await say(confide, f"Hm {n}", by=f"human:p{n}", place="group:tea")
    due = [job for job in await confide.learning.jobs() if job.speaker == ALICE]
    assert [job.due_because for job in due] == ["history"]


@pytest.mark.req("S12")
async def test_clocks_that_jump_lose_nothing(confide: Confide, clock) -> None:
    await say(confide, "I love oolong tea.")
    clock.advance(days=-3)
    await say(confide, "I love sencha.")
    clock.advance(days=400)
    await say(confide, "I love matcha.")
    clock.advance(days=-400)
    assert await confide.learning.learn() == 3


@pytest.mark.req("S13")
async def test_a_failing_extractor_is_retried_then_given_up_without_quoting_anyone(
    open_confide, caplog
) -> None:
    async with open_confide(retry_seconds=0, learn=False) as confide:
        await say(confide, "I love a secret tea")
        await confide.learning.make_due()
        worker = confide.learning.worker(extractor=Broken())
        await worker.drain()
        (job,) = await confide.learning.jobs()
        assert job.attempts == MOST_ATTEMPTS
        assert job.failed_because == "the extractor raised ValueError"
        assert "secret" not in caplog.text
        assert await confide.learning.left() == 0, "nobody waits for what was given up"
        assert await confide.learning.retry() == 1
        assert await learn(confide) == 1


@pytest.mark.req("S13")
async def test_an_answer_that_was_journaled_is_not_asked_for_again(confide: Confide) -> None:
    asked = 0

    class Counting(Verbatim):
        def extract(self, messages: Sequence[Message]) -> list[Fact]:
            nonlocal asked
            asked += 1
            return super().extract(messages)

    class Died(Exception):
        pass

    def die(step: str) -> None:
        if step == "journaled":
            raise Died

    await say(confide, "I love oolong tea.")
    await confide.learning.make_due()
    await confide.learning.worker(extractor=Counting(), step=die)._learn(  # the first worker dies
        await confide.learning.worker()._take()  # pyright: ignore[reportArgumentType]
    )
    async with confide.database.keep() as connection:
        await connection.execute("UPDATE confide.session SET try_after = '-infinity'")
        kept = await connection.fetchval("SELECT answer::text FROM confide.journal")
    assert "oolong" in kept
    await confide.learning.worker(extractor=Counting()).drain()
    assert asked == 1
    assert len(await confide.memories(ALICE)) == 1
    async with confide.database.keep() as connection:
        assert await connection.fetchval("SELECT answer FROM confide.journal") is None


@pytest.mark.req("S13")
@pytest.mark.parametrize(
    "wrong",
    [
        {"snippet": "never said"},
        {"message_id": "another"},
        {"speaker": Entity.parse("human:bob")},
        {"confidence": float("nan")},
        {"text": " "},
    ],
    ids=lambda wrong: next(iter(wrong)),
)
async def test_a_fact_that_nobody_said_is_void_and_the_others_stay(
    confide: Confide, wrong: dict
) -> None:
    from dataclasses import replace

    class Doubtful(Verbatim):
        def extract(self, messages: Sequence[Message]) -> list[Fact]:
            first, second = super().extract(messages)
            return [replace(first, **wrong), second]

    await say(confide, "I love oolong tea.")
    await say(confide, "I love sencha.")
    await confide.learning.make_due()
    await confide.learning.worker(extractor=Doubtful()).drain()
    assert [m.text for m in await confide.memories(ALICE)] == ["I love sencha."]


@pytest.mark.req("S12")
async def test_several_workers_share_the_work(open_confide) -> None:
    async with open_confide(learn=False) as one, open_confide(learn=False) as two:
        for n in range(40):
            await say(one, f"I own map {n}", by=f"human:p{n % 8}", place="group:maps")
        await one.learning.make_due()
        shares = await asyncio.gather(
            *(c.learning.worker(extractor=Verbatim()).drain() for c in (one, two, one, two))
        )
        assert sum(shares) == 40
        async with one.database.keep() as connection:
            assert await connection.fetchval("SELECT count(*) FROM confide.memory") == 40
            assert await connection.fetchval("SELECT max(source_count) FROM confide.memory") == 1


@pytest.mark.req("S12")
async def test_an_open_memory_learns_by_itself(open_confide) -> None:
    async with open_confide() as confide:
        confide.learning._worker.learning.settings.sweep_seconds = 0.1
        await say(confide, "remember that I love oolong tea")
        for _ in range(600):
            if await confide.memories(ALICE):
                break
            await asyncio.sleep(0.1)
        assert len(await confide.memories(ALICE)) == 1
