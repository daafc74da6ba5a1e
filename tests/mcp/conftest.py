"""The real MCP client, against a server of its own: a process on pipes, or a socket."""

from __future__ import annotations

import asyncio
import os
import socket
import ssl
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
import uvicorn
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

from confide import Confide, audience, operator_as
from confide.keep.keys import Wanted
from confide.model import Entity
from confide.reading import read_entity
from confide.store.keys import KeyKind
from confide.surfaces.http.app import build, limited
from mcp import Client

NO_TLS = ssl.create_default_context()  # reading it anew for every client takes longer than all else
Connect = Callable[..., AbstractAsyncContextManager[Client]]
MODES = ("legacy", "auto")


class Keys:
    """Secrets for every kind of caller."""

    def __init__(self, confide: Confide) -> None:
        self._confide = confide
        self._platform: Any = None

    async def of(self, kind: str, **fields: Any) -> str:
        made = await self._confide.keys.create(
            Wanted(kind=KeyKind(kind), **fields), actor=operator_as()
        )
        return made.secret

    async def personal(self, who: str, name: str = "default") -> str:
        return await self.of("personal", entity=read_entity(who), name=name)

    async def platform(self) -> str:
        return await self.of("platform", platform="chat", per_minute=1_000_000)

    async def token(self, asker: str | Entity, place: Any, **fields: Any) -> str:
        """As a platform would mint it for one question."""
        heard = asker if not isinstance(asker, str) else audience(asker, place, **fields)
        return await self.token_for(heard)

    async def token_for(self, heard: Any) -> str:
        now = self._confide.means.clock()
        if self._platform is None or self._platform.expires_at <= now:
            wanted = Wanted(kind=KeyKind.PLATFORM, platform="chat", per_minute=10_000_000)
            made = await self._confide.keys.create(wanted, actor=operator_as())
            self._platform = made.key
        minted = await self._confide.tokens.mint(heard, platform="chat", key_id=self._platform.id)
        return minted.token


@pytest.fixture
def keys(confide: Confide) -> Keys:
    return Keys(confide)


@asynccontextmanager
async def serving(confide: Confide) -> AsyncIterator[str]:
    """The server of `confide` on a socket; the address of its MCP."""
    config = uvicorn.Config(limited(build(confide)), log_config=None, lifespan="on")
    server = uvicorn.Server(config)
    listening = socket.create_server(("127.0.0.1", 0))  # whoever comes early waits
    running = asyncio.create_task(server.serve(sockets=[listening]))
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/mcp"
    finally:
        server.should_exit = True
        await running


@pytest.fixture
async def url(confide: Confide) -> AsyncIterator[str]:
    async with serving(confide) as address:
        yield address


@asynccontextmanager
async def connected(
    address: str, secret: str, mode: str = "auto", **headers: str
) -> AsyncIterator[Client]:
    given = {"Authorization": f"Bearer {secret}", **headers}
    async with (
        httpx2.AsyncClient(headers=given, timeout=120, verify=NO_TLS) as http,
        Client(streamable_http_client(address, http_client=http), mode=mode) as client,
    ):
        yield client


@pytest.fixture
def connect(url: str) -> Connect:
    """`async with connect(secret) as client`: over HTTP."""
    return lambda secret, **fields: connected(url, secret, **fields)


@pytest.fixture
def start(home: Path, agent: str, tmp_path: Path) -> Connect:
    """`async with start("--as", "human:me") as client`: a process of its own, over pipes."""

    @asynccontextmanager
    async def process(
        *words: str, mode: str = "auto", folder: Path = tmp_path
    ) -> AsyncIterator[Client]:
        command = ["-m", "confide", "mcp", *words, "--home", str(home), "--agent", agent]
        given = StdioServerParameters(
            command=sys.executable, args=command, cwd=folder, env=dict(os.environ)
        )
        async with Client(stdio_client(given), mode=mode) as client:
            yield client

    return process


async def call(client: Client, tool: str, **fields: Any) -> dict[str, Any]:
    """What a tool gave; it must succeed."""
    done = await client.call_tool(tool, fields)
    assert not done.is_error, done.content[0].text
    return done.structured_content


async def refused(client: Client, tool: str, **fields: Any) -> str:
    """Why a tool would not; it must fail."""
    done = await client.call_tool(tool, fields)
    assert done.is_error, done.structured_content
    assert done.structured_content is None
    return done.content[0].text


async def texts(client: Client, query: str, tool: str = "memory_recall", **fields: Any) -> set[str]:
    found = await call(client, tool, query=query, **fields)
    return {one["text"] for one in found["memories"]}
