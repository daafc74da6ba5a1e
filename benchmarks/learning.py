"""How fast messages are taken in and learned from, as ratios and rates in one run.

    python -m benchmarks.learning

observe against a bare INSERT of the same words; built-in extraction; learning from end to end; and
remembering many statements at once.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import shutil
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from confide import Confide, statement
from confide.model import Entity, Message
from confide.privacy.places import parse_place
from confide.providers.builtin import BuiltinExtractor
from confide.store import embedded

TIMES = 400
SENTENCES = [
    "I love hiking in the Alps every summer.", "ok thanks!", "What do you think about that?",
    "My sister Sarah moved to Lisbon last year.", "I work at a small bakery near the river.",
    "haha yes", "My favourite band is Blur.", "I finished the report yesterday evening.",
]  # fmt: skip
_ids = itertools.count()


def message(n: int, place: str = "group:tea") -> Message:
    who = Entity("human", f"p{n % 5}")
    return Message(
        id=f"b{next(_ids)}",
        place=parse_place(place, who),
        speaker=who,
        text=f"{SENTENCES[n % len(SENTENCES)]} ({n})",
        said_at=datetime.now(UTC),
    )


async def median(work: Callable[[int], Awaitable[object]]) -> float:
    """Milliseconds."""
    taken = []
    for n in range(TIMES):
        started = time.perf_counter()
        await work(n)
        taken.append(time.perf_counter() - started)
    return statistics.median(taken) * 1000


AS_OWNER = "BEGIN; SET LOCAL ROLE confide_migrate; SET LOCAL ROLE confide_owner; {}; COMMIT"


async def measured(confide: Confide) -> dict[str, Any]:
    pool = confide.database._pool

    async def run(sql: str, *values: object) -> None:
        async with pool.acquire() as connection:
            await connection.execute(sql, *values)

    async def insert(n: int) -> None:
        await run("INSERT INTO confide.bare VALUES ($1, $2)", n, message(n).text)

    async def observe(n: int) -> None:
        await confide.observe(message(n))

    await run(AS_OWNER.format("CREATE TABLE confide.bare (id integer, text text)"))
    await run(AS_OWNER.format("GRANT INSERT ON confide.bare TO confide_login"))
    try:
        # In turns, so that a busy machine slows both alike.
        pairs = [(await median(insert), await median(observe)) for _ in range(3)][1:]
    finally:
        await run(AS_OWNER.format("DROP TABLE confide.bare"))
    inserted, observed = (statistics.mean(one) for one in zip(*pairs, strict=True))
    started = time.perf_counter()
    learned = await confide.learning.learn(is_everything=True)
    learning = learned / (time.perf_counter() - started)
    return {
        "bare_insert_ms": round(inserted, 3),
        "observe_ms": round(observed, 3),
        "observe_ratio": round(observed / inserted, 2),
        "learned_per_second": round(learning),
    }


def extraction() -> float:
    turns = [message(n) for n in range(2000)]
    extractor = BuiltinExtractor()
    extractor.extract(turns[:50])
    started = time.perf_counter()
    for start in range(0, len(turns), 20):
        extractor.extract(turns[start : start + 20])
    return len(turns) / (time.perf_counter() - started)


async def bulk(confide: Confide) -> float:
    said = [
        statement(f"{SENTENCES[n % 8]} {n}", by=f"human:p{n % 50}", place="public:general@guild")
        for n in range(3000)
    ]
    await confide.remember_all(said[:200])
    started = time.perf_counter()
    await confide.remember_all(said)
    return len(said) / (time.perf_counter() - started)


async def main() -> None:
    home = Path(tempfile.mkdtemp(prefix="confide-bench-"))
    try:
        async with Confide.open(home, learn=False) as confide:
            found = await measured(confide)
            found["extraction_per_second"] = round(extraction())
            found["bulk_per_second"] = round(await bulk(confide))
    finally:
        embedded.stop(home)
        shutil.rmtree(home, ignore_errors=True)
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    asyncio.run(main())
