"""The application: every group of verbs, behind one door, inside one set of limits."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from fastapi import FastAPI
from starlette.routing import Route

from confide import __version__
from confide.surfaces.console import app as console
from confide.surfaces.http import health, problems
from confide.surfaces.http.declared import routes
from confide.surfaces.http.describing import describe
from confide.surfaces.http.gauges import Gauges
from confide.surfaces.http.hosts import KnownHosts
from confide.surfaces.http.limits import SECONDS, Limits
from confide.surfaces.http.metrics import Metrics
from confide.surfaces.mcp.http import McpDoor
from confide.verbs import GROUPS, group_called

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from confide.memories import Confide

#: Routes that are not made from declared verbs, one file each.
BY_HAND: Final = (
    "remembering",
    "recalling",
    "mine",
    "messages",
    "adding",
    "imports",
    "sharing",
    "access",
    "keys",
)


def build(confide: Confide, *, is_demo: bool = False) -> FastAPI:
    """The routes. `confide` is open for as long as they are served."""
    door = McpDoor(confide)

    @asynccontextmanager
    async def running(_: FastAPI) -> AsyncGenerator[None, None]:
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
    app.state.confide, app.state.is_demo = confide, is_demo
    app.state.metrics = Metrics()
    app.state.gauges = Gauges(confide)
    problems.install(app)
    app.include_router(health.router)
    app.include_router(health.guarded)
    for name in BY_HAND:
        app.include_router(import_module(f"confide.surfaces.http.{name}").router)
    for name in GROUPS:
        app.include_router(routes(group_called(name)))
    app.router.routes.append(Route("/mcp", endpoint=door))
    app.router.routes += console.routes()
    describe(app)
    return app


def limited(app: FastAPI, seconds: float = SECONDS, names: Iterable[str] = ()) -> ASGIApp:
    """With an id, a size limit and a time limit around every request, for whoever asks by one of
    these names or a loopback one."""
    around: Any = Limits(KnownHosts(app, names), app.state.metrics, seconds)
    return around
