"""Real `confide serve` processes on one database, and clients that go to either."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
from tests.http.conftest import NO_TLS

COMMAND = [sys.executable, "-m", "confide", "serve", "--port", "0", "--json"]


@dataclass(frozen=True)
class Serving:
    """One process. `kill` gives it no time to say goodbye."""

    process: Process
    url: str

    def client(self, secret: str) -> httpx.AsyncClient:
        headers = {"Authorization": f"Bearer {secret}"}
        return httpx.AsyncClient(base_url=self.url, headers=headers, timeout=60, verify=NO_TLS)

    async def kill(self) -> None:
        if self.process.returncode is None:
            self.process.kill()
        await self.process.wait()


@asynccontextmanager
async def two(home: Path, agent: str, **settings: str) -> AsyncIterator[tuple[Serving, Serving]]:
    """Both started at once, as a supervisor of processes would."""
    async with _started(2, home, agent, settings) as (one, other):
        yield one, other


@asynccontextmanager
async def serving(home: Path, agent: str, **settings: str) -> AsyncIterator[Serving]:
    async with _started(1, home, agent, settings) as (one,):
        yield one


@asynccontextmanager
async def _started(
    count: int, home: Path, agent: str, settings: dict[str, str]
) -> AsyncIterator[list[Serving]]:
    env = os.environ | {"CONFIDE_HOME": str(home), "CONFIDE_AGENT": agent}
    env |= {f"CONFIDE_{name.upper()}": value for name, value in settings.items()}
    started = [
        await asyncio.create_subprocess_exec(*COMMAND, env=env, stdout=PIPE) for _ in range(count)
    ]
    try:
        yield await asyncio.gather(*(_listening(process) for process in started))
    finally:
        for process in started:
            if process.returncode is None:
                process.terminate()
        await asyncio.gather(*(process.wait() for process in started))


async def _listening(process: Process) -> Serving:
    assert process.stdout is not None
    line = await asyncio.wait_for(process.stdout.readline(), timeout=60)
    assert line, "it ended before it listened"
    return Serving(process, json.loads(line)["url"])
