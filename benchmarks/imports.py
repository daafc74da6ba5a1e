"""How fast a chat is brought along, and how much memory reading takes: `python -m benchmarks.imports`."""

from __future__ import annotations

import argparse
import asyncio
import json
import resource
import statistics
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from confide import Confide, Entity, operator_as
from confide.imports import open_files, recognise
from confide.reading import audience, statement

WORDS = [
    "tea",
    "music",
    "garden",
    "train",
    "library",
    "harbour",
    "winter",
    "bread",
    "violin",
    "lantern",
    "copper",
    "meadow",
]


def write(path: Path, messages: int, padding: int = 60) -> None:
    start = datetime(2024, 1, 1, tzinfo=UTC)
    with path.open("w") as file:
        file.write('{"name": "Bench", "type": "private_group", "id": 7, "messages": [\n')
        for n in range(messages):
            words = " ".join(WORDS[(n * 7 + k * k) % len(WORDS)] for k in range(6))
            file.write(
                json.dumps(
                    {
                        "id": n, "type": "message", "from": f"P{n % 20}", "from_id": f"user{n % 20}",
                        "date": (start + timedelta(minutes=n)).isoformat(),
                        "text": f"I like {words} number {n} " + "x" * padding,
                    }
                )
                + (",\n" if n + 1 < messages else "\n")
            )  # fmt: skip
        file.write("]}\n")


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--messages", type=int, default=100_000)
    parser.add_argument("--read-mb", type=int, default=0, help="also read a file of this size")
    parser.add_argument("--learn", action="store_true", help="also learn from all of it")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if given.read_mb:
            _read(Path(folder), given.read_mb)
        if given.messages:
            await _bring(Path(folder), given.messages, given.learn)


def _read(folder: Path, megabytes: int) -> None:
    for size in (10, megabytes):
        path = folder / f"{size}.json"
        write(path, size * 1024**2 // 240)
        files = open_files(path)
        began = time.perf_counter()
        count = sum(1 for _ in recognise(files).read(files))
        taken = time.perf_counter() - began
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        print(
            f"read {size} MB: {count} messages, {count / taken:.0f}/s, at most {peak} MB",
            flush=True,
        )
        path.unlink()


async def _bring(folder: Path, messages: int, learn: bool) -> None:
    path = folder / "result.json"
    write(path, messages)
    me = Entity.parse("human:me")
    async with Confide.open(folder / "home", learn=False) as confide:
        for n in range(200):
            await confide.remember(
                statement(f"I keep {WORDS[n % 12]} {n}", by="human:bob", place="dm")
            )
        alone = await _recalls(confide, 100)
        during: list[float] = []
        files = open_files(path)
        began = time.perf_counter()
        work = asyncio.create_task(
            confide.imports.take(files, recognise(files), importer=me, actor=operator_as(me))
        )
        while not work.done():
            during += await _recalls(confide, 1)
            await asyncio.sleep(0.02)
        done = await work
        taken = time.perf_counter() - began
        if learn:
            began = time.perf_counter()
            learned = await confide.learning.learn(is_everything=True)
            both = taken + time.perf_counter() - began
            kept = len(await confide.memories(me, limit=1_000_000))
            print(
                f"stored and learned from {learned} messages in {both:.1f} s: {learned / both:.0f}/s,"
                f" {kept} memories",
                flush=True,
            )
    ratio = statistics.median(during) / statistics.median(alone)
    print(f"stored {done.new} messages in {taken:.1f} s: {done.new / taken:.0f}/s")
    print(
        f"others' recall: {statistics.median(alone) * 1000:.1f} ms alone,"
        f" {statistics.median(during) * 1000:.1f} ms meanwhile: {ratio:.2f} times ({len(during)} asked)"
    )


async def _recalls(confide: Confide, count: int) -> list[float]:
    times: list[float] = []
    for n in range(count):
        began = time.perf_counter()
        await confide.recall(f"what do I keep {WORDS[n % 12]}?", audience("human:bob", "dm"))
        times.append(time.perf_counter() - began)
    return times


if __name__ == "__main__":
    asyncio.run(main())
