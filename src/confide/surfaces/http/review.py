"""Review: what waits, shown to whom it belongs and to reviewers, approved, rejected, edited, moved."""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Annotated, Any

from fastapi import Query
from pydantic import BaseModel

from confide.keep.reviewing import Decided, Reason
from confide.keep.reviewing import Waiting as Held
from confide.model import Kind, Scope, Sensitivity, Status
from confide.reading import read_namespace
from confide.surfaces.callers import is_answered_alone, require_answered_alone
from confide.surfaces.http.door import PERSONAL, PLATFORM, As, Here, Visit, for_callers, group
from confide.surfaces.http.fields import Fields, NamespaceName, Text
from confide.surfaces.http.pages import Limit

router = group("review")


class Waiting(BaseModel):
    """A memory that waits. Its words are there only for who may read them."""

    id: uuid.UUID
    owner: str
    kind: Kind
    scope: Scope
    sensitivity: Sensitivity
    confidence: float
    waits_because: str
    since: datetime
    is_insight: bool
    text: str | None


class Queue(BaseModel):
    waiting: list[Waiting]


class Outcome(BaseModel):
    id: uuid.UUID
    status: Status
    waits_because: str | None


class Edit(Fields):
    text: Text


class Move(Fields):
    scope: Scope | None = None
    """Narrower than it is."""
    namespace: NamespaceName | None = None


@router.get("/review", response_model=Queue, **for_callers(PLATFORM, PERSONAL))
async def waiting(
    here: Here,
    as_: As = None,
    reason: Annotated[Reason | None, Query(description="Only what waits for this.")] = None,
    limit: Limit = 50,
) -> Any:
    """What waits: all of it to reviewers, one's own to everybody else."""
    found = await here.confide.review.waiting(actor=here.actor(as_), reason=reason, limit=limit)
    return {"waiting": [_waiting(here, one) for one in found]}


@router.get("/review/{memory_id}", response_model=Waiting, **for_callers(PLATFORM, PERSONAL))
async def show(here: Here, memory_id: uuid.UUID, as_: As = None) -> Any:
    """One that waits, with its words if one may read them. That a reviewer did is logged."""
    require_answered_alone(here.caller)
    return _waiting(here, await here.confide.review.show(memory_id, actor=here.actor(as_)))


@router.post(
    "/review/{memory_id}/approve",
    response_model=Outcome,
    **for_callers(PLATFORM, PERSONAL, once=True),
)
async def approve(here: Here, memory_id: uuid.UUID, as_: As = None) -> Any:
    """Let it be told."""
    return _outcome(await here.confide.review.approve(memory_id, actor=here.actor(as_)))


@router.post(
    "/review/{memory_id}/reject",
    response_model=Outcome,
    **for_callers(PLATFORM, PERSONAL, once=True),
)
async def reject(here: Here, memory_id: uuid.UUID, as_: As = None) -> Any:
    """Never tell it."""
    return _outcome(await here.confide.review.reject(memory_id, actor=here.actor(as_)))


@router.put(
    "/review/{memory_id}", response_model=Outcome, **for_callers(PLATFORM, PERSONAL, once=True)
)
async def edit(here: Here, memory_id: uuid.UUID, body: Edit, as_: As = None) -> Any:
    """Put it in other words. They are screened like new ones, and wait again."""
    return _outcome(await here.confide.review.edit(memory_id, body.text, actor=here.actor(as_)))


@router.post(
    "/review/{memory_id}/move",
    response_model=Outcome,
    **for_callers(PLATFORM, PERSONAL, once=True),
)
async def move(here: Here, memory_id: uuid.UUID, body: Move, as_: As = None) -> Any:
    """Put it where fewer hear it: a narrower scope, or a namespace of its owner."""
    done = await here.confide.review.move(
        memory_id,
        actor=here.actor(as_),
        scope=body.scope,
        namespace=read_namespace(body.namespace),
    )
    return _outcome(done)


def _waiting(here: Visit, one: Held) -> Waiting:
    return Waiting(
        id=one.id,
        owner=str(one.owner),
        kind=one.kind,
        scope=one.scope,
        sensitivity=one.sensitivity,
        confidence=round(one.confidence, 4),
        waits_because=one.waits_because,
        since=one.since,
        is_insight=one.is_insight,
        text=one.text if is_answered_alone(here.caller) else None,
    )


def _outcome(done: Decided) -> Outcome:
    return Outcome(id=done.id, status=done.status, waits_because=done.waits_because)
