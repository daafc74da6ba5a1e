"""Measure the doctor: `python -m benchmarks.doctor`. Prints one line a look, and fails above a bar."""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import time

from confide import Confide, statement
from confide.testing import temporary

MOST_SECONDS = 60.0
PLACES = ("dm", "group:g{n}", "restricted:r{n}@town", "public:p{n}@town", "ctx:c{n}")


async def fill(confide: Confide, memories: int, people: int) -> None:
    """People who talk in all kinds of places, some about each other, some carefully."""
    at_once = 10_000
    for start in range(0, memories, at_once):
        said = []
        for n in range(start, min(memories, start + at_once)):
            who = n * 7919 % people
            said.append(
                statement(
                    f"Thing {n} is on shelf {n % 977} of room {n % 31}",
                    by=f"human:p{who}",
                    place=PLACES[n % len(PLACES)].format(n=who % 40),
                    about=[f"human:p{(who + 1) % people}"] if n % 3 == 0 else (),
                    sensitivity=("public", "personal", "sensitive")[n % 3],
                )
            )
        await confide.remember_all(said)
        print(f"  {start + len(said):,} stored", file=sys.stderr)


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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memories", type=int, default=100_000)
    parser.add_argument("--people", type=int, default=500)
    given = parser.parse_args()
    print(f"load {os.getloadavg()[0]:.1f}")
    if not asyncio.run(measure(given.memories, given.people)):
        sys.exit(f"slower than it may be: {MOST_SECONDS:g} s")


if __name__ == "__main__":
    main()
