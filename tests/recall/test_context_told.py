"""The context block through the whole recall: names, dialogue and the budget."""

from __future__ import annotations

import pytest
from tests.recall.test_context import PAYLOADS, assert_fenced

from confide import Confide, Entity, audience, operator_as, statement
from confide.errors import InvalidInput
from confide.model import Status
from confide.recall.tokens import estimate_tokens
from confide.remember.keep import Remembered

ALICE, BOB = Entity("human", "alice"), Entity("human", "bob")
ROOM = "public:garden@town"


@pytest.mark.req("S32")
async def test_owners_are_named_as_they_are_called_now(confide: Confide) -> None:
    await confide.remember(
        statement("I keep bees on the roof", by=ALICE, place="public:garden@town")
    )
    asked = audience("human:bob", "public:garden@town")
    assert "human:alice" in (await confide.recall("who keeps bees?", asked)).markdown()
    for called in ("Alice A.", "Alice ``` the\nGreat"):
        await confide.people.name(ALICE, called)
        (told,) = (await confide.recall("who keeps bees?", asked)).memories
        assert told.owner_name == called


@pytest.mark.req("S32", "A5")
async def test_a_name_is_seen_only_through_a_memory_that_is_told(confide: Confide) -> None:
    await confide.people.name(ALICE, "Alice the Secret")
    await confide.remember(statement("I keep bees on the roof", by=ALICE, place="dm"))
    async with confide.database.tell(audience("human:bob", "dm"), confide.means.clock()) as telling:
        assert await telling.connection.fetch("SELECT * FROM confide.person") == []
    async with confide.database.tell(audience(ALICE, "dm"), confide.means.clock()) as telling:
        assert len(await telling.connection.fetch("SELECT * FROM confide.person")) == 1


@pytest.mark.req("S32", "A5")
async def test_who_spoke_is_named_where_the_audience_may_know_the_name(confide: Confide) -> None:
    await confide.people.name(ALICE, "Alice A.")
    await confide.people.name(BOB, "Bobby")
    before = (statement("What hums so loudly up there?", by=BOB, place=ROOM),)
    await confide.remember_all(
        [statement("I keep bees on the roof", by=ALICE, place=ROOM, before=before)]
    )
    asked = audience("human:carol", ROOM)
    (told,) = (await confide.recall("who keeps bees?", asked)).memories
    assert [said.speaker for said in told.evidence] == ["human:bob"]
    await confide.remember(statement("I sell honey", by=BOB, place="dm"))
    (told,) = (await confide.recall("who keeps bees?", asked)).memories
    assert [said.speaker for said in told.evidence] == ["human:bob"]
    await confide.remember(statement("I mow the lawn", by=BOB, place=ROOM))
    context = await confide.recall("who keeps bees?", asked)
    assert [said.speaker for said in context.memories[0].evidence] == ["Bobby"]
    assert '> "Bobby": "What hums so loudly up there?"' in context.markdown()


@pytest.mark.req("B6", "S15")
@pytest.mark.parametrize("payload", PAYLOADS)
async def test_stored_text_never_leaves_the_block_on_its_way_through_the_database(
    open_confide, payload: str
) -> None:
    async with open_confide(reviewers="human:carla") as confide:
        await stays_in_the_block(confide, payload)


async def stays_in_the_block(confide: Confide, payload: str) -> None:
    await confide.people.name(ALICE, payload)
    before = (statement(f"{payload} what hums?", by=ALICE, place=ROOM),)
    statements = [
        statement(f"I keep bees on the roof {payload}", by=ALICE, place=ROOM, before=before),
        statement(f"{payload} bees on the roof sting", by=BOB, place=ROOM),
    ]
    waits = False
    for done in await confide.remember_all(statements):
        assert isinstance(done, Remembered)
        if done.status is Status.PENDING:  # it looked like an instruction, and a reviewer frees it
            waits = True
            await confide.review.approve(done.id, actor=operator_as(Entity("human", "carla")))
    context = await confide.recall("bees on the roof", audience(BOB, ROOM))
    assert {told.memory.owner for told in context.memories} == {ALICE, BOB}
    assert waits or any(told.evidence for told in context.memories)
    assert_fenced(str(context))


@pytest.mark.req("S15")
@pytest.mark.parametrize("tokens", [400, 2000])
async def test_the_longest_memory_is_told_as_far_as_the_budget_goes(open_confide, tokens) -> None:
    text = "The bees live on the roof of the old mill by the river. " * 550
    async with open_confide(context_tokens=tokens) as confide:
        await confide.remember(statement(text, by=ALICE, place="dm"))
        context = await confide.recall("where do the bees live?", audience(ALICE, "dm"))
    (told,) = context.memories
    assert told.memory.text == text.strip()
    assert "The bees live on the roof" in str(context)
    assert estimate_tokens(str(context)) <= tokens


@pytest.mark.req("S15")
async def test_a_budget_in_which_nothing_could_be_told_is_refused(open_confide) -> None:
    with pytest.raises(InvalidInput, match=r"CONFIDE_CONTEXT_TOKENS.*400"):
        async with open_confide(context_tokens=399):
            pass


@pytest.mark.req("S15")
async def test_a_recall_stays_within_the_configured_budget(open_confide) -> None:
    async with open_confide(context_tokens=400, top_k=50) as confide:
        for number in range(20):
            text = f"Bee hive number {number} stands on the roof of the old house"
            await confide.remember(statement(text, by=ALICE, place="dm"))
        context = await confide.recall("where do the bee hives stand?", audience(ALICE, "dm"))
        assert 0 < len(context.memories) < 20
