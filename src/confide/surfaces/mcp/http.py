"""MCP over streamable HTTP. Each request carries its key or token, and nothing outlives it.

There are no sessions: whoever guesses or replays an id has nothing, and a request can be answered
by any of several server processes.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Any, Final

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.requests import Request
from starlette.responses import Response

from confide.errors import ConfideError, NotRecognized
from confide.model import Namespace
from confide.reading import read_namespace
from confide.surfaces.callers import Caller, identify
from confide.surfaces.http.problems import problem_of
from confide.surfaces.mcp.profiles import COMMUNITY, PROFILE, PROFILES, WORKSPACE, find_profile
from confide.surfaces.mcp.server import build
from confide.surfaces.mcp.visit import GLOBAL_LEVEL, Session, Visit

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

    from confide.memories import Confide

MOST_BYTES: Final = 256 * 1024
_CALLER: Final = "confide.caller"
_NAMESPACE: Final = "confide.namespace"


class McpDoor:
    """The application under `/mcp`. It answers while it is `running`."""

    def __init__(self, confide: Confide) -> None:
        self._confide = confide
        self._answering: dict[str, StreamableHTTPSessionManager] = {}

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None, None]:
        answering = {
            name: StreamableHTTPSessionManager(
                build(self._visiting, profile),
                json_response=True,
                stateless=True,
                max_request_body_size=MOST_BYTES,
            )
            for name, profile in PROFILES.items()
        }
        async with AsyncExitStack() as running:
            for one in answering.values():
                await running.enter_async_context(one.run())
            self._answering = answering
            try:
                yield
            finally:
                self._answering = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope)
        if request.method != "POST":  # nothing is ever sent without being asked
            await Response(status_code=405, headers={"Allow": "POST"})(scope, receive, send)
            return
        try:
            caller = await identify(self._confide, _bearer(request), "mcp")
            scope = {**scope, _CALLER: caller, _NAMESPACE: _workspace(request)}
            profile = find_profile(request.headers.get(PROFILE, COMMUNITY.name))
        except ConfideError as problem:
            await problem_of(problem)(scope, receive, send)
            return
        assert self._answering, "the door answers while it is running"
        await self._answering[profile.name].asgi_app(scope, receive, send)

    async def _visiting(self, context: Any) -> Visit:
        """From the very request that is answered, never from a session."""
        scope = context.request.scope
        caller: Caller = scope[_CALLER]
        return Visit(self._confide, caller, Session(namespace=scope[_NAMESPACE]))


def _bearer(request: Request) -> str:
    scheme, _, secret = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not secret:
        raise NotRecognized("no key was given; send it as `Authorization: Bearer …`")
    return secret.strip()


def _workspace(request: Request) -> Namespace:
    return read_namespace(request.headers.get(WORKSPACE)) or GLOBAL_LEVEL
