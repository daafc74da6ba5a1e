"""Reports and the trail's seals: counts to whoever runs the agent, to each person their own."""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated, Any

from fastapi import Query
from pydantic import BaseModel

from confide.model import PlaceKind, Scope
from confide.surfaces.callers import require_answered_alone
from confide.surfaces.http.door import (
    ADMIN,
    AUDITOR,
    PERSONAL,
    PLATFORM,
    As,
    Here,
    for_callers,
    group,
)

router = group("reports")


class MadeOut(BaseModel):
    day: date
    scope: Scope
    memories: int


class EverywhereOut(BaseModel):
    kind: PlaceKind
    memories: int
    updated_at: datetime


class ShareOut(BaseModel):
    name: str
    part: int
    whole: int


class LeaksOut(BaseModel):
    at: datetime
    decisions: int
    between_people: int
    between_scopes: int


class Report(BaseModel):
    """Everything in numbers, and nobody's name."""

    made: list[MadeOut]
    everywhere: list[EverywhereOut]
    metrics: list[ShareOut]
    leaks: LeaksOut | None


class LevelOut(BaseModel):
    scope: Scope
    memories: int
    updated_at: datetime


class Levels(BaseModel):
    levels: list[LevelOut]


class Soundness(BaseModel):
    """Whether anybody changed, removed or added entries of the trail."""

    entries: int
    seals: int
    not_sealed: int
    is_anchored: bool
    problems: list[str]


@router.get("/report", response_model=Report, **for_callers(ADMIN))
async def overview(here: Here, days: Annotated[int, Query(ge=1, le=366)] = 30) -> Any:
    """Memories by day and level, what is told everywhere, and how well it all works."""
    found = await here.confide.reports.overview(actor=here.actor(), days=days)
    return {
        "made": [MadeOut(day=m.day, scope=m.scope, memories=m.memories) for m in found.made],
        "everywhere": [
            EverywhereOut(kind=one.kind, memories=one.memories, updated_at=one.updated_at)
            for one in found.everywhere
        ],
        "metrics": [ShareOut(name=m.name, part=m.part, whole=m.whole) for m in found.metrics],
        "leaks": found.leaks
        and LeaksOut(
            at=found.leaks.at,
            decisions=found.leaks.decisions,
            between_people=found.leaks.between_people,
            between_scopes=found.leaks.between_scopes,
        ),
    }


@router.get("/mine/report", response_model=Levels, **for_callers(PLATFORM, PERSONAL))
async def of_person(here: Here, as_: As = None) -> Any:
    """One's own memories by level, as far as one may hear them."""
    require_answered_alone(here.caller)
    found = await here.confide.reports.of_person(here.who(as_), actor=here.actor(as_))
    return {
        "levels": [
            LevelOut(scope=one.scope, memories=one.memories, updated_at=one.updated_at)
            for one in found
        ]
    }


@router.get("/trail/verify", response_model=Soundness, **for_callers(AUDITOR, ADMIN))
async def verify(here: Here) -> Any:
    """Look at every entry, every seal and every memory's last entry."""
    found = await here.confide.trail.verify()
    return {
        "entries": found.entries,
        "seals": found.seals,
        "not_sealed": found.not_sealed,
        "is_anchored": found.is_anchored,
        "problems": list(found.problems),
    }
