"""Two manners of recall (B15): what may help a model, and what is really known."""

from __future__ import annotations

import uuid
from typing import Any

import pytest

from confide import Confide, Entity, audience, operator_as, statement
from confide.errors import InvalidInput
from confide.model import Manner
from confide.recall.context import NOTHING, PERHAPS
from confide.recall.search import MOST_WEAK

from ..conftest import Clock

pytestmark = pytest.mark.req("B15")
ALICE, BOB, GROUP = "human:alice", "human:bob", "group:friends"
OWN = audience(ALICE, "dm")
FACTS = [
    "I take levothyroxine every morning",
    "The spare key is with Mrs Lindqvist",
    "I drive an old Skoda Octavia",
    "The rent is due on the third",
    "I keep bees at the allotment",
    "My daughter Leonie starts school in August",
    "I adopted a grey cat called Pixel",
]
WEAK = "what medication am I on?"


async def fill(confide: Confide, place: str = "dm", **more: Any) -> None:
    for text in FACTS:
        await confide.remember(statement(text, by=ALICE, place=place, **more))


async def test_a_question_in_other_words_is_answered_with_weak_ones(confide: Confide) -> None:
    await fill(confide)
    helpful = await confide.recall(WEAK, OWN)
    assert helpful.memories == ()
    assert FACTS[0] in [one.memory.text for one in helpful.perhaps]
    assert all(one.is_weak for one in helpful.perhaps)
    assert len(helpful.perhaps) <= MOST_WEAK
    certain = await confide.recall(WEAK, OWN, manner="certain")
    assert (certain.everything, str(certain)) == ((), NOTHING)


async def test_what_fits_is_the_same_in_both_manners(confide: Confide) -> None:
    await fill(confide)
    for question in ("Where is the spare key?", "Who am I?", "When is the rent due?"):
        helpful, certain = [await confide.recall(question, OWN, manner=one) for one in Manner]
        ids = [one.memory.id for one in helpful.memories]
        assert ids == [one.memory.id for one in certain.memories] != []
        assert certain.perhaps == ()
        assert set(ids).isdisjoint(one.memory.id for one in helpful.perhaps)


async def test_weak_ones_are_marked_in_the_block_and_in_json(confide: Confide) -> None:
    await fill(confide)
    helpful = await confide.recall("Where do I keep the spare key of the car?", OWN)
    assert helpful.memories
    assert helpful.perhaps
    known, _, perhaps = helpful.block().partition(PERHAPS)
    for one in helpful.memories:
        assert one.memory.text in known
    for one in helpful.perhaps:
        assert one.memory.text in perhaps
    written = helpful.as_dict()
    assert written["count"] == len(written["memories"]) == len(helpful.memories)
    assert [one["is_weak"] for one in written["memories"]] == [False] * len(helpful.memories)
    assert [one["is_weak"] for one in written["perhaps"]] == [True] * len(helpful.perhaps)


@pytest.mark.req("A8")
async def test_in_company_weak_ones_are_public(confide: Confide) -> None:
    await fill(confide, GROUP, present=[BOB], sensitivity="personal")
    asked = audience(ALICE, GROUP)
    assert (await confide.recall("Where is the spare key?", asked)).memories, "as an insider asks"
    assert (await confide.recall(WEAK, asked)).everything == ()
    assert (await confide.recall(WEAK, OWN)).perhaps, "and alone they are told"
    await confide.remember(statement("Insulin is kept in the fridge", by=ALICE, place=GROUP))
    told = (await confide.recall("which pills do I have to take?", asked)).perhaps
    assert {one.memory.sensitivity.value for one in told} <= {"public"}


@pytest.mark.req("S23", "S26")
async def test_weak_ones_are_logged_as_weak_and_renew_nothing(
    confide: Confide, clock: Clock
) -> None:
    await fill(confide)
    clock.advance(days=3)
    told = await confide.recall("Where do I keep the spare key of the car?", OWN)
    weak, known = told.perhaps[0].memory, told.memories[0].memory
    async with confide.database.keep() as connection:
        rows = await connection.fetch(
            "SELECT t.memory_id, t.is_weak, m.reinforced_at FROM confide.telling t"
            " JOIN confide.memory m ON m.agent = t.agent AND m.id = t.memory_id WHERE t.agent = $1",
            confide.database.agent,
        )
        counted = await connection.fetch(
            "SELECT told FROM confide.asked WHERE agent = $1", confide.database.agent
        )
    logged: dict[uuid.UUID, Any] = {row["memory_id"]: row for row in rows}
    assert set(logged) == {one.memory.id for one in told.everything}
    assert logged[weak.id]["is_weak"]
    assert logged[weak.id]["reinforced_at"] == weak.created_at
    assert not logged[known.id]["is_weak"]
    assert logged[known.id]["reinforced_at"] == clock()
    assert [row["told"] for row in counted] == [len(told.memories)]


@pytest.mark.req("S23")
async def test_what_fits_weakly_only_counts_as_no_answer(confide: Confide) -> None:
    await fill(confide)
    assert (await confide.recall(WEAK, OWN)).perhaps
    async with confide.database.keep() as connection:
        told = await connection.fetchval(
            "SELECT told FROM confide.asked WHERE agent = $1", confide.database.agent
        )
    assert told == 0


@pytest.mark.req("B7")
async def test_weak_ones_are_checked_again_before_they_are_sent(confide: Confide) -> None:
    await fill(confide)
    told = await confide.recall(WEAK, OWN)
    gone = told.perhaps[0].memory.id
    await confide.forget(gone, actor=operator_as(Entity.parse(ALICE)), now=True)
    still = await confide.recheck(told, OWN)
    assert [one.memory.id for one in still.perhaps] == [
        one.memory.id for one in told.perhaps if one.memory.id != gone
    ]
    elsewhere = await confide.recheck(told, audience(BOB, "dm"))
    assert elsewhere.everything == ()


@pytest.mark.req("S14", "S15")
async def test_how_much_is_told_can_be_said_for_each_call(confide: Confide) -> None:
    for n in range(12):
        await confide.remember(statement(f"Box {n} holds old cables", by=ALICE, place="dm"))
    for top_k in (1, 3, 10):
        told = await confide.recall("which box holds cables?", OWN, top_k=top_k)
        assert len(told.memories) == top_k
    assert len((await confide.recall("which box holds cables?", OWN)).memories) == 5
    short = await confide.recall("which box holds cables?", OWN, top_k=10, tokens=400)
    long = await confide.recall("which box holds cables?", OWN, top_k=10, tokens=4000)
    assert 0 < len(short.everything) < len(long.everything)


@pytest.mark.parametrize(
    ("field", "given"),
    [
        ("manner", "loud"), ("manner", None), ("top_k", 0), ("top_k", 101), ("top_k", 2.5),
        ("top_k", True), ("tokens", 399), ("tokens", "many"),
    ],
)  # fmt: skip
async def test_a_wrong_wish_is_refused_by_its_name(
    confide: Confide, field: str, given: object
) -> None:
    wished: dict[str, Any] = {field: given}
    with pytest.raises(InvalidInput, match=field):
        await confide.recall("anything", OWN, **wished)
