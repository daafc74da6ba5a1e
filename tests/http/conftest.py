"""A server on loopback over a real socket, and clients with a key of each kind."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest
import pytest_asyncio
import uvicorn

from confide import Confide, Entity, operator_as
from confide.keep.keys import Wanted
from confide.store.keys import KeyKind
from confide.surfaces.http.app import build, limited
from confide.surfaces.http.heads import BoundedHeads
from confide.surfaces.http.limits import SECONDS

if TYPE_CHECKING:
    from tests.http.rows import Rows

OFTEN = 10_000_000
NO_TLS = ssl.create_default_context()  # reading it anew for every client takes longer than all else


@dataclass
class Served:
    """A running server, and who can speak to it."""

    confide: Confide
    url: str
    app: Any
    _clients: list[httpx.AsyncClient]

    async def key(self, kind: str, **fields: Any) -> str:
        if "entity" in fields:
            fields["entity"] = Entity.parse(fields["entity"])
        wanted = Wanted(kind=KeyKind(kind), **({"per_minute": OFTEN} | fields))
        return (await self.confide.keys.create(wanted, actor=operator_as())).secret

    def client(self, secret: str | None = None) -> httpx.AsyncClient:
        headers = {"Authorization": f"Bearer {secret}"} if secret else {}
        limits = httpx.Limits(max_connections=64, max_keepalive_connections=64)
        made = httpx.AsyncClient(
            base_url=self.url, headers=headers, timeout=60, limits=limits, verify=NO_TLS
        )
        self._clients.append(made)
        return made

    async def platform(self, platform: str = "local") -> httpx.AsyncClient:
        made = self.client(await self.key("platform", platform=platform))
        made.is_platform = True  # type: ignore[attr-defined]
        return made

    async def personal(self, entity: str, name: str = "default") -> httpx.AsyncClient:
        return self.client(await self.key("personal", entity=entity, name=name))

    async def token(self, **audience: Any) -> httpx.AsyncClient:
        minted = await (await self.platform()).post("/v1/tokens", json=audience)
        assert minted.status_code == 201, minted.text
        return self.client(minted.json()["token"])


@asynccontextmanager
async def serving(
    confide: Confide, seconds: float = SECONDS, *, is_demo: bool = False
) -> AsyncIterator[Served]:
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    app = build(confide, is_demo=is_demo)
    # A busy machine may take long between two requests of one client.
    config = uvicorn.Config(
        limited(app, seconds),
        http=BoundedHeads,
        log_config=None,
        lifespan="on",
        timeout_keep_alive=600,
    )
    server = uvicorn.Server(config)
    task = asyncio.create_task(server.serve(sockets=[listening]))
    while not server.started:  # noqa: ASYNC110 - uvicorn has no event for it
        await asyncio.sleep(0.01)
    port = listening.getsockname()[1]
    served = Served(confide, f"http://127.0.0.1:{port}", app, [])
    try:
        yield served
    finally:
        for client in served._clients:
            await client.aclose()
        server.should_exit = True
        await task
        listening.close()


@pytest.fixture
async def served(confide: Confide) -> AsyncIterator[Served]:
    async with serving(confide) as one:
        yield one


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def rows(home: Path) -> AsyncIterator[Rows]:
    """One server for a whole file; `rows.fresh()` is a memory in which nothing is."""
    from tests.http.rows import rows_served

    async with rows_served(home) as one:
        yield one


Said = Callable[..., Awaitable[str]]


async def remembered(client: httpx.AsyncClient, text: str, **fields: Any) -> str:
    answer = await client.post("/v1/memories", json={"text": text, **fields})
    assert answer.status_code == 201, answer.text
    return answer.json()["id"]


async def recalled(client: httpx.AsyncClient, question: str, **asking: Any) -> set[str]:
    answer = await client.post("/v1/recall", json={"question": question, **asking})
    assert answer.status_code == 200, answer.text
    return {one["id"] for one in answer.json()["memories"]}
