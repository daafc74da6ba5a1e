"""Stores of their own, for tests that replace one or fill another."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import asyncpg
import pytest

from confide.store import embedded
from confide.store.migrate import migrate
from confide.store.provision import ROLES
from confide.store.queries import sql_file

NewHome = Callable[[], Path]


@pytest.fixture
def new_home() -> Iterator[NewHome]:
    """Empty homes that are thrown away with their servers."""
    made: list[Path] = []

    def make() -> Path:
        made.append(Path(tempfile.mkdtemp(prefix="confide-test-")))
        return made[-1]

    yield make
    for folder in made:
        embedded.discard(folder)
        shutil.rmtree(folder, ignore_errors=True)


@dataclass(frozen=True)
class Elsewhere:
    """A server that somebody else runs: its address for a login without any special rights."""

    url: str
    home: Path


@pytest.fixture
async def elsewhere(new_home: NewHome) -> AsyncIterator[Elsewhere]:
    home = new_home()
    with embedded.start(home, idle_seconds=60) as lease:
        admin: dict[str, Any] = {
            "host": lease.server.host,
            "port": lease.server.port,
            "user": lease.server.superuser,
            "password": lease.server.password,
        }
        outside = await asyncpg.connect(database="postgres", **admin)
        await outside.execute("CREATE DATABASE elsewhere")
        await outside.execute("CREATE ROLE app LOGIN NOINHERIT PASSWORD 'letters'")
        await outside.close()
        inside = await asyncpg.connect(database="elsewhere", **admin)
        await inside.execute("CREATE EXTENSION vector")
        await inside.execute(sql_file("provision.sql"))
        for role in ROLES:
            await inside.execute(f"GRANT {role} TO app WITH INHERIT FALSE, SET TRUE")
        await inside.close()
        host = quote(lease.server.host, safe="")
        url = f"postgresql://app:letters@/elsewhere?host={host}&port={lease.server.port}"
        await migrate({"dsn": url})
        yield Elsewhere(url, home)
