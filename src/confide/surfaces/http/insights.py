"""Generalize: an insight that can be shared, from memories that cannot."""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Any

from pydantic import BaseModel, Field

from confide.reading import read_access
from confide.surfaces.callers import require_answered_alone
from confide.surfaces.http.door import ADMIN, PERSONAL, PLATFORM, As, Here, for_callers, group
from confide.surfaces.http.fields import Done, Fields, GranteeName, Text, Words
from confide.wire.forms import write_atom

router = group("insights")


class NewInsight(Fields):
    sources: list[uuid.UUID] = Field(min_length=1, max_length=100)
    text: Text = Field(examples=["Visual models help children who think in pictures"])
    grants: list[GranteeName] = Field(default_factory=lambda: ["*"], min_length=1, max_length=100)
    note: Words | None = None


class Generalized(BaseModel):
    """What became of it. `waits_because` says what a reviewer has to look at."""

    id: uuid.UUID
    is_open: bool
    waits_because: str | None
    independent_sources: int


class Sources(BaseModel):
    sources: list[uuid.UUID]


class WaitingInsight(BaseModel):
    """For whom it is meant and who proposed it. It carries no words."""

    id: uuid.UUID
    grants: list[str]
    proposed_by: str
    proposed_at: datetime
    sources: int


class WaitingInsights(BaseModel):
    insights: list[WaitingInsight]


@router.post(
    "/insights",
    response_model=Generalized,
    status_code=201,
    **for_callers(PLATFORM, PERSONAL, once=True),
)
async def generalize(here: Here, body: NewInsight, as_: As = None) -> Any:
    """Keep an insight made from one's own memories. A text that names somebody is refused."""
    # Whoever may try out texts against memories learns their names and words.
    require_answered_alone(here.caller)
    done = await here.confide.insights.generalize(
        body.sources,
        body.text,
        actor=here.actor(as_),
        grants=frozenset(map(read_access, body.grants)),
        note=body.note,
    )
    return {
        "id": done.id,
        "is_open": done.is_open,
        "waits_because": done.waits_because,
        "independent_sources": done.independent_sources,
    }


@router.get(
    "/insights/{memory_id}/sources", response_model=Sources, **for_callers(PLATFORM, PERSONAL)
)
async def sources(here: Here, memory_id: uuid.UUID, as_: As = None) -> Any:
    """Where an insight came from, for its owner and for nobody else."""
    found = await here.confide.insights.sources_of(memory_id, actor=here.actor(as_))
    return {"sources": found}


@router.get("/insights", response_model=WaitingInsights, **for_callers(ADMIN))
async def waiting(here: Here) -> Any:
    """Insights that wait for the operator, without their words."""
    return {
        "insights": [
            WaitingInsight(
                id=one.memory_id,
                grants=sorted(map(write_atom, one.grants)),
                proposed_by=one.proposed_by,
                proposed_at=one.proposed_at,
                sources=one.sources,
            )
            for one in await here.confide.insights.waiting()
        ]
    }


@router.post("/insights/{memory_id}/reject", response_model=Done, **for_callers(ADMIN, once=True))
async def reject(here: Here, memory_id: uuid.UUID) -> Any:
    """Keep an insight from everybody. Letting one go needs somebody who can read it."""
    await here.confide.insights.review(memory_id, approves=False, actor=here.actor())
    return Done()
