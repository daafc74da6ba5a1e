"""What lasts and what was put away: for its owner."""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Any

from pydantic import BaseModel

from confide.model import Kind
from confide.surfaces.callers import require_answered_alone
from confide.surfaces.http.door import PERSONAL, PLATFORM, As, Here, for_callers, group
from confide.surfaces.http.fields import Done
from confide.surfaces.http.pages import Limit

router = group("fading")


class Archived(BaseModel):
    because: str
    memories: int
    until: datetime
    """The first of them goes then."""


class Archive(BaseModel):
    archived: list[Archived]


class Restorable(BaseModel):
    id: uuid.UUID
    text: str
    kind: Kind
    because: str
    until: datetime


class OwnWords(BaseModel):
    memories: list[Restorable]


@router.get("/mine/archived", response_model=Archive, **for_callers(PLATFORM, PERSONAL))
async def archived(here: Here, as_: As = None) -> Any:
    """How much of one's own was put away, why, and until when it can be restored."""
    found = await here.confide.fading.archived(here.who(as_))
    return {
        "archived": [
            Archived(because=one.because, memories=one.memories, until=one.until) for one in found
        ]
    }


@router.get("/mine/archive", response_model=OwnWords, **for_callers(PLATFORM, PERSONAL))
async def restorable(here: Here, as_: As = None, limit: Limit = 50) -> Any:
    """One's own words in the archive, newest first."""
    require_answered_alone(here.caller)
    found = await here.confide.fading.restorable(actor=here.actor(as_), limit=limit)
    return {
        "memories": [
            Restorable(
                id=one.id, text=one.text, kind=one.kind, because=one.because, until=one.until
            )
            for one in found
        ]
    }


@router.post(
    "/memories/{memory_id}/protect",
    response_model=Done,
    **for_callers(PLATFORM, PERSONAL, once=True),
)
async def protect(here: Here, memory_id: uuid.UUID, as_: As = None) -> Any:
    """It neither fades nor expires, and is never one too many."""
    await here.confide.fading.protect(memory_id, actor=here.actor(as_))
    return Done()


@router.post(
    "/memories/{memory_id}/unprotect",
    response_model=Done,
    **for_callers(PLATFORM, PERSONAL, once=True),
)
async def unprotect(here: Here, memory_id: uuid.UUID, as_: As = None) -> Any:
    """It lasts as long as its kind does, from now on."""
    await here.confide.fading.unprotect(memory_id, actor=here.actor(as_))
    return Done()
