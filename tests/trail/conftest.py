"""Reaching behind the program's back, as somebody with the database's own password could."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import asyncpg
import pytest
from tests.conftest import Opened

from confide import Confide
from confide.store import embedded
from confide.store.provision import DATABASE

Tamper = Callable[..., Awaitable[None]]


@pytest.fixture
async def confide(open_confide: Opened) -> AsyncIterator[Confide]:
    """Nobody seals beside the test."""
    async with open_confide(learn=False) as opened:
        yield opened


@pytest.fixture
def tamper(home: Path, agent: str) -> Tamper:
    """Run statements as the superuser, with the trail's own guards out of the way."""

    async def run(*statements: str) -> None:
        with embedded.start(home, idle_seconds=60) as lease:
            server = lease.server
            connection = await asyncpg.connect(
                host=server.host,
                port=server.port,
                user=server.superuser,
                password=server.password,
                database=DATABASE,
            )
            try:
                await connection.execute("SET session_replication_role = replica")
                for one in statements:
                    await connection.execute(one.replace("{agent}", agent))
            finally:
                await connection.close()

    return run
