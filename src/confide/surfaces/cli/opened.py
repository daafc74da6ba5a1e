"""Open the memory for one command."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from confide.memories import Confide
    from confide.surfaces.cli.given import Given

T = TypeVar("T")


def with_memory(given: Given, work: Callable[[Confide], Awaitable[T]]) -> T:
    """Do `work` with the opened memory, and close it whatever happens."""
    from confide.memories import Confide

    async def opened() -> T:
        async with Confide.open(**given.fields()) as confide:
            return await work(confide)

    return run(opened())


def run(work: Coroutine[Any, Any, T]) -> T:
    """The event loop's own complaints are tracebacks; what matters is raised anyway."""
    import asyncio
    import logging

    logging.getLogger("asyncio").setLevel(logging.CRITICAL)
    return asyncio.run(work)
