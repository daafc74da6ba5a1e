"""Measure the store and write the table of docs/benchmarks.md: `python -m benchmarks.store`."""

from __future__ import annotations

import argparse
import asyncio
import os
from contextlib import AsyncExitStack
from pathlib import Path

from benchmarks.store.community import Community
from benchmarks.store.measuring import (
    Store,
    bulk,
    filled,
    grown,
    hear,
    in_public_room,
    remembering,
)
from benchmarks.store.table import Growth, Report, write

DOCUMENT = Path(__file__).parents[2] / "docs" / "benchmarks.md"
SHARES = (0.5, 0.05, 0.005, 0.0005)
MOST_DIFFERENT = 100_000  # beyond that, what others hear is copied
IN_BULK = 3000
SAME_ROWS = 2000  # what may be heard in the small store and in the large one


async def measure(
    memories: int, people: int, spaces: int, growth: list[int], rounds: int
) -> Report:
    shares = tuple(max(1, int(memories * share)) for share in SHARES)
    async with filled(Community(memories, people, spaces, shares)) as store:
        heard = [
            await hear(store, in_public_room(store, n), rounds, with_naive=True)
            for n in range(len(shares))
        ]
        one_at_a_time = await remembering(store, rounds)
        in_bulk = await bulk(store, IN_BULK)
    growing = await _grow(growth, rounds) if growth else []
    return Report(memories, people, spaces, store.labels, heard, one_at_a_time, in_bulk, growing)


async def _grow(sizes: list[int], rounds: int) -> Growth:
    """The same number of permitted rows in a small store and in a large one."""
    async with AsyncExitStack() as stack:
        stores: list[Store] = []
        for size in sizes:
            different = min(size, MOST_DIFFERENT)
            shares = (different // 2, min(SAME_ROWS, min(sizes) // 4))
            community = Community(
                different, max(20, different // 100), max(3, different // 2000), shares
            )
            times = size // different
            stores.append(await stack.enter_async_context(filled(community, times)))
        heard = [
            await hear(store, in_public_room(store, 1), rounds // 4 + 1, with_naive=False)
            for store in stores
        ]
        return list(zip(sizes, heard, await grown(stores, rounds), strict=True))


def main() -> None:
    parse = argparse.ArgumentParser(prog="python -m benchmarks.store", description=__doc__)
    parse.add_argument("--memories", type=int, default=100_000)
    parse.add_argument("--people", type=int, default=1000)
    parse.add_argument("--spaces", type=int, default=50)
    parse.add_argument("--growth", type=int, nargs="*", default=[10_000, 1_000_000])
    parse.add_argument("--rounds", type=int, default=100)
    parse.add_argument("--write", type=Path, default=DOCUMENT, help="the document with the table")
    given = parse.parse_args()
    before = os.getloadavg()[0]
    report = asyncio.run(
        measure(given.memories, given.people, given.spaces, given.growth, given.rounds)
    )
    print(write(report, given.write, load=(before, os.getloadavg()[0])))


if __name__ == "__main__":
    main()
