"""Audit: who can hear a memory, what exists about somebody, when it was told, what happened."""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Annotated, Any

from fastapi import Path, Query
from pydantic import BaseModel

from confide.privacy.policy import ClauseKind
from confide.reading import read_entity
from confide.surfaces.callers import is_answered_alone, require_answered_alone
from confide.surfaces.cli.clauses import clause_as_json
from confide.surfaces.http.door import AUDITOR, PERSONAL, PLATFORM, As, Here, for_callers
from confide.surfaces.http.door import group as routes
from confide.surfaces.http.pages import Limit
from confide.wire.forms import write_atom

router = routes("audit")


class Hearer(BaseModel):
    who: str
    told: bool
    because: str


class Room(BaseModel):
    place: str
    kind: str
    told_to: list[str]
    because: str


class Given(BaseModel):
    id: uuid.UUID
    grantor: str
    grantee: str
    granted_at: datetime
    revoked_at: datetime | None


class Condition(BaseModel):
    """What has to hold before it is told."""

    rule: ClauseKind
    """`hear`: everyone who reads it is among them; `ask`: who asks, or where, is."""
    owner: str
    atoms: list[str]


class Audit(BaseModel):
    """Who can hear a memory. It carries no content."""

    memory: uuid.UUID
    conditions: list[Condition]
    """One's own; an auditor is shown all."""
    is_complete: bool
    """False: somebody else's condition has to hold, too."""
    consents: list[Given]
    heard_by: int | None
    """For an auditor, as the two lists below."""
    people: list[Hearer]
    rooms: list[Room]


class Existing(BaseModel):
    id: uuid.UUID
    kind: str
    sensitivity: str
    status: str
    said_at: datetime
    is_own: bool
    text: str | None
    """Only where they may hear it, and this caller may be answered alone."""


class Exists(BaseModel):
    memories: list[Existing]


class Telling(BaseModel):
    told_at: datetime
    place_kind: str
    place: str | None
    """Null where its id would name who asked."""
    to_you: bool
    """Whether its owner asked. Nobody else is named."""


class Tellings(BaseModel):
    tellings: list[Telling]


@router.get(
    "/memories/{memory_id}/audit",
    response_model=Audit,
    **for_callers(PLATFORM, PERSONAL, AUDITOR),
)
async def audit(here: Here, memory_id: uuid.UUID, as_: As = None) -> Any:
    """Who can hear a memory: one's own conditions; to an auditor everybody, one by one."""
    found = await here.confide.access.audit(memory_id, actor=here.actor(as_))
    return {
        "memory": found.memory_id,
        "conditions": [
            {"rule": one.kind, "owner": str(one.owner), "atoms": clause_as_json(one)["atoms"]}
            for one in found.conditions
        ],
        "heard_by": found.heard_by if here.caller.kind is AUDITOR else None,
        "people": [
            Hearer(who=str(one.who), told=one.told, because=one.because) for one in found.people
        ],
        "rooms": [
            Room(
                place=one.place.id,
                kind=one.place.kind.value,
                told_to=sorted(map(str, one.told_to)),
                because=one.because,
            )
            for one in found.rooms
        ],
        "consents": [
            Given(
                id=one.id,
                grantor=str(one.consent.grantor),
                grantee=write_atom(one.consent.grantee),
                granted_at=one.granted_at,
                revoked_at=one.revoked_at,
            )
            for one in found.consents
        ],
        "is_complete": found.is_complete,
    }


@router.get(
    "/people/{entity}/memories",
    response_model=Exists,
    **for_callers(PLATFORM, PERSONAL, AUDITOR),
)
async def existing(
    here: Here,
    entity: Annotated[str, Path(max_length=160, examples=["human:sarah"])],
    as_: As = None,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
) -> Any:
    """What is somebody's, or about them where they may hear it; to an auditor all that exists."""
    who = read_entity(entity, "entity")
    found = await here.confide.access.existing(who, actor=here.actor(as_), limit=limit)
    return {
        "memories": [
            Existing(
                id=one.id,
                kind=one.kind.value,
                sensitivity=one.sensitivity.value,
                status=one.status.value,
                said_at=one.said_at,
                is_own=one.is_own,
                text=one.text if is_answered_alone(here.caller) else None,
            )
            for one in found
        ]
    }


@router.get(
    "/memories/{memory_id}/tellings", response_model=Tellings, **for_callers(PLATFORM, PERSONAL)
)
async def tellings(here: Here, memory_id: uuid.UUID, as_: As = None, limit: Limit = 20) -> Any:
    """When and where a memory was told, for its owner; nobody who asked is named."""
    require_answered_alone(here.caller)
    found = await here.confide.tellings(memory_id, actor=here.actor(as_), limit=limit)
    return {
        "tellings": [
            Telling(
                told_at=one.told_at,
                place_kind=one.place_kind,
                place=one.place,
                to_you=one.is_to_you,
            )
            for one in found
        ]
    }
