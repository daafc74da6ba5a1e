"""A group chat and a direct chat: the same question, two audiences, two answers."""

from __future__ import annotations

import asyncio

from confide import Confide

GROUP = "group:weekend"


async def main() -> None:
    async with Confide.open() as memory:
        await memory.world.join(GROUP, "human:alice", "human:bob")
        await memory.remember("I am looking for a new job", by="human:alice", place="dm")
        await memory.remember("We meet at the lake on Sunday", by="human:bob", place=GROUP)
        for question in ("what is Alice looking for?", "where do we meet on Sunday?"):
            for place in ("dm", GROUP):
                told = await memory.recall(question, asker="human:alice", place=place)
                known = [one.shown for one in told.memories]
                print(f"{place}: {question} {known or 'nothing to tell here'}")


if __name__ == "__main__":
    asyncio.run(main())
