"""Databases of their own, for tests that break one."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from confide.store import embedded
from confide.store.provision import provision_embedded
from confide.store.queries import sql_file


@dataclass(frozen=True)
class Scratch:
    """An empty database with the roles in place: how to connect as the program, and as its superuser."""

    login: dict[str, Any]
    superuser: dict[str, Any]

    async def as_superuser(self, *statements: str) -> None:
        connection = await asyncpg.connect(**self.superuser)
        try:
            for statement in statements:
                await connection.execute(statement)
        finally:
            await connection.close()


@asynccontextmanager
async def scratch_in(home: Path) -> AsyncIterator[Scratch]:
    with embedded.start(home, idle_seconds=60) as lease:
        server = lease.server
        login = await provision_embedded(server, home)
        admin = {
            "host": server.host,
            "port": server.port,
            "user": server.superuser,
            "password": server.password,
        }
        name = f"scratch_{uuid.uuid4().hex[:10]}"
        made = Scratch(login | {"database": name}, admin | {"database": name})
        outside = await asyncpg.connect(database="postgres", **admin)
        try:
            await outside.execute(f"CREATE DATABASE {name}")
            await made.as_superuser("CREATE EXTENSION vector", sql_file("provision.sql"))
            yield made
        finally:
            await outside.execute(f"DROP DATABASE {name} WITH (FORCE)")
            await outside.close()


@pytest.fixture
async def scratch(home: Path) -> AsyncIterator[Scratch]:
    async with scratch_in(home) as made:
        yield made
