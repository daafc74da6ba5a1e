"""From a message to an answer: observe, learn, recall."""

from __future__ import annotations

import pytest

from confide import Confide, audience
from confide.model import Entity

from .speaking import say

ALICE = Entity.parse("human:alice")


@pytest.mark.req("S11", "S12", "B10")
async def test_what_is_said_ten_times_over_is_learned_and_told(confide: Confide) -> None:
    said = [
        "Hi there!",
        "I keep bees in the garden behind the house.",
        "What do you think about that?",
        "My favourite colour is green.",
        *["ok", "sure", "right", "thanks", "cool", "bye"],
    ]
    became = [await say(confide, text) for text in said]
    assert [one.is_due for one in became] == [False] * 9 + [True]
    assert await confide.learning.learn() == 10
    context = await confide.recall("what colour do I like?", audience("human:alice", "dm"))
    assert any("green" in told.memory.text for told in context.memories)
    kept = await confide.memories(ALICE)
    assert {"bees", "green"} <= {w.strip(".") for m in kept for w in m.text.lower().split()}
    assert all(memory.speaker == ALICE for memory in kept)
