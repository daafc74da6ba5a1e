"""What an admin looks after: jobs, sessions, usage, the state of the store. No content."""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Annotated, Any

from fastapi import Query
from pydantic import BaseModel

from confide.keep import doctor
from confide.keep.status import read_status
from confide.surfaces.http.door import ADMIN, Here, for_callers, group
from confide.surfaces.http.fields import Fields
from confide.surfaces.http.pages import Limit

router = group("upkeep")


class JobOut(BaseModel):
    id: uuid.UUID
    speaker: str
    place: str
    unlearned: int
    due_at: datetime
    due_because: str
    attempts: int
    is_held: bool
    try_after: datetime | None
    failed_because: str | None


class Jobs(BaseModel):
    jobs: list[JobOut]
    messages_left: int


class Again(Fields):
    job: uuid.UUID | None = None
    """Left out: every job that was given up."""


class Retried(BaseModel):
    jobs: int


class SessionOut(BaseModel):
    id: uuid.UUID
    speaker: str
    place: str
    started_at: datetime
    last_activity_at: datetime
    message_count: int
    unlearned: int
    extracted_at: datetime | None
    is_open: bool
    due_because: str | None


class Sessions(BaseModel):
    sessions: list[SessionOut]


class UsedOut(BaseModel):
    person: str | None
    place: str | None
    space: str | None
    operation: str
    model: str
    uses: int
    tokens_read: int
    tokens_written: int
    dollars: float


class BudgetOut(BaseModel):
    whose: str
    spent: float
    most: float


class Usage(BaseModel):
    since: datetime
    used: list[UsedOut]
    dollars: float
    budgets: list[BudgetOut]


class Status(BaseModel):
    agent: str
    is_enabled: bool
    postgres: str
    pgvector: str
    size_bytes: int
    migrations: list[str]
    memories: dict[str, int]


class FindingOut(BaseModel):
    name: str
    says: str
    remedy: str | None
    count: int
    fixed: int
    examples: list[str]
    """A few ids."""


class Examination(BaseModel):
    memories: int
    is_well: bool
    findings: list[FindingOut]


@router.get("/doctor", response_model=Examination, **for_callers(ADMIN))
async def examine(here: Here) -> Any:
    """What is wrong with what is kept, by ids and counts. Nothing is changed."""
    return _examined(await here.confide.doctor.examine())


@router.post("/doctor/mend", response_model=Examination, **for_callers(ADMIN, once=True))
async def mend(here: Here) -> Any:
    """Put right what can be. Nothing is told to more people by that."""
    return _examined(await here.confide.doctor.mend())


@router.get("/jobs", response_model=Jobs, **for_callers(ADMIN))
async def jobs(here: Here, limit: Limit = 50) -> Any:
    """What is due, being learned from, or given up, with the reason and without content."""
    learning = here.confide.learning
    found = await learning.jobs(limit)
    return {
        "jobs": [
            JobOut(
                id=one.id,
                speaker=str(one.speaker),
                place=one.place,
                unlearned=one.unlearned,
                due_at=one.due_at,
                due_because=one.due_because,
                attempts=one.attempts,
                is_held=one.is_held,
                try_after=one.try_after,
                failed_because=one.failed_because,
            )
            for one in found
        ],
        "messages_left": await learning.left(),
    }


@router.post("/jobs/retry", response_model=Retried, **for_callers(ADMIN, once=True))
async def retry(here: Here, body: Again) -> Any:
    """Try given-up jobs once more."""
    return {"jobs": await here.confide.learning.retry(body.job)}


@router.get("/sessions", response_model=Sessions, **for_callers(ADMIN))
async def sessions(here: Here, limit: Annotated[int, Query(ge=1, le=100)] = 50) -> Any:
    """The newest sessions: numbers and times."""
    found = await here.confide.learning.sessions(limit)
    return {
        "sessions": [
            SessionOut(
                id=one.id,
                speaker=str(one.speaker),
                place=one.place,
                started_at=one.started_at,
                last_activity_at=one.last_activity_at,
                message_count=one.message_count,
                unlearned=one.unlearned,
                extracted_at=one.extracted_at,
                is_open=one.is_open,
                due_because=one.due_because,
            )
            for one in found
        ]
    }


@router.get("/usage", response_model=Usage, **for_callers(ADMIN))
async def usage(here: Here) -> Any:
    """This month's tokens and money."""
    spending = here.confide.spending
    used, budgets = await spending.used(), await spending.all_budgets()
    return {
        "since": spending.month(),
        "used": [
            UsedOut(
                person=one.person,
                place=one.place,
                space=one.space,
                operation=one.operation,
                model=one.model,
                uses=one.uses,
                tokens_read=one.tokens_read,
                tokens_written=one.tokens_written,
                dollars=one.dollars,
            )
            for one in used
        ],
        "dollars": sum(one.dollars for one in used),
        "budgets": [BudgetOut(whose=b.whose, spent=b.spent, most=b.most) for b in budgets],
    }


@router.get("/status", response_model=Status, **for_callers(ADMIN))
async def status(here: Here) -> Any:
    """Versions, sizes and counts."""
    found = await read_status(here.confide.database)
    return {
        "agent": here.confide.database.agent,
        "is_enabled": here.confide.settings.enabled,
        "postgres": found.postgres,
        "pgvector": found.pgvector,
        "size_bytes": found.size_bytes,
        "migrations": list(found.migrations),
        "memories": {name.value: count for name, count in found.memories.items()},
    }


def _examined(found: doctor.Examination) -> Examination:
    return Examination(
        memories=found.memories,
        is_well=found.is_well,
        findings=[
            FindingOut(
                name=one.problem.name,
                says=one.problem.says,
                remedy=one.problem.remedy,
                count=one.count,
                fixed=one.fixed,
                examples=list(one.examples),
            )
            for one in found.findings
        ],
    )
