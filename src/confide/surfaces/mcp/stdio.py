"""MCP over standard input and output, for a client that starts the program itself.

Only the protocol goes to standard output. The memory is opened beside the first greetings, because
a client that waits for a database may give up on it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Any

from mcp.server.stdio import stdio_server

from confide.errors import ConfideError
from confide.surfaces.callers import at_the_disk
from confide.surfaces.mcp.profiles import COMMUNITY, Profile
from confide.surfaces.mcp.server import build
from confide.surfaces.mcp.visit import Session, Visit

if TYPE_CHECKING:
    from confide.memories import Confide
    from confide.model import Entity, Namespace

OpenMemory = Callable[[], AbstractAsyncContextManager["Confide"]]


class Opening:
    """A memory that is being opened; whoever needs it waits, or learns why it cannot be."""

    def __init__(self, open_memory: OpenMemory) -> None:
        self._open = open_memory
        self._opened: asyncio.Future[Confide] = asyncio.get_running_loop().create_future()
        self._is_closing = asyncio.Event()

    async def memory(self) -> Confide:
        return await asyncio.shield(self._opened)

    async def stay_open(self) -> None:
        try:
            # What it needs is loaded meanwhile; the greeting does not wait for that either.
            opening = await asyncio.to_thread(self._open)
            async with opening as confide:
                self._opened.set_result(confide)
                await self._is_closing.wait()
        except ConfideError as problem:
            if self._opened.done():
                raise
            self._opened.set_exception(problem)
            await self._is_closing.wait()
            self._opened.exception()  # nobody may have asked

    def close(self) -> None:
        self._is_closing.set()


async def serve(
    open_memory: OpenMemory,
    who: Entity | None,
    namespace: Namespace,
    connection: str = "default",
    profile: Profile = COMMUNITY,
) -> None:
    """Speak MCP as `who` until standard input ends."""
    opening, session = Opening(open_memory), Session(namespace=namespace, is_lasting=True)

    async def visiting(context: Any) -> Visit:
        confide = await opening.memory()
        # Asked anew each time: its owner may have opened or closed their connections meanwhile.
        caller = await at_the_disk(confide, who, connection) if who is not None else None
        return Visit(confide, caller, session)

    server = build(visiting, profile)
    opened = asyncio.create_task(opening.stay_open())
    try:
        async with stdio_server() as (reading, writing):
            await server.run(reading, writing, server.create_initialization_options())
    finally:
        opening.close()
        await opened
