"""Open the memory for one command."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from confide.memories import Confide
    from confide.surfaces.cli.given import Given

T = TypeVar("T")


def with_memory(given: Given, work: Callable[[Confide], Awaitable[T]]) -> T:
    """Do `work` with the opened memory, and close it whatever happens."""
    from confide.memories import Confide

    async def run() -> T:
        async with Confide.open(**given.fields()) as confide:
            return await work(confide)

    return asyncio.run(run())
