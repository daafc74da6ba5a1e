"""A primary and two hot standbys for all tests here, and a memory that is opened on them."""

from __future__ import annotations

import asyncio
import itertools
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from confide import Audience, Confide
from confide.store import replicas as replicas_of
from confide.store.database import Database, Telling, connect_pool
from confide.store.replicas import Standby

from .servers import Server, cluster

Opened = Callable[..., AbstractAsyncContextManager[Confide]]


@dataclass
class Machines:
    primary: Server
    standbys: list[Server]

    @property
    def urls(self) -> str:
        return " ".join(one.url for one in self.standbys)

    async def caught_up(self) -> None:
        """Until all that was written so far is replayed everywhere."""
        written = await self.primary.ask("SELECT pg_current_wal_insert_lsn()::text")
        for standby in self.standbys:
            await until(
                lambda one=standby: one.ask(f"SELECT pg_last_wal_replay_lsn() >= '{written}'")
            )

    async def pause(self) -> None:
        for standby in self.standbys:
            await standby.ask("SELECT pg_wal_replay_pause()")
            await until(
                lambda one=standby: one.ask("SELECT pg_get_wal_replay_pause_state() = 'paused'")
            )

    async def resume(self) -> None:
        for standby in self.standbys:
            await standby.ask("SELECT pg_wal_replay_resume()")


async def until(holds: Callable[[], Awaitable[Any]], seconds: float = 20) -> None:
    async with asyncio.timeout(seconds):
        for _ in itertools.count():
            if await holds():
                return
            await asyncio.sleep(0.02)


async def has_standby(confide: Confide) -> None:
    """Until a standby may be asked."""

    async def is_there() -> bool:
        return (
            confide.database.replicas is not None
            and confide.database.replicas.fittest() is not None
        )

    await until(is_there)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def machines() -> AsyncIterator[Machines]:
    with cluster(2) as (primary, *standbys):
        await primary.provision()
        for standby in standbys:
            standby.follow(primary)
            standby.start()
        yield Machines(primary, standbys)


@pytest.fixture(autouse=True)
def _looks_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replicas_of, "LOOK_SECONDS", 0.1)


@pytest.fixture
def opened_on(machines: Machines, agent: str, tmp_path: Path) -> Opened:
    @asynccontextmanager
    async def opened(**settings: Any) -> AsyncIterator[Confide]:
        wanted = {
            "database_url": machines.primary.url, "replica_urls": machines.urls, "agent": agent,
            "learn": False, "auto_gc": False, "pool_size": 4, "auto_migrate": True,
        }  # fmt: skip
        async with Confide.open(tmp_path, **(wanted | settings)) as confide:
            yield confide

    return opened


@pytest_asyncio.fixture(loop_scope="session")
async def replicated(opened_on: Opened) -> AsyncIterator[Confide]:
    async with opened_on() as confide:
        yield confide


@dataclass
class Spied:
    """Which answers standbys gave."""

    answers: list[uuid.UUID] = field(default_factory=list)


@pytest.fixture
def spied(monkeypatch: pytest.MonkeyPatch) -> Spied:
    seen, tell = Spied(), Standby.tell

    @asynccontextmanager
    async def spying(self: Standby, *args: Any) -> AsyncIterator[Telling]:
        async with tell(self, *args) as telling:
            yield telling
        seen.answers.append(uuid.uuid4())

    monkeypatch.setattr(Standby, "tell", spying)
    return seen


@asynccontextmanager
async def unguarded(server: Server, agent: str) -> AsyncIterator[Database]:
    """The control: a program that asks a standby and believes it."""
    database = Database(await connect_pool({"dsn": server.url}, 1), agent)
    try:
        yield database
    finally:
        await database.close()


async def told(confide: Confide, question: str, audience: Audience) -> list[str]:
    return [one.memory.text for one in (await confide.recall(question, audience)).everything]
