"""How long erasing takes: a person with 5,000 memories among others' (`python -m benchmarks.erasure`).

The bar is 10 seconds for the logical erasure with its verification. Prints one JSON object.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import shutil
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

from confide import Confide, Entity, operator_as, statement
from confide.model import Message
from confide.privacy.places import parse_place
from confide.store import embedded
from confide.store.scrub import scrub

ZED, BOB = Entity("human", "zed"), Entity("human", "bob")
BAR_SECONDS = 10.0
PLACES = ("dm", "group:crew", "public:general@guild", "restricted:mods@guild")


async def fill(confide: Confide, who: Entity, memories: int, messages: int) -> None:
    said = [
        statement(f"Thing {n} of {who.id}: shelf {n % 97}, box {n}", by=who, place=PLACES[n % 4])
        for n in range(memories)
    ]
    await confide.remember_all(said)
    place = parse_place("group:crew", who)
    for n in range(messages):
        await confide.observe(
            Message(id=f"{who.id}-{n}", place=place, speaker=who, text=f"Remark {n}",
                    said_at=datetime.now(UTC))
        )  # fmt: skip


async def measure(home: Path, memories: int, others: int) -> dict[str, object]:
    async with Confide.open(home, learn=False) as confide:
        await fill(confide, BOB, others, 200)
        await fill(confide, ZED, memories, 200)
        started = time.perf_counter()
        softly = await confide.erasure.person(ZED, actor=operator_as(ZED))
        soft = time.perf_counter() - started
        await confide.erasure.restore(softly.id, actor=operator_as(ZED))
        started = time.perf_counter()
        done = await confide.erasure.person(ZED, actor=operator_as(ZED), now=True)
        hard = time.perf_counter() - started
    return {
        "memories": done.counts["memories"],
        "others": others,
        "soft_seconds": round(soft, 2),
        "erase_seconds": round(hard, 2),
        "bar_seconds": BAR_SECONDS,
        "met": hard <= BAR_SECONDS,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memories", type=int, default=5000)
    parser.add_argument("--others", type=int, default=5000)
    given = parser.parse_args()
    home = Path(tempfile.mkdtemp(prefix="confide-bench-"))
    try:
        found = asyncio.run(measure(home, given.memories, given.others))
        started = time.perf_counter()
        scrub(home)
        print(json.dumps(found | {"scrub_seconds": round(time.perf_counter() - started, 2)}))
    finally:
        embedded.discard(home)
        shutil.rmtree(home, ignore_errors=True)


if __name__ == "__main__":
    main()
