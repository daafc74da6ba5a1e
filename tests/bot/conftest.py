"""The real bot on a simulated Discord, with a real memory behind it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import pytest
import simcord
from simcord._clock import Clock
from tests.bot.town import Town, complete_interactions
from tests.conftest import Opened

from confide.errors import ConfideError
from confide.surfaces.discord.client import ConfideBot
from confide.surfaces.discord.commands.invoked import AskDirectly, NotInGuild


@pytest.fixture(autouse=True)
def _as_discord_sends_them(monkeypatch: pytest.MonkeyPatch) -> None:
    complete_interactions(monkeypatch.setattr)


Running = Callable[..., AbstractAsyncContextManager[Town]]


@pytest.fixture
def running(home: Any, agent: str) -> Running:
    """A factory: the bot with given settings, in a town of its own."""
    from confide import Confide

    @asynccontextmanager
    async def run(**settings: Any) -> AsyncIterator[Town]:
        clock = Clock()
        wanted = {"agent": agent, "learn": False} | settings
        async with Confide.open(home, clock=lambda: clock.now(), **wanted) as confide:
            env = simcord.Env(ConfideBot(confide, clock=lambda: clock.now()), settle_timeout=30)
            env.backend.clock = clock
            await env.start()
            try:
                yield Town(env, confide)
            finally:
                await env.shutdown()

    return run


@pytest.fixture
async def town(running: Running) -> AsyncIterator[Town]:
    async with running() as opened:
        yield opened
    unexpected = [one for one in opened.env.errors if not _is_answered(one)]
    assert unexpected == []


def _is_answered(error: BaseException) -> bool:
    """A mistake that its maker was told of; simcord counts it, the bot answered it."""
    cause = getattr(error, "original", error)
    return isinstance(cause, ConfideError | AskDirectly | NotInGuild)


__all__ = ["Opened"]
