"""A running server, clients of it, and the command line pointed at it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
import typer.main
import typer.testing
from tests.http.conftest import Served, serving
from typer.testing import CliRunner, Result

from confide import Confide
from confide.client import ConfideClient
from confide.surfaces.cli.app import build


@pytest.fixture
async def served(confide: Confide) -> AsyncIterator[Served]:
    async with serving(confide) as one:
        yield one


@pytest.fixture
async def platform(served: Served) -> AsyncIterator[ConfideClient]:
    secret = await served.key("platform", platform="local")
    async with ConfideClient.open(served.url, secret) as client:
        yield client


Run = Callable[..., Awaitable[Result]]


def remote(url: str, secret: str) -> Run:
    """The command line as it is used from elsewhere. In a thread: a command has its own loop."""

    async def run(*words: str) -> Result:
        env = {"CONFIDE_URL": url, "CONFIDE_KEY": secret}
        return await asyncio.to_thread(_Built().invoke, _program(), list(words), env=env)

    return run


def here(home: Path, agent: str) -> Run:
    """The command line on a memory of this machine."""
    options = ["--home", str(home), "--agent", agent]

    async def run(*words: str) -> Result:
        return await asyncio.to_thread(_Built().invoke, _program(), [*options, *words])

    return run


@cache
def _program() -> Any:
    """Putting all commands together takes longer than running one."""
    return typer.main.get_command(build())


class _Built(CliRunner):
    def invoke(self, app: Any, *args: Any, **fields: Any) -> Result:
        with patch.object(typer.testing, "_get_command", lambda made: made):
            return super().invoke(app, *args, **fields)


async def ask(run: Run, *words: str) -> dict[str, Any]:
    done = await run(*words, "--json")
    assert done.exit_code == 0, done.stderr
    return json.loads(done.stdout)
