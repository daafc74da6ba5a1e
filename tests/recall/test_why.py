"""The access log: what an answer was based on, and when a memory was told."""

from __future__ import annotations

import pytest

from confide import Confide, Entity, audience, operator_as, statement
from confide.errors import NotFound

ALICE, BOB = Entity("human", "alice"), Entity("human", "bob")
ROOM = "group:friends"
QUESTION = "who keeps bees on the roof?"


async def bees(confide: Confide):
    return await confide.remember(
        statement("Alice keeps bees on the roof", by=ALICE, place=ROOM, present=[BOB])
    )


@pytest.mark.req("S23", "S27")
async def test_the_agent_can_say_what_its_last_answer_was_based_on(confide: Confide) -> None:
    memory = await bees(confide)
    asked = audience(BOB, ROOM)
    assert (await confide.why(asked)).memories == ()
    await confide.recall(QUESTION, asked)
    assert [m.id for m in (await confide.why(asked)).memories] == [memory.id]
    assert (await confide.why(audience(ALICE, ROOM))).memories == ()


@pytest.mark.req("S23", "B7")
async def test_why_tells_nothing_that_may_no_longer_be_told(confide: Confide) -> None:
    memory = await bees(confide)
    asked = audience(BOB, ROOM)
    await confide.recall(QUESTION, asked)
    await confide.forget(memory.id, actor=operator_as(ALICE))
    basis = await confide.why(asked)
    assert (basis.memories, basis.told_at) == ((), None)


@pytest.mark.req("S23")
async def test_an_owner_sees_when_and_where_it_was_told_but_not_to_whom(confide: Confide) -> None:
    memory = await bees(confide)
    await confide.recall(QUESTION, audience(BOB, ROOM))
    (told,) = await confide.tellings(memory.id, actor=operator_as(ALICE))
    assert (told.place_kind, told.place) == ("group", "friends")
    assert "bob" not in repr(told)
    with pytest.raises(NotFound):
        await confide.tellings(memory.id, actor=operator_as(BOB))


@pytest.mark.req("S14", "S23")
async def test_only_the_owners_questions_keep_a_memory_alive(confide: Confide, clock) -> None:
    memory = await bees(confide)
    clock.advance(days=2)
    await confide.recall(QUESTION, audience(BOB, ROOM))
    (kept,) = await confide.memories(ALICE)
    assert kept.last_accessed_at is None
    await confide.recall(QUESTION, audience(ALICE, ROOM))
    (kept,) = await confide.memories(ALICE)
    assert kept.last_accessed_at == kept.reinforced_at == clock.now
    assert kept.id == memory.id
