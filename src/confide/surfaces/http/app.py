"""The application: every group of verbs, behind one door, inside one set of limits."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from fastapi import FastAPI
from starlette.routing import Route

from confide import __version__
from confide.surfaces.http import health, problems
from confide.surfaces.http.describing import describe
from confide.surfaces.http.gauges import Gauges
from confide.surfaces.http.limits import SECONDS, Limits
from confide.surfaces.http.metrics import Metrics
from confide.surfaces.mcp.http import McpDoor

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from confide.memories import Confide

#: One file a group of verbs. A new one is added by its name, here and nowhere else.
GROUPS: Final = (
    "remembering",
    "recalling",
    "mine",
    "fading",
    "messages",
    "sharing",
    "contexts",
    "people",
    "places",
    "syncing",
    "privacy",
    "access",
    "insights",
    "keys",
    "review",
    "erasing",
    "upkeep",
    "tending",
    "reporting",
)


def build(confide: Confide, *, is_public: bool = False) -> FastAPI:
    """The routes. `confide` is open for as long as they are served."""
    door = McpDoor(confide)

    @asynccontextmanager
    async def running(_: FastAPI) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(door.running())
            yield

    app = FastAPI(
        title="confide",
        version=__version__,
        lifespan=running,
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        redirect_slashes=False,
        # What is asked and how often would leave through it, whatever the environment says.
        telemetry={"tracing": False, "metrics": False, "logs": False, "auto_configure": False},
    )
    app.state.confide = confide
    app.state.metrics = Metrics()
    app.state.gauges = Gauges(confide)
    app.state.is_public = is_public
    problems.install(app)
    app.include_router(health.router)
    for name in GROUPS:
        app.include_router(import_module(f"confide.surfaces.http.{name}").router)
    app.router.routes.append(Route("/mcp", endpoint=door))
    describe(app)
    return app


def limited(app: FastAPI, seconds: float = SECONDS) -> ASGIApp:
    """With an id, a size limit and a time limit around every request."""
    around: Any = Limits(app, app.state.metrics, seconds)
    return around
