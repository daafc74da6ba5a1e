"""The product's own leak test, on a cluster that loses its leader in the middle of it."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from confide import Confide
from confide.declare import Group
from confide.errors import NotFound, StoreError
from confide.leaktest.report import Report
from confide.leaktest.run import run
from confide.means import Part

PAUSE = 0.1


class Patient:
    """A memory whose verbs are tried again while the database is away."""

    def __init__(self, inner: Any, steps: Callable[[], None]) -> None:
        self._inner, self._steps = inner, steps

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._inner, name)
        if isinstance(found, Part | Group):
            return Patient(found, self._steps)
        if not inspect.iscoroutinefunction(found):
            return found

        async def until_done(*args: Any, **named: Any) -> Any:
            has_failed = False
            while True:
                try:
                    return await found(*args, **named)
                except (StoreError, OSError, TimeoutError):
                    has_failed = True
                    self._steps()
                    await asyncio.sleep(PAUSE)
                except NotFound:
                    # The attempt before may have been committed without anybody hearing of it.
                    if not has_failed:
                        raise
                    return None

        return until_done


async def leaktest(seed: int, steps: Callable[[], None], **settings: Any) -> Report:
    """By recall, the path that standbys answer."""

    @asynccontextmanager
    async def opened(**wanted: Any) -> AsyncIterator[Any]:
        async with Confide.open(**(settings | wanted)) as confide:
            yield Patient(confide, steps)

    return await run(opened, "quick", seed=seed, surfaces=lambda library: [library])
