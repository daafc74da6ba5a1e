"""Connections and a loop that outlive a test, so that the next need not wait for new ones.

A fresh connection looks up each type, function and plan again, which takes longer than most tests.
Whoever opens a memory gets a pool that nobody else has at that moment, as it would without this.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeVar

import asyncpg
import pytest

from confide.store import migrate, opening
from confide.store.database import connect_pool
from confide.store.provision import provision_embedded
from confide.surfaces.cli import opened

T = TypeVar("T")
FEW = 4  # a test that needed more connections than this ends them


class Lent:
    """A pool that goes back to the shelf when it is closed, unless something is still going on."""

    def __init__(self, pool: asyncpg.Pool, shelf: list[asyncpg.Pool]) -> None:
        self._lent, self._shelf = pool, shelf

    def __getattr__(self, name: str) -> Any:
        return getattr(self._lent, name)

    async def close(self) -> None:
        pool = self._lent
        if not pool.is_closing() and pool.get_idle_size() == pool.get_size() <= FEW:
            self._shelf.append(pool)
        else:
            await pool.close()


class Shelf:
    """What stays of the loop that tests run in; a program that brings its own loop has its own."""

    def __init__(self, home: Path) -> None:
        self._home = home  # only here: elsewhere tests replace the server under a program
        self._loop = asyncio.get_running_loop()
        self._login: dict[str, Any] = {}
        self._is_current = False
        self._free: dict[int, list[asyncpg.Pool]] = {}

    def put_up(self) -> pytest.MonkeyPatch:
        patch = pytest.MonkeyPatch()
        patch.setattr(opening, "provision_embedded", self.provision)
        patch.setattr(opening, "migrate", SimpleNamespace(migrate=self.migrate))
        patch.setattr(opening, "connect_pool", self.connect)
        patch.setattr(opened, "run", self.run)
        return patch

    async def provision(self, server: Any, home: Path) -> dict[str, Any]:
        if home != self._home:
            return await provision_embedded(server, home)
        self._login = self._login or await provision_embedded(server, home)
        return self._login

    async def migrate(self, connect: dict[str, Any], *, applies: bool = True) -> None:
        if not (self._is_current and connect is self._login):
            await migrate.migrate(connect, applies=applies)
            self._is_current = self._is_current or connect is self._login

    async def connect(self, connect: dict[str, Any], size: int) -> Any:
        if connect is not self._login or asyncio.get_running_loop() is not self._loop:
            return await connect_pool(connect, size)
        free = self._free.setdefault(size, [])
        while free:
            pool = free.pop()
            if not pool.is_closing():
                return Lent(pool, free)
        return Lent(await connect_pool(connect, size), free)

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """A command of the program, called in this process. Where a test waits for it in a thread,
        the loop is running."""
        if self._loop.is_running():
            return asyncio.run_coroutine_threadsafe(work, self._loop).result()
        return self._loop.run_until_complete(work)

    def clear(self) -> None:
        for free in self._free.values():
            while free:
                free.pop().terminate()
