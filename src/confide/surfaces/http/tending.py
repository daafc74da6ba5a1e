"""What an admin sets going: clearing away, learning, vectors. Numbers come back, no content."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from pydantic import BaseModel, Field

from confide.errors import InvalidInput
from confide.surfaces.http.door import ADMIN, Here, Visit, for_callers, group
from confide.surfaces.http.fields import Fields, Words

router = group("upkeep")


class Clearing(Fields):
    preview: bool = False
    """Only say what would be done."""


class Collected(BaseModel):
    """How much was put away or cleared."""

    expired: int
    over_quota: int
    cleared: int
    tellings: int
    raw_messages: int
    erasures: int


class Learning(Fields):
    is_everything: bool = False
    """Also from conversations that still go on."""


class Learned(BaseModel):
    messages: int


class ModelName(Fields):
    model: Words | None = Field(None, examples=["voyage-3.5-lite"])
    """The one that the server's settings name; left out, that one."""


class Embedded(BaseModel):
    model: str
    embedded: int
    left: int


class ScaleOut(BaseModel):
    model: str
    unrelated: float
    threshold: float


@router.post("/gc", response_model=Collected, **for_callers(ADMIN, once=True))
async def clear_away(here: Here, body: Clearing) -> Any:
    """Archive what ended or is over the quota, and clear what was archived long ago."""
    if body.preview:
        return asdict(await here.confide.upkeep.preview())
    return asdict(await here.confide.upkeep.gc(actor=here.actor()))


@router.post("/jobs/learn", response_model=Learned, **for_callers(ADMIN, once=True))
async def learn(here: Here, body: Learning) -> Any:
    """Learn from what is due now, beside the worker that does it anyway."""
    return {"messages": await here.confide.learning.learn(is_everything=body.is_everything)}


@router.post("/vectors/reembed", response_model=Embedded, **for_callers(ADMIN, once=True))
async def reembed(here: Here, body: ModelName) -> Any:
    """Add the vectors that are missing of the model that the server's settings name."""
    model = _configured(here, body.model)
    vectors = here.confide.vectors
    return {
        "model": model,
        "embedded": await vectors.reembed(model),
        "left": await vectors.left(model),
    }


@router.post("/vectors/calibrate", response_model=ScaleOut, **for_callers(ADMIN, once=True))
async def calibrate(here: Here, body: ModelName) -> Any:
    """Measure what that model's similarities mean, on sentences that belong to nobody."""
    model = _configured(here, body.model)
    scale = await here.confide.vectors.calibrate(model)
    return {"model": model, "unrelated": scale.unrelated, "threshold": scale.threshold}


def _configured(here: Visit, named: str | None) -> str:
    """To which provider words leave is decided where the settings are, not by a key."""
    configured = here.confide.settings.embedder
    if named not in (None, configured):
        raise InvalidInput(
            "model",
            f"the server is set to {configured}; set CONFIDE_EMBEDDER there, or run it there",
        )
    return configured
