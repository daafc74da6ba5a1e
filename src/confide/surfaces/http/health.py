"""Is it alive, is it ready, what does it speak, how busy is it. No key, no content."""

from __future__ import annotations

import asyncio
from typing import Any

from fastapi import APIRouter, Request
from pydantic import BaseModel
from starlette.responses import JSONResponse, PlainTextResponse

from confide.errors import NotAllowed
from confide.privacy.acting import CallerKind
from confide.store.sessions import DATABASE_TROUBLE
from confide.surfaces.callers import identify
from confide.surfaces.http.door import bearer
from confide.surfaces.http.problems import RESPONSES, problem_of

router = APIRouter(tags=["health"])


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


@router.get(
    "/metrics",
    response_class=PlainTextResponse,
    responses={401: RESPONSES[401], 403: RESPONSES[403], 429: RESPONSES[429]},
)
async def metrics(request: Request) -> Any:
    """For Prometheus. On loopback without a key, elsewhere with an admin key."""
    state = request.app.state
    if state.is_public:
        caller = await identify(state.confide, bearer(request))
        if caller.kind is not CallerKind.ADMIN:
            raise NotAllowed("metrics are for an admin key")
    text = state.metrics.written() + await state.gauges.written()
    return PlainTextResponse(text, media_type="text/plain; version=0.0.4")
