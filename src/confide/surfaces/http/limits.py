"""Around every request: an id, a time limit, a size limit, one line in the log, a count."""

from __future__ import annotations

import asyncio
import logging
import time
import uuid
from typing import TYPE_CHECKING, Final

from confide.surfaces.http.heads import MOST_BYTES as MOST_HEAD
from confide.surfaces.http.logs import request_id
from confide.surfaces.http.problems import (
    HeadTooLarge,
    TooLarge,
    TooSlow,
    UnknownHost,
    UnknownOrigin,
    problem_of,
)

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from confide.surfaces.http.metrics import Metrics

log = logging.getLogger("confide.http")
MOST_BYTES: Final = 256 * 1024
#: A stream of messages is read line by line, and each line is limited instead.
MOST_STREAMED: Final = 64 * 1024 * 1024
SECONDS: Final = 30.0
LONG_SECONDS: Final = 600.0
STREAMS: Final = "/v1/messages/stream"
#: An export goes to disk as it comes, and is read from there.
IMPORTS: Final = "/v1/imports"
IMPORT: Final = "/import"  # the page of the console
MOST_IMPORTED: Final = 1024 * 1024 * 1024
MOST: Final = {STREAMS: MOST_STREAMED, IMPORTS: MOST_IMPORTED, IMPORT: MOST_IMPORTED}
#: Work whose length is that of what is kept. Stopping it anywhere does no harm.
LONG: Final = frozenset(
    {
        STREAMS, IMPORTS, IMPORT, "/v1/gc", "/v1/jobs/learn", "/v1/vectors/reembed", "/v1/vectors/calibrate",
        "/v1/doctor", "/v1/doctor/mend", "/v1/trail/verify",
    }
)  # fmt: skip
MCP: Final = "/mcp"
METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class Limits:
    """The outermost layer. Nothing of one request outlives it."""

    def __init__(self, app: ASGIApp, metrics: Metrics, seconds: float = SECONDS) -> None:
        self._app = app
        self._metrics = metrics
        self._seconds = seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        id = uuid.uuid4().hex
        held = request_id.set(id)
        try:
            await self._answer(_Exchange(scope, receive, send, id))
        finally:
            request_id.reset(held)

    async def _answer(self, exchange: _Exchange) -> None:
        began = time.monotonic()
        self._metrics.begin()
        is_long = exchange.scope["path"] in LONG
        try:
            async with asyncio.timeout(LONG_SECONDS if is_long else self._seconds):
                exchange.require_size()
                await self._app(exchange.scope, exchange.receive, exchange.send)
        except TimeoutError:
            await exchange.refuse(TooSlow("it took longer than anybody waits; ask for less"))
        except (TooLarge, HeadTooLarge, UnknownHost, UnknownOrigin) as problem:
            await exchange.refuse(problem)
        except asyncio.CancelledError:
            exchange.status = 499  # whoever asked has left
            raise
        except Exception as problem:
            log.exception("unexpected")
            await exchange.refuse(problem)
        finally:
            self._finish(exchange, time.monotonic() - began)

    def _finish(self, exchange: _Exchange, seconds: float) -> None:
        route = getattr(exchange.scope.get("route"), "path_format", None)
        # An unknown path is whatever somebody typed, and is not written down.
        path = exchange.scope.get("confide.route") or route or "unknown"
        if exchange.scope["path"] == MCP:
            path = MCP
        method = exchange.scope["method"]
        if method not in METHODS:  # whatever somebody typed, and a new line of numbers for each
            method = "other"
        self._metrics.end(method, path, exchange.status, seconds)
        log.info(
            "answered",
            extra={
                "method": method,
                "route": path,
                "status": exchange.status,
                "milliseconds": round(seconds * 1000, 1),
                "caller": exchange.scope.get("confide.caller"),
                "bytes_read": exchange.read,
            },
        )


class _Exchange:
    """One request and its answer, counted."""

    def __init__(self, scope: Scope, receive: Receive, send: Send, id: str) -> None:
        self.scope = scope
        self._receive, self._send, self._id = receive, send, id
        self.status = 500
        self.read = 0
        self._has_begun = self._has_ended = False
        self._most = MOST.get(scope["path"], MOST_BYTES)

    def require_size(self) -> None:
        if sum(len(name) + len(value) for name, value in self.scope["headers"]) > MOST_HEAD:
            raise HeadTooLarge(f"at most {MOST_HEAD // 1024} KiB of headers are read; send less")
        for name, value in self.scope["headers"]:
            if name == b"content-length" and value.isdigit() and int(value) > self._most:
                raise self._too_large()

    async def receive(self) -> Message:
        message = await self._receive()
        self.read += len(message.get("body", b""))
        if self.read > self._most:
            raise self._too_large()
        return message

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._has_begun = True
            self.status = message["status"]
            message = {**message, "headers": [*message.get("headers", ()), *self._headers()]}
        await self._send(message)
        if message["type"] == "http.response.body" and not message.get("more_body", False):
            self._has_ended = True

    async def refuse(self, problem: Exception) -> None:
        """An answer that has begun cannot become another one; the connection ends instead."""
        if self._has_ended:
            return
        if self._has_begun:
            raise problem
        await problem_of(problem)(self.scope, self._receive, self.send)

    def _too_large(self) -> TooLarge:
        return TooLarge(f"at most {self._most // 1024} KiB are read; send less")

    def _headers(self) -> list[tuple[bytes, bytes]]:
        return [
            (b"x-request-id", self._id.encode()),
            (b"cache-control", b"no-store"),
            (b"x-content-type-options", b"nosniff"),
        ]
