"""The context block through the whole recall: names, dialogue and the budget."""

from __future__ import annotations

import pytest

from confide import Confide, Entity, audience, statement

ALICE = Entity("human", "alice")


@pytest.mark.req("S32")
async def test_owners_are_named_as_they_are_called_now(confide: Confide) -> None:
    await confide.remember(
        statement("I keep bees on the roof", by=ALICE, place="public:garden@town")
    )
    asked = audience("human:bob", "public:garden@town")
    assert "human:alice" in (await confide.recall("who keeps bees?", asked)).markdown()
    for called in ("Alice A.", "Alice ``` the\nGreat"):
        await confide.world.name(ALICE, called)
        (told,) = (await confide.recall("who keeps bees?", asked)).memories
        assert told.owner_name == called


@pytest.mark.req("S32", "A5")
async def test_a_name_is_seen_only_through_a_memory_that_is_told(confide: Confide) -> None:
    await confide.world.name(ALICE, "Alice the Secret")
    await confide.remember(statement("I keep bees on the roof", by=ALICE, place="dm"))
    async with confide.database.tell(audience("human:bob", "dm"), confide.means.clock()) as telling:
        assert await telling.connection.fetch("SELECT * FROM confide.person") == []
    async with confide.database.tell(audience(ALICE, "dm"), confide.means.clock()) as telling:
        assert len(await telling.connection.fetch("SELECT * FROM confide.person")) == 1


@pytest.mark.req("S15")
async def test_a_recall_stays_within_the_configured_budget(open_confide) -> None:
    async with open_confide(context_tokens=300, top_k=50) as confide:
        for number in range(20):
            text = f"Bee hive number {number} stands on the roof of the old house"
            await confide.remember(statement(text, by=ALICE, place="dm"))
        context = await confide.recall("where do the bee hives stand?", audience(ALICE, "dm"))
        assert 0 < len(context.memories) < 20
