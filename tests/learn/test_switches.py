"""CONFIDE_EXTRACTION and CONFIDE_MERGE_SIMILARITY do what they say."""

from __future__ import annotations

import pytest
from tests.conftest import Opened
from tests.learn.speaking import say

from confide import audience

ALONE = audience("human:alice", "dm")


@pytest.mark.req("A16")
async def test_without_extraction_only_what_is_asked_for_is_kept(open_confide: Opened) -> None:
    async with open_confide(learn=False, extraction=False, similarity=-1) as confide:
        for text in ("I love oolong tea.", "Remember that my locker is number 12.", "I keep bees."):
            await say(confide, text)
        await confide.learning.learn(is_everything=True)
        kept = {one.memory.text for one in (await confide.recall("locker", ALONE)).memories}
        assert len(kept) == 1
        assert "locker" in kept.pop()
        assert await confide.learning.jobs() == []
    async with open_confide(learn=False, similarity=-1) as confide:
        await confide.learning.learn(is_everything=True)
        found = (await confide.recall("what does Alice love and keep?", ALONE)).memories
        assert not [one for one in found if "tea" in one.memory.text or "bees" in one.memory.text]
        await say(confide, "I love fennel tea.")
        await confide.learning.learn(is_everything=True)
        found = (await confide.recall("what tea does Alice love?", ALONE)).memories
        assert "fennel" in found[0].memory.text


@pytest.mark.req("S8")
@pytest.mark.parametrize(("similarity", "count"), [(0.5, 1), (1.0, 2)])
async def test_how_alike_memories_must_be_to_be_merged_is_a_setting(
    open_confide: Opened, similarity: float, count: int
) -> None:
    async with open_confide(learn=False, similarity=-1, merge_similarity=similarity) as confide:
        for text in ("I love oolong tea.", "I really love oolong tea!"):
            await say(confide, text)
            await confide.learning.learn(is_everything=True)
        found = (await confide.recall("what tea does Alice love?", ALONE)).memories
        assert len(found) == count
