"""Remember, list, forget, restore, correct: the life of one's own memories."""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Annotated, Any

from fastapi import Query
from pydantic import BaseModel, Field

from confide.actor import Actor
from confide.model import Entity, Kind, Scope, Sensitivity, Status
from confide.privacy.acting import CallerKind
from confide.reading import read_namespace, statement
from confide.recall.audience import only_seen_by
from confide.surfaces.callers import audience_for, place_for
from confide.surfaces.http.door import (
    PERSONAL,
    PLATFORM,
    TOKEN,
    As,
    Here,
    Visit,
    for_callers,
    group,
)
from confide.surfaces.http.fields import (
    Done,
    Duration,
    EntityName,
    Fields,
    GranteeName,
    MemoryOut,
    NamespaceName,
    People,
    PlaceName,
    Text,
    Within,
)
from confide.surfaces.http.pages import Cursor, Limit, begins_at, cut

router = group("memories")


class NewMemory(Fields):
    """What somebody wants remembered, with every privacy field."""

    text: Text = Field(examples=["Looking for a new job"])
    by: EntityName | None = None
    """Who said it. A personal key and a token leave it out."""
    place: PlaceName | None = None
    """Where. A personal key and a token leave it out."""
    present: People = Field(default_factory=list)
    source: EntityName | None = None
    """Who told it, if that is not `by`."""
    about: People = Field(default_factory=list)
    """Whom it is about, if that is not whoever told it."""
    kind: Kind | None = None
    sensitivity: Sensitivity | None = None
    scope: Scope | None = None
    """Narrower than the place gives, or `global` where that is allowed; keys of people only ask."""
    access: list[GranteeName] = Field(default_factory=list, max_length=100)
    """Who may hear it. A personal key and a token only ask for that."""
    consent: People = Field(default_factory=list)
    """Who agreed to that: people this key vouches for."""
    namespace: NamespaceName | None = None
    lifetime: Duration | None = None
    confidence: float | None = Field(None, ge=0, le=1)
    said_at: datetime | None = None
    confidential: bool = False
    """Between those who are there now: nobody who comes later hears it."""
    only_for: People = Field(default_factory=list)
    """People and roles of the room who may know it, and nobody else there."""


class Kept(BaseModel):
    """What became of it. `waits_because` says why it is not told yet."""

    id: uuid.UUID
    status: Status
    sensitivity: Sensitivity
    scope: Scope
    kind: Kind
    waits_because: str | None
    is_new: bool
    expires_at: datetime | None
    requests: list[uuid.UUID]
    """What this key may only ask for, and waits for somebody's answer."""
    replaced: list[uuid.UUID]
    """What was said through this key before and is not told any more: this takes its place."""


class Page(BaseModel):
    memories: list[MemoryOut]
    next: str | None
    """Pass it as `cursor` for the next page; null: there is none."""


class Forgotten(BaseModel):
    id: uuid.UUID
    is_erased: bool
    undo_until: datetime | None


@router.post(
    "/memories",
    response_model=Kept,
    status_code=201,
    **for_callers(PLATFORM, PERSONAL, TOKEN, once=True),
)
async def remember(here: Here, body: NewMemory) -> Any:
    """Keep what somebody said, for those who may hear it."""
    fields = body.model_dump(exclude_none=True)
    by = here.speaker(body.by, "by")
    place = place_for(here.caller, by, body.place)
    _require_vouched(here, body)
    fields |= {"by": by, "place": place}
    actor = _who_says_so(here, by)
    done = await here.confide.remember(statement(fields.pop("text"), **fields), actor=actor)
    return {
        "id": done.id,
        "status": done.status,
        "sensitivity": done.memory.sensitivity,
        "scope": done.memory.scope,
        "kind": done.memory.kind,
        "waits_because": done.waits_because,
        "is_new": done.is_new,
        "expires_at": done.memory.expires_at,
        "requests": done.requests,
        "replaced": [one.id for one in done.replaced],
    }


@router.get("/memories", response_model=Page, **for_callers(PLATFORM, PERSONAL, TOKEN))
async def memories(
    here: Here,
    as_: As = None,
    scope: Annotated[Scope | None, Query(description="Only of this level.")] = None,
    namespace: Within = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> Any:
    """One's own memories, newest first, as far as this caller is told them."""
    begin = begins_at(cursor)
    who = here.who(as_)
    if here.caller.kind is PLATFORM:
        heard = only_seen_by(who, read_namespace(namespace))
    else:
        heard = audience_for(here.caller, namespace=namespace)
    found = await here.confide.memories(
        who, scope=scope, limit=limit + 1, offset=begin, audience=heard
    )
    shown, after = cut(found, begin, limit)
    return {"memories": [MemoryOut.of(one, heard) for one in shown], "next": after}


@router.delete(
    "/memories/{memory_id}",
    response_model=Forgotten,
    **for_callers(PLATFORM, PERSONAL, TOKEN, once=True),
)
async def forget(
    here: Here,
    memory_id: uuid.UUID,
    as_: As = None,
    now: Annotated[bool, Query(description="At once and for ever, verified.")] = False,
) -> Any:
    """Never tell it again. Without `now` it can be restored for a while."""
    done = await here.confide.forget(memory_id, actor=here.actor(as_), now=now)
    return {"id": memory_id, "is_erased": done.is_erased, "undo_until": done.undo_until}


@router.post(
    "/memories/{memory_id}/restore",
    response_model=Done,
    **for_callers(PLATFORM, PERSONAL, once=True),
)
async def restore(here: Here, memory_id: uuid.UUID, as_: As = None) -> Any:
    """Undo a `forget` that was not `now`."""
    await here.confide.restore(memory_id, actor=here.actor(as_))
    return Done()


def _who_says_so(here: Visit, by: Entity) -> Actor:
    """For the trail. The agent acts through nobody's name, so its platform does it as itself."""
    if by == here.caller.agent:
        return Actor(None, CallerKind.PLATFORM)
    return here.actor(str(by))


def _require_vouched(here: Visit, body: NewMemory) -> None:
    """Presence, sources and agreement are attested, so only for those the key vouches for."""
    for who in (*body.present, *body.consent):
        here.own(who, "present" if who in body.present else "consent")
    if body.source is not None and here.caller.kind is not PERSONAL:
        here.own(body.source, "source")
