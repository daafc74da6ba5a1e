"""Measure HTTP beside the library: `python -m benchmarks.http --requests 100000`.

The same recalls, by the same people at the same concurrency, are made in process and then over a
socket, from another process. Every answer is checked for the asker's own canary and for nobody
else's. Prints one line a bar and fails below it.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import multiprocessing
import os
import signal
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from confide import Confide, audience, operator_as, statement
from confide.keep.keys import Wanted
from confide.store import embedded
from confide.store.keys import KeyKind
from confide.surfaces.http.serving import serve

LEAST_OF_LIBRARY, MOST_OF_MEDIAN = 0.60, 10.0
QUESTION = "what is my bird called?"
SETTINGS: dict[str, Any] = {"agent": "bench", "learn": False, "top_k": 5}


@dataclass
class Measured:
    """How a number of recalls went."""

    seconds: float
    taken: list[float]
    errors: int = 0
    leaks: int = 0

    @property
    def per_second(self) -> float:
        return len(self.taken) / self.seconds

    def at(self, part: float) -> float:
        ordered = sorted(self.taken)
        return ordered[min(len(ordered) - 1, int(part * len(ordered)))] * 1000


async def planted(confide: Confide, people: int) -> None:
    await confide.remember_all(
        [
            statement(f"My bird is called canary{n}x {thing}", by=f"human:p{n}", place="dm")
            for n in range(people)
            for thing in ("and sings", "and eats seeds", "and sleeps at noon")
        ]
    )


def is_own(texts: list[str], n: int) -> tuple[bool, bool]:
    """Whether something was told, and whether something else than one's own was."""
    return bool(texts), any(f"canary{n}x" not in text for text in texts)


async def measured(ask: Any, requests: int, people: int, at_once: int) -> Measured:
    numbers = iter(range(requests))
    found = Measured(0, [])

    async def work() -> None:
        for number in numbers:
            n = number % people
            began = time.perf_counter()
            texts = await ask(n)
            found.taken.append(time.perf_counter() - began)
            told, leaked = (False, False) if texts is None else is_own(texts, n)
            found.errors += not told
            found.leaks += leaked

    began = time.perf_counter()
    await asyncio.gather(*(work() for _ in range(at_once)))
    found.seconds = time.perf_counter() - began
    return found


async def in_process(home: Path, requests: int, people: int, at_once: int) -> Measured:
    async with Confide.open(home, **SETTINGS) as confide:

        async def ask(n: int) -> list[str]:
            context = await confide.recall(QUESTION, audience(f"human:p{n}", "dm"))
            return [one.memory.text for one in context.memories]

        await measured(ask, 200, people, at_once)
        return await measured(ask, requests, people, at_once)


class Line:
    """One kept-alive connection. A full client would take more of the machine than the server."""

    def __init__(self, url: str, key: str) -> None:
        self._host, _, port = url.removeprefix("http://").partition(":")
        self._port, self._key = int(port), key
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None

    async def ask(self, n: int) -> list[str] | None:
        if self._reader is None or self._writer is None:
            self._reader, self._writer = await asyncio.open_connection(self._host, self._port)
        body = json.dumps({"question": QUESTION, "asker": f"human:p{n}", "place": "dm"}).encode()
        head = (
            f"POST /v1/recall HTTP/1.1\r\nHost: {self._host}\r\nAuthorization: Bearer {self._key}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        self._writer.write(head.encode() + body)
        answer = (await self._reader.readuntil(b"\r\n\r\n")).lower()
        length = int(answer.partition(b"content-length:")[2].partition(b"\r\n")[0])
        said = json.loads(await self._reader.readexactly(length))
        if not answer.startswith(b"http/1.1 200"):
            return None
        return [one["text"] for one in said["memories"]]


async def over_http(url: str, key: str, requests: int, people: int, at_once: int) -> Measured:
    free: asyncio.Queue[Line] = asyncio.Queue()
    for _ in range(at_once):
        free.put_nowait(Line(url, key))

    async def ask(n: int) -> list[str] | None:
        line = await free.get()
        try:
            return await line.ask(n)
        finally:
            free.put_nowait(line)

    await measured(ask, 200, people, at_once)
    return await measured(ask, requests, people, at_once)


def server(home: str, said: Any) -> None:
    async def run() -> None:
        async with Confide.open(home, **SETTINGS) as confide:
            wanted = Wanted(kind=KeyKind.PLATFORM, platform="local", per_minute=10_000_000)
            key = (await confide.keys.create(wanted, actor=operator_as())).secret
            await serve(
                confide, "127.0.0.1", 0, announce=lambda url: said.put((url, key)), level=40
            )

    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(run())


def compare(requests: int, people: int, at_once: int) -> bool:
    with tempfile.TemporaryDirectory(prefix="confide-bench-") as folder:
        home = Path(folder)
        lease = embedded.start(home, idle_seconds=60)
        try:
            return _compare(home, requests, people, at_once)
        finally:
            lease.release()
            embedded.stop(home)


def _compare(home: Path, requests: int, people: int, at_once: int) -> bool:
    async def plant() -> None:
        async with Confide.open(home, **SETTINGS) as confide:
            await planted(confide, people)

    asyncio.run(plant())
    context = multiprocessing.get_context("spawn")
    said = context.Queue()
    running = context.Process(target=server, args=(str(home), said))
    library = asyncio.run(in_process(home, max(1000, requests // 10), people, at_once))
    running.start()
    try:
        url, key = said.get(timeout=60)
        http = asyncio.run(over_http(url, key, requests, people, at_once))
    finally:
        if running.pid is not None:
            os.kill(running.pid, signal.SIGINT)
        running.join(20)
    return judged(library, http, at_once)


def judged(library: Measured, http: Measured, at_once: int) -> bool:
    ratio = http.per_second / library.per_second
    spread = http.at(0.99) / http.at(0.5)
    print(f"in process: {library.per_second:.0f} recalls/s, p50 {library.at(0.5):.1f} ms")
    print(
        f"over HTTP:  {http.per_second:.0f} recalls/s, p50 {http.at(0.5):.1f} ms,"
        f" p99 {http.at(0.99):.1f} ms, at {at_once} at once"
    )
    print(f"HTTP / in process: {ratio:.2f} (bar {LEAST_OF_LIBRARY})")
    print(f"p99 / p50: {spread:.1f} (bar {MOST_OF_MEDIAN})")
    print(f"of {len(http.taken):,} requests: {http.errors} errors, {http.leaks} leaks (bar 0)")
    return (
        ratio >= LEAST_OF_LIBRARY
        and spread <= MOST_OF_MEDIAN
        and not (http.errors or http.leaks or library.leaks)
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=100_000)
    parser.add_argument("--people", type=int, default=500)
    parser.add_argument("--at-once", type=int, default=16)
    given = parser.parse_args()
    if not compare(given.requests, given.people, given.at_once):
        sys.exit("below a bar")


if __name__ == "__main__":
    main()
