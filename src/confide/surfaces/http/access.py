"""Audit: who can hear a memory."""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Any

from pydantic import BaseModel

from confide.privacy.policy import ClauseKind
from confide.surfaces.cli.clauses import clause_as_json
from confide.surfaces.http.door import AUDITOR, PERSONAL, PLATFORM, As, Here, for_callers
from confide.surfaces.http.door import group as routes
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
