"""Many who write at once: nobody is refused because somebody else wrote the same."""

from __future__ import annotations

import asyncio

import asyncpg
import pytest

from confide import Confide, audience, statement
from confide.store.colliding import TRIES, tried_again


async def test_work_that_collides_is_tried_again_and_then_given_up() -> None:
    tries: list[int] = []

    @tried_again
    async def collide(until: int) -> str:
        tries.append(1)
        if len(tries) < until:
            raise asyncpg.DeadlockDetectedError
        return "done"

    assert await collide(3) == "done"
    tries.clear()
    with pytest.raises(asyncpg.DeadlockDetectedError):
        await collide(99)
    assert len(tries) == TRIES


async def test_many_remember_in_new_rooms_at_once_and_all_is_kept(confide: Confide) -> None:
    people = [f"human:p{n}" for n in range(6)]

    async def talk(n: int) -> None:
        order = people[n % 6 :] + people[: n % 6]
        batch = [
            statement(f"Plan {n} of {who}", by=who, place=f"group:r{i % 3}", about=order[:2])
            for i, who in enumerate(order)
        ]
        for kept in await confide.remember_all(batch):
            assert not isinstance(kept, Exception)

    await asyncio.gather(*(talk(n) for n in range(12)))
    found = await confide.recall("what is plan 3?", audience("human:p0", "group:r0"))
    assert found.memories


async def test_an_owners_questions_at_the_same_time_do_not_block_each_other(open_confide) -> None:
    async with open_confide(top_k=50, similarity=-1, pool_size=8) as confide:
        for n in range(30):
            await confide.remember(statement(f"Plan number {n}", by="human:alice", place="dm"))
        own = audience("human:alice", "dm")
        questions = [f"what is plan number {n % 30}?" for n in range(120)]
        found = await asyncio.gather(*(confide.recall(question, own) for question in questions))
        assert all(context.memories for context in found)
