"""Server time of every page of the console at 100,000 memories: `python -m benchmarks.console`.

Asks the application in this process, so that no network is in the numbers. Prints the median and the
slowest of a few requests, the size of each page, and how busy the machine was.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import time
from statistics import median
from typing import Any

import httpx

from confide import Entity, operator_as, statement
from confide.surfaces.http.app import build, limited
from confide.testing import temporary

PEOPLE, SPACES, ROOMS = 200, 4, 5
TOPICS = (
    "castle",
    "harbour",
    "garden",
    "bridge",
    "tower",
    "market",
    "forest",
    "mine",
    "mill",
    "gate",
)
QUESTION = "what+is+known+about+the+castle+and+the+bridge"


def said(n: int, chance: random.Random) -> Any:
    who = f"human:p{chance.randrange(PEOPLE)}"
    space = chance.randrange(SPACES)
    kind = chance.random()
    if kind < 0.25:
        place, fields = "dm", {}
    elif kind < 0.75:
        place, fields = f"public:r{chance.randrange(ROOMS)}@s{space}", {}
    elif kind < 0.9:
        place, fields = f"restricted:mods{space}@s{space}", {}
    else:
        place, fields = f"group:g{chance.randrange(10)}", {}
    topic, other = chance.choice(TOPICS), chance.choice(TOPICS)
    level = "personal" if chance.random() < 0.1 else "public"
    text = f"The {topic} number {n} stands near the {other} of row {n % 977}"
    return statement(text, by=who, place=place, sensitivity=level, **fields)


async def measure(memories: int, times: int) -> None:
    chance = random.Random(10)
    async with temporary(max_entries=0) as confide:
        began = time.monotonic()
        for start in range(0, memories, 5000):
            many = range(start, min(start + 5000, memories))
            await confide.remember_all([said(n, chance) for n in many])
        print(f"{memories:,} memories stored in {time.monotonic() - began:.0f} s")
        app: Any = limited(build(confide))
        person = Entity("human", "p1")
        pages = {
            None: ("/overview", "/rooms", f"/view-as?place=r1@s1&asker=human:p2&question={QUESTION}",
                   "/memories?of=human:p1", "/review", "/audit", "/switches"),
            person: ("/me", "/rooms", f"/view-as?place=r1@s1&asker=human:p2&question={QUESTION}",
                     "/memories", "/review", "/consents", "/audit", "{memory}"),
        }  # fmt: skip
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(
            transport=transport, base_url="http://localhost", timeout=120
        ) as one:
            for who, paths in pages.items():
                link = await confide.browser.link(actor=operator_as(who))
                await one.post(link.path, headers={"origin": "http://localhost"})
                for path in paths:
                    if path == "{memory}":
                        (memory, *_) = await confide.memories(person, limit=1)
                        path = f"/memories/{memory.id}"
                    await show(one, "person" if who else "operator", path, times)
                one.cookies.clear()
    print(f"load of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")


async def show(one: httpx.AsyncClient, who: str, path: str, times: int) -> None:
    spent: list[float] = []
    for _ in range(times + 1):
        began = time.perf_counter()
        answer = await one.get(path)
        spent.append((time.perf_counter() - began) * 1000)
        assert answer.status_code == 200, (path, answer.status_code, answer.text[:200])
    size = len(answer.content) / 1000
    first, rest = spent[0], spent[1:]
    name = path.partition("?")[0]
    print(
        f"{who:9} {name:44} median {median(rest):6.0f} ms  slowest {max(rest):6.0f}  first {first:6.0f}  {size:6.1f} KB"
    )


def main() -> None:
    wanted = argparse.ArgumentParser(description=__doc__)
    wanted.add_argument("--memories", type=int, default=100_000)
    wanted.add_argument("--times", type=int, default=5)
    given = wanted.parse_args()
    asyncio.run(measure(given.memories, given.times))


if __name__ == "__main__":
    main()
