"""Measure the doctor: `python -m benchmarks.doctor`. Prints one line a look, and fails above a bar."""

from __future__ import annotations

import time
import uuid
from collections.abc import Sequence
from dataclasses import replace

from benchmarks.bars import run_at_size
from confide import Confide, statement
from confide.remember.keep import Remembered
from confide.store.adding import New, add_all
from confide.store.memory import Memory
from confide.testing import temporary

MOST_SECONDS = 60.0
BATCH = 2000
PLACES = ("dm", "group:g{n}", "restricted:r{n}@town", "public:p{n}@town", "ctx:c{n}")


async def fill(confide: Confide, memories: int, people: int) -> None:
    """People who talk in all kinds of places, some about each other, some carefully.

    A few thousand come by the front door. The others are those again with other words, put in as
    remembering does after it has looked at the words, which is not what is measured here.
    """
    first = min(memories, 2 * people)
    said = [
        statement(
            f"Thing {n} is on shelf {n % 977}",
            by=f"human:p{n * 7919 % people}",
            place=PLACES[n % len(PLACES)].format(n=n * 7919 % people % 40),
            about=[f"human:p{(n + 1) % people}"] if n % 3 == 0 else (),
            sensitivity=("public", "personal", "sensitive")[n % 3],
        )
        for n in range(first)
    ]
    kept = [one.memory for one in await confide.remember_all(said) if isinstance(one, Remembered)]
    vectors = await confide.means.embedder.embed_documents(["Thing on a shelf"])
    for start in range(first, memories, BATCH):
        copies = [
            replace(kept[n % first], id=uuid.uuid4(), text=f"Thing {n} lies in room {n % 31}")
            for n in range(start, min(memories, start + BATCH))
        ]
        await _put(confide, copies, vectors[0])
    await confide.database.refresh_statistics()


async def _put(confide: Confide, copies: list[Memory], vector: Sequence[float]) -> None:
    agent = confide.database.agent
    async with confide.database.keep() as connection:
        await add_all(connection, agent, [New(one, vector) for one in copies])


async def measure(memories: int, people: int) -> bool:
    async with temporary() as confide:
        await fill(confide, memories, people)
        seconds: dict[str, float] = {}
        for name, look in (
            ("examined", confide.doctor.examine),
            ("mended", confide.doctor.mend),
        ):
            began = time.perf_counter()
            found = await look()
            seconds[name] = time.perf_counter() - began
            assert found.memories == memories, found
            assert found.is_well, found.findings
            print(f"{memories:,} memories of {people:,} people {name} in {seconds[name]:.1f} s")
    return max(seconds.values()) <= MOST_SECONDS


if __name__ == "__main__":
    run_at_size(__doc__, measure, MOST_SECONDS)
