"""A person's rights: opting out, off the record, export, and requests about what others said."""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Annotated, Any

from fastapi import Query
from pydantic import BaseModel

from confide.keep.data_requests import DataRequest, Wanted
from confide.surfaces.callers import is_answered_alone, place_for, require_answered_alone
from confide.surfaces.http.door import (
    ADMIN,
    PERSONAL,
    PLATFORM,
    TOKEN,
    As,
    Here,
    for_callers,
    group,
)
from confide.surfaces.http.fields import Done, Fields, PlaceName, Text, Words

router = group("privacy")


class State(BaseModel):
    entity: str
    is_opted_out: bool
    is_global_only: bool
    since: datetime | None
    are_connections_open: bool
    """Whether personal keys also tell what was learned elsewhere."""


class OptOut(Fields):
    is_global_only: bool = False
    """Only what follows one everywhere."""


class Room(Fields):
    place: PlaceName | None = None


class Version(BaseModel):
    id: uuid.UUID
    text: str
    status: str
    said_at: datetime
    changed_at: datetime
    is_current: bool


class History(BaseModel):
    versions: list[Version]


class Export(BaseModel):
    manifest: dict[str, Any]
    files: dict[str, str]
    """The files of the export, by name."""


class NewRequest(Fields):
    what: Wanted
    memory: uuid.UUID | None = None
    text: Text | None = None
    """What is right, for a correction."""


class RequestOut(BaseModel):
    id: uuid.UUID
    asker: str
    what: Wanted
    memory: uuid.UUID | None
    wanted: str | None
    asked_at: datetime
    due_at: datetime
    answered_at: datetime | None
    is_granted: bool | None
    reason: str | None


class Answer(Fields):
    grants: bool
    """Yes takes effect at once; no changes nothing."""
    reason: Text
    """Whoever asked reads it."""


class Requests(BaseModel):
    requests: list[RequestOut]


@router.get("/privacy", response_model=State, **for_callers(PLATFORM, PERSONAL))
async def state(here: Here, as_: As = None) -> Any:
    """What somebody decided about their own memories."""
    who = here.who(as_)
    found = await here.confide.rights.state(who)
    return {
        "entity": str(who),
        "is_opted_out": found.is_opted_out,
        "is_global_only": found.is_global_only,
        "since": found.since,
        "are_connections_open": await here.confide.keys.is_opened(who),
    }


@router.post(
    "/privacy/opt-out", response_model=Done, **for_callers(PLATFORM, PERSONAL, TOKEN, once=True)
)
async def opt_out(here: Here, body: OptOut, as_: As = None) -> Any:
    """Stop keeping and telling what is theirs, or only what follows them everywhere."""
    await here.confide.rights.opt_out(
        here.who(as_), actor=here.actor(as_), is_global_only=body.is_global_only
    )
    return Done()


@router.post("/privacy/opt-in", response_model=Done, **for_callers(PLATFORM, PERSONAL, once=True))
async def opt_in(here: Here, as_: As = None) -> Any:
    """Be remembered again."""
    await here.confide.rights.opt_in(here.who(as_), actor=here.actor(as_))
    return Done()


@router.post(
    "/privacy/off-record", response_model=Done, **for_callers(PLATFORM, PERSONAL, TOKEN, once=True)
)
async def off_record(here: Here, body: Room, as_: As = None) -> Any:
    """From now on nothing of theirs is read or written in this place."""
    who = here.who(as_)
    await here.confide.learning.off_the_record(who, place_for(here.caller, who, body.place))
    return Done()


@router.post(
    "/privacy/on-record", response_model=Done, **for_callers(PLATFORM, PERSONAL, once=True)
)
async def on_record(here: Here, body: Room, as_: As = None) -> Any:
    """Back to normal; what was said meanwhile stays unknown."""
    who = here.who(as_)
    await here.confide.learning.on_the_record(who, place_for(here.caller, who, body.place))
    return Done()


@router.post("/privacy/connections/open", response_model=Done, **for_callers(PLATFORM, once=True))
async def open_connections(here: Here, as_: As = None) -> Any:
    """Let one's personal keys also tell what was learned elsewhere. No key opens its own door."""
    await here.confide.keys.open_connections(here.who(as_), actor=here.actor(as_))
    return Done()


@router.post(
    "/privacy/connections/close", response_model=Done, **for_callers(PLATFORM, PERSONAL, once=True)
)
async def close_connections(here: Here, as_: As = None) -> Any:
    """Let them tell only what was remembered through them."""
    await here.confide.keys.close_connections(here.who(as_), actor=here.actor(as_))
    return Done()


@router.get("/export", response_model=Export, **for_callers(PLATFORM, PERSONAL))
async def export(
    here: Here,
    as_: As = None,
    source: Annotated[
        Words | None, Query(description="Only what came from this platform, file or person.")
    ] = None,
) -> Any:
    """All that is kept of somebody and may be told to them alone."""
    require_answered_alone(here.caller)
    found = await here.confide.rights.export(here.who(as_), actor=here.actor(as_), source=source)
    files = {name: body.decode() for name, body in found.files.items()}
    return {"manifest": dict(found.manifest), "files": files}


@router.get(
    "/memories/{memory_id}/history", response_model=History, **for_callers(PLATFORM, PERSONAL)
)
async def history(here: Here, memory_id: uuid.UUID, as_: As = None) -> Any:
    """What a memory said before it was corrected or replaced, for its owner."""
    require_answered_alone(here.caller)
    found = await here.confide.rights.history(memory_id, actor=here.actor(as_))
    return {
        "versions": [
            Version(
                id=one.id,
                text=one.text,
                status=one.status.value,
                said_at=one.said_at,
                changed_at=one.changed_at,
                is_current=one.is_current,
            )
            for one in found
        ]
    }


@router.post(
    "/requests", response_model=RequestOut, status_code=201, **for_callers(PLATFORM, PERSONAL)
)
async def ask(here: Here, body: NewRequest, as_: As = None) -> Any:
    """Ask about what others said of oneself; the operator answers within 30 days."""
    found = await here.confide.data_requests.ask(
        body.what, here.who(as_), actor=here.actor(as_), memory_id=body.memory, wanted=body.text
    )
    return _request(found)


@router.get("/requests", response_model=Requests, **for_callers(PLATFORM, PERSONAL, ADMIN))
async def requests(
    here: Here,
    as_: As = None,
    answered: Annotated[bool, Query(description="Also those that were answered.")] = False,
) -> Any:
    """What somebody asked for, and what became of it; to an admin the whole queue, without words."""
    actor = here.actor(as_)
    who = None if here.caller.kind is ADMIN else here.who(as_)
    found = await here.confide.data_requests.list(who, actor=actor, with_answered=answered)
    return {"requests": [_request(one, alone=is_answered_alone(here.caller)) for one in found]}


@router.post("/requests/{request_id}/answer", response_model=RequestOut, **for_callers(ADMIN))
async def answer(here: Here, request_id: uuid.UUID, body: Answer) -> Any:
    """Decide on a request. Other words for a memory are granted by somebody who can read them."""
    done = await here.confide.data_requests.answer(
        request_id, grants=body.grants, reason=body.reason, actor=here.actor()
    )
    return _request(done, alone=False)


def _request(one: DataRequest, *, alone: bool = True) -> RequestOut:
    return RequestOut(
        id=one.id,
        asker=str(one.asker),
        what=one.what,
        memory=one.memory_id,
        wanted=one.wanted if alone else None,
        asked_at=one.asked_at,
        due_at=one.due_at,
        answered_at=one.answered_at,
        is_granted=one.is_granted,
        reason=one.reason if alone else None,
    )
