"""MCP over standard input and output, for a client that starts the program itself.

Only the protocol goes to standard output. The memory is opened beside the first greetings, because
a client that waits for a database may give up on it.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Generator
from contextlib import AbstractAsyncContextManager, contextmanager
from typing import TYPE_CHECKING, Any

import anyio
from mcp.server.stdio import stdio_server

from confide.errors import ConfideError
from confide.surfaces.callers import at_the_disk
from confide.surfaces.mcp.greeting import Greeted, Replayed, Unrepeated
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


@contextmanager
def _input() -> Generator[Any, None, None]:
    """Standard input as lines. What this process starts meanwhile reads nothing of it."""
    private, nothing = os.dup(0), os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    try:
        with os.fdopen(os.dup(private), encoding="utf-8", errors="replace") as lines:
            yield anyio.wrap_file(lines)
    finally:
        os.dup2(private, 0)
        os.close(private)


async def serve(
    open_memory: OpenMemory,
    who: Entity | None,
    namespace: Namespace,
    connection: str = "default",
    profile: Profile = COMMUNITY,
    greeted: Greeted | None = None,
) -> None:
    """Speak MCP as `who` until standard input ends. `greeted`: what was read and answered already."""
    opening, session = Opening(open_memory), Session(namespace=namespace, is_lasting=True)

    async def visiting(context: Any) -> Visit:
        confide = await opening.memory()
        # Asked anew each time: its owner may have opened or closed their connections meanwhile.
        caller = await at_the_disk(confide, who, connection) if who is not None else None
        return Visit(confide, caller, session)

    server = build(visiting, profile)
    opened = asyncio.create_task(opening.stay_open())
    try:
        known = greeted or Greeted("", None)
        with _input() as lines:
            stdin: Any = Replayed(known, lines)
            async with stdio_server(stdin=stdin) as (reading, writing):
                answers: Any = Unrepeated(known, writing)
                await server.run(reading, answers, server.create_initialization_options())
    finally:
        opening.close()
        await opened
