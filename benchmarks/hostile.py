"""Measure whether one caller can hold up the others: `python -m benchmarks.hostile`.

`/healthz` is asked over and over, alone and then beside four connections of one key that send the
largest and most awkward texts as fast as the key's rate lets them. Prints the medians and their
ratio, and fails above the bar.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import itertools
import json
import multiprocessing
import os
import signal
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from statistics import median
from typing import Any

from confide import Confide, Entity, operator_as
from confide.keep.keys import Wanted
from confide.model import MAX_TEXT_BYTES
from confide.store import embedded
from confide.store.keys import KeyKind
from confide.surfaces.http.serving import serve

MOST_OF_IDLE = 5.0
CONNECTIONS = 4
EVERY = 0.02  # seconds between two who ask


def texts() -> list[str]:
    """Each as long as may be, and each a way to keep a screen busy."""
    parts = [
        "a ", "1-", "x@", "a://b:", "key is ", "please send my ", "Anna Bob ", "I am a ", "01 2 ",
        "I moved to Lyon last week. ", "if you ask ", "https://", '"', "é", "my ign is ", "{[(<",
        "remember that a and that ", "a1B2", "0x1f ", "+49 30 90", "token=",
    ]  # fmt: skip
    return [part * ((MAX_TEXT_BYTES - 64) // len(part.encode())) for part in parts]


def bodies() -> list[tuple[str, bytes]]:
    """What a personal key may send, in turn."""
    sent: list[tuple[str, Any]] = []
    for text in texts():
        sent += [("/v1/memories", {"text": text}), ("/v1/recall", {"question": text})]
    stream = [{"id": f"m{n}", "text": text, "in": "dm"} for n, text in enumerate(texts())]
    sent = [(path, json.dumps(body).encode()) for path, body in sent]
    lines = b"\n".join(json.dumps(one).encode() for one in stream)
    return [*sent, ("/v1/messages/stream", lines)]


class Line:
    """One kept-alive connection."""

    def __init__(self, url: str, key: str | None = None) -> None:
        self._host, _, port = url.removeprefix("http://").partition(":")
        self._port, self._key = int(port), key
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None

    async def send(self, method: str, path: str, body: bytes = b"") -> int:
        if self._reader is None or self._writer is None:
            self._reader, self._writer = await asyncio.open_connection(
                self._host, self._port, limit=2**22
            )
        key = f"Authorization: Bearer {self._key}\r\n" if self._key else ""
        kind = "application/x-ndjson" if path.endswith("stream") else "application/json"
        head = (
            f"{method} {path} HTTP/1.1\r\nHost: {self._host}\r\n{key}"
            f"Content-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        try:
            self._writer.write(head.encode() + body)
            answer = (await self._reader.readuntil(b"\r\n\r\n")).lower()
            length = int(answer.partition(b"content-length:")[2].partition(b"\r\n")[0])
            await self._reader.readexactly(length)
        except (OSError, asyncio.IncompleteReadError):
            self._reader = self._writer = None
            return 0
        return int(answer.split()[1])


def attack(url: str, key: str, seconds: float, said: Any) -> None:
    """In a process of its own, so that sending costs the one who measures nothing."""

    answered: Counter[int] = Counter()
    sent = bodies()
    said.put("ready")
    ends = time.time() + seconds

    async def one(first: int) -> None:
        line = Line(url, key)
        for path, body in itertools.islice(itertools.cycle(sent), first * 7, None):
            if time.time() > ends:
                return
            status = await line.send("POST", path, body)
            answered[status] += 1
            if status == 429:
                await asyncio.sleep(0.2)

    async def every() -> None:
        await asyncio.gather(*(one(n) for n in range(CONNECTIONS)))

    asyncio.run(every())
    said.put(dict(answered))


async def health(url: str, seconds: float) -> list[float]:
    """On a schedule: who comes while the server is busy waits too, and counts."""
    line, taken, began = Line(url), list[float](), time.perf_counter()
    for n in range(int(seconds / EVERY)):
        due = began + n * EVERY
        await asyncio.sleep(due - time.perf_counter())
        status = await line.send("GET", "/healthz")
        taken.append((time.perf_counter() - due) * 1000)
        assert status == 200, status
    return taken


def server(home: str, said: Any) -> None:
    async def run() -> None:
        async with Confide.open(home, agent="bench", learn=False) as confide:
            wanted = Wanted(kind=KeyKind.PERSONAL, entity=Entity("human", "mallory"))
            key = (await confide.keys.create(wanted, actor=operator_as())).secret
            await serve(
                confide, "127.0.0.1", 0, announce=lambda url: said.put((url, key)), level=40
            )

    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(run())


def measured(home: Path, seconds: float) -> tuple[list[float], list[float]]:
    context = multiprocessing.get_context("spawn")
    said = context.Queue()
    running = context.Process(target=server, args=(str(home), said))
    running.start()
    try:
        url, key = said.get(timeout=120)
        asyncio.run(health(url, 1))
        idle = asyncio.run(health(url, seconds))
        hostile = context.Process(target=attack, args=(url, key, seconds + 2, said))
        hostile.start()
        assert said.get(timeout=120) == "ready"
        time.sleep(2)
        busy = asyncio.run(health(url, seconds))
        answered = said.get(timeout=90)
        hostile.join(60)
        print("the hostile connections were answered:", answered)
    finally:
        if running.pid is not None:
            os.kill(running.pid, signal.SIGINT)
        running.join(30)
    return idle, busy


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=20)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="confide-bench-") as folder:
        lease = embedded.start(Path(folder), idle_seconds=60)
        try:
            idle, busy = measured(Path(folder), given.seconds)
        finally:
            lease.release()
            embedded.stop(Path(folder))
    ratio = median(busy) / median(idle)
    print(f"/healthz idle: p50 {median(idle):.2f} ms, worst {max(idle):.1f} ms, {len(idle)} asked")
    print(f"/healthz beside {CONNECTIONS} hostile connections: p50 {median(busy):.2f} ms, worst {max(busy):.1f} ms, {len(busy)} asked")  # fmt: skip
    print(f"ratio of medians: {ratio:.1f} (bar {MOST_OF_IDLE})")
    if ratio > MOST_OF_IDLE:
        sys.exit("above the bar")


if __name__ == "__main__":
    main()
