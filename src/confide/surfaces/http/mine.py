"""One's own memories looked through, and what others said about oneself: for their eyes alone."""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Annotated, Any

from fastapi import Query
from pydantic import BaseModel

from confide.errors import NotAllowed
from confide.model import Kind, Scope
from confide.reading import read_namespace
from confide.recall.audience import only_seen_by
from confide.surfaces.callers import require_answered_alone, speaks_for
from confide.surfaces.http.door import PERSONAL, PLATFORM, As, Here, Visit, for_callers, group
from confide.surfaces.http.fields import MemoryOut, Plain, Within
from confide.surfaces.http.pages import Cursor, Limit, begins_at, cut
from confide.surfaces.http.recalling import Evidence

router = group("mine")
Space = Annotated[
    Annotated[str, Plain] | None,
    Query(max_length=128, description="As asked in a space: what is public there, too."),
]


class Found(BaseModel):
    memories: list[MemoryOut]


class Mentions(BaseModel):
    memories: list[MemoryOut]
    next: str | None
    """Pass it as `cursor` for the next page; null: there is none."""


class Seen(BaseModel):
    memory: MemoryOut
    evidence: list[Evidence]


class Count(BaseModel):
    scope: Scope
    kind: Kind
    memories: int
    updated_at: datetime


class Stats(BaseModel):
    """Counts of what one may hear; what is withheld is not counted."""

    counts: list[Count]
    mentions: int


@router.get("/mine/search", response_model=Found, **for_callers(PLATFORM, PERSONAL))
async def search(
    here: Here,
    question: Annotated[
        str, Plain, Query(min_length=1, max_length=4096, examples=["where do I live?"])
    ],
    as_: As = None,
    namespace: Within = None,
    limit: Limit = 20,
) -> Any:
    """One's own memories that fit a question, best first."""
    require_answered_alone(here.caller)
    within = read_namespace(namespace)
    found = await here.confide.mine.search(here.who(as_), question, namespace=within, limit=limit)
    seen = only_seen_by(here.who(as_), within)
    return {"memories": [MemoryOut.of(one, seen) for one in found]}


@router.get("/mine/mentions", response_model=Mentions, **for_callers(PLATFORM, PERSONAL))
async def mentions(
    here: Here, as_: As = None, space: Space = None, limit: Limit = 50, cursor: Cursor = None
) -> Any:
    """What others said about oneself, where one may hear it."""
    require_answered_alone(here.caller)
    begin = begins_at(cursor)
    found = await here.confide.mine.mentions(
        here.who(as_), space=_own(here, space), limit=limit + 1, offset=begin
    )
    shown, after = cut(found, begin, limit)
    seen = only_seen_by(here.who(as_), space=space)
    return {"memories": [MemoryOut.of(one, seen) for one in shown], "next": after}


@router.get("/mine/stats", response_model=Stats, **for_callers(PLATFORM, PERSONAL))
async def stats(here: Here, as_: As = None, space: Space = None, namespace: Within = None) -> Any:
    """How many, by level and kind."""
    require_answered_alone(here.caller)
    found = await here.confide.mine.stats(
        here.who(as_), space=_own(here, space), namespace=read_namespace(namespace)
    )
    return {
        "counts": [
            Count(scope=one.scope, kind=one.kind, memories=one.memories, updated_at=one.updated_at)
            for one in found.counts
        ],
        "mentions": found.mentions,
    }


@router.get("/memories/{memory_id}", response_model=Seen, **for_callers(PLATFORM, PERSONAL))
async def view(
    here: Here,
    memory_id: uuid.UUID,
    as_: As = None,
    space: Space = None,
    namespace: Within = None,
) -> Any:
    """One memory that is theirs or about them, with the words that led to it."""
    require_answered_alone(here.caller)
    who, within = here.who(as_), read_namespace(namespace)
    seen = await here.confide.mine.view(who, memory_id, space=_own(here, space), namespace=within)
    return {
        "memory": MemoryOut.of(seen.memory, only_seen_by(who, within, space)),
        "evidence": [{"speaker": by, "text": text} for by, text in seen.evidence],
    }


def _own(here: Visit, space: str | None) -> str | None:
    """That somebody is asking in a space is the platform's to say."""
    if space is not None and not speaks_for(here.caller, space):
        raise NotAllowed("space: this key does not speak for that space; leave it out")
    return space
