"""Learn from a chat and ask again, without async: run it, nothing needs to be set up."""

from __future__ import annotations

from confide.sync import Confide

with Confide.open() as memory:
    memory.add(
        [{"role": "user", "content": "I'm vegetarian and I live in Ghent"}],
        by="human:alice",
        place="dm",
    )
    print(memory.recall("what should I cook for Alice?", asker="human:alice", place="dm"))
