"""Server time of every page of the console at 100,000 memories: `python -m benchmarks.console`.

Asks the application in this process, so that no network is in the numbers. Prints the median and the
slowest of a few requests, the processor time of one (here and in the database, which says more on a
busy machine), the size of each page, and how busy the machine was.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import time
from contextlib import suppress
from pathlib import Path
from statistics import median
from typing import Any, Final

import httpx

from benchmarks.store.community import Community
from benchmarks.store.filling import VOCABULARY
from benchmarks.store.measuring import Store, filled
from confide import operator_as
from confide.model import Entity
from confide.surfaces.http.app import build, limited

HOST: Final = "http://localhost"
WAITING: Final = 1000  # memories that wait for review
QUESTION: Final = f"What+about+{VOCABULARY[100]}+and+{VOCABULARY[150]}"
PERSON: Final = Entity("human", "p1")
ROOM: Final = "public0@space0"  # everybody is in it, and half of everything was said around it
VIEW: Final = f"/view-as?place={ROOM}&asker=human:p2&question={QUESTION}"
CELL: Final = f"/rooms?here={ROOM}&there={ROOM}"
OPERATOR: Final = (
    "/overview", "/rooms", "/rooms?all=1", f"{CELL}&labels=1", "/view-as", VIEW, "/memories",
    "/memories?of=human:p1", "/memories/{memory}", "/glass/{memory}", "/review", "/requests", "/audit",
    "/switches",
)  # fmt: skip
PERSONS: Final = (
    "/me", "/me/ask", "/me/erase", "/rooms", CELL, "/view-as", VIEW, "/memories", "/memories?reach=space",
    f"/memories?question={QUESTION}", "/memories/{memory}", "/memories/{memory}/correct", "/review",
    "/consents", "/audit", "/import",
)  # fmt: skip


async def measure(memories: int, times: int) -> None:
    began = time.monotonic()
    people, spaces = max(20, memories // 100), max(3, memories // 2000)
    community = Community(memories, people, spaces, (memories // 2, memories // 20))
    async with filled(community) as store:
        await _use(store)
        print(f"{memories:,} memories under {store.labels:,} labels, {people:,} people, {spaces} spaces;"
              f" filled in {time.monotonic() - began:.0f} s")  # fmt: skip
        await pages(store.confide, times)
    print(f"load of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")


async def _use(store: Store) -> None:
    """Some memories wait for review."""
    await store.direct.execute(
        "UPDATE confide.memory SET status = 'pending', waits_because = 'it holds personal data'"
        f" WHERE id IN (SELECT id FROM confide.memory ORDER BY id LIMIT {WAITING})"
    )
    await store.direct.execute("VACUUM (ANALYZE)")


async def pages(confide: Any, times: int) -> None:
    app: Any = limited(build(confide))
    (memory, *_) = await confide.memories(PERSON, limit=1)
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(app=app), base_url=HOST, timeout=120
    ) as one:
        for who, paths in ((None, OPERATOR), (PERSON, PERSONS)):
            link = await confide.browser.link(actor=operator_as(who))
            await one.post(link.path, headers={"origin": HOST})
            for path in paths:
                await show(
                    one, "person" if who else "operator", path.format(memory=memory.id), times
                )
            one.cookies.clear()


def database_seconds() -> float:
    """Processor time of every database process, as far as this system says."""
    spent = 0
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            name, _, rest = path.read_text().rpartition(")")
            if "(postgres" in name:
                spent += sum(map(int, rest.split()[11:13]))
    return spent / os.sysconf("SC_CLK_TCK")


async def show(one: httpx.AsyncClient, who: str, path: str, times: int) -> None:
    spent: list[float] = []
    answer = httpx.Response(204)
    here, there = 0.0, 0.0
    for n in range(times + 1):
        if n == 1:  # the first one fills caches
            here, there = time.process_time(), database_seconds()
        began = time.perf_counter()
        answer = await one.get(path)
        spent.append((time.perf_counter() - began) * 1000)
        assert answer.status_code == 200, (path, answer.status_code, answer.text[:200])
    here, there = time.process_time() - here, database_seconds() - there
    size = len(answer.content) / 1000
    first, rest = spent[0], spent[1:]
    print(
        f"{who:9} {path[:44]:44} median {median(rest):6.0f} ms  slowest {max(rest):6.0f}  first {first:6.0f}"
        f"  processor {1000 * here / times:5.0f} + {1000 * there / times:4.0f} ms  {size:6.1f} KB",
        flush=True,
    )


def main() -> None:
    wanted = argparse.ArgumentParser(description=__doc__)
    wanted.add_argument("--memories", type=int, default=100_000)
    wanted.add_argument("--times", type=int, default=5)
    given = wanted.parse_args()
    asyncio.run(measure(given.memories, given.times))


if __name__ == "__main__":
    main()
