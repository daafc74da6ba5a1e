"""Is it alive, is it ready, what does it speak: no key, no content. How busy is it: with a key."""

from __future__ import annotations

import asyncio
from typing import Any

from fastapi import APIRouter, Request
from pydantic import BaseModel
from starlette.responses import JSONResponse, PlainTextResponse

from confide.store.sessions import DATABASE_TROUBLE
from confide.surfaces.http.door import ADMIN, AUDITOR, Guarded, for_callers
from confide.surfaces.http.problems import RESPONSES, problem_of

router = APIRouter(tags=["health"])
guarded = APIRouter(route_class=Guarded, tags=["health"], responses=RESPONSES)


class Health(BaseModel):
    status: str


@router.get("/healthz", response_model=Health)
async def alive() -> Any:
    """This process answers."""
    return {"status": "alive"}


@router.get("/readyz", response_model=Health, responses={503: RESPONSES[503]})
async def ready(request: Request) -> Any:
    """The database answers, too."""
    try:
        await request.app.state.confide.keys.is_any_valid()
    except DATABASE_TROUBLE as trouble:
        return problem_of(trouble)
    return {"status": "ready"}


@router.get("/openapi.json", include_in_schema=False)
async def document(request: Request) -> JSONResponse:
    # The first time it takes a moment, in which others want to be answered.
    return JSONResponse(await asyncio.to_thread(request.app.openapi))


@guarded.get("/metrics", response_class=PlainTextResponse, **for_callers(AUDITOR, ADMIN))
async def metrics(request: Request) -> Any:
    """Numbers for Prometheus: which routes are asked how often says something about people."""
    state = request.app.state
    text = state.metrics.written() + await state.gauges.written()
    return PlainTextResponse(text, media_type="text/plain; version=0.0.4")
