"""Share, consent, withdraw, and the requests that wait for somebody's yes."""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Annotated, Any, Final

from fastapi import Query
from pydantic import BaseModel, Field

from confide.errors import InvalidInput
from confide.keep.requesting import Request as Wished
from confide.keep.requesting import Wish
from confide.model import Entity
from confide.privacy import atoms
from confide.privacy.acting import Act
from confide.privacy.atoms import Atom
from confide.reading import read_access, read_entities, read_entity, read_lifetime, read_place
from confide.store.consents import About, Given
from confide.surfaces.callers import is_answered_alone, require_answered_alone
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
from confide.surfaces.http.fields import Duration, EntityName, Fields, GranteeName, PlaceName, Words
from confide.wire.forms import write_atom

router = group("consent")
ACTS: Final = tuple(act.name.lower() for act in Act)


class Share(Fields):
    grantee: GranteeName
    where: PlaceName | None = None
    """Only there."""
    purpose: Words | None = None
    lasts: Duration | None = None


class Effect(BaseModel):
    """The consent, and how many memories of one's own say it touches."""

    consent: uuid.UUID
    memories: int


class Withdrawn(BaseModel):
    consents: list[uuid.UUID]


class Agreement(Share):
    """What is agreed to: one memory, all about somebody, or all said in a place."""

    of: EntityName | None = None
    """For whom, if a guardian agrees for a child."""
    memory: uuid.UUID | None = None
    about: EntityName | None = None
    said_in: PlaceName | None = None
    reason: Words | None = None


class Consent(BaseModel):
    id: uuid.UUID
    grantor: str
    grantee: str
    memory: uuid.UUID | None
    about: str | None
    said_in: str | None
    where: str | None
    purpose: str | None
    reason: str | None
    given_by: str | None
    granted_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None


class Consents(BaseModel):
    consents: list[Consent]


class Asked(Fields):
    grantee: GranteeName
    of: list[EntityName] = Field(default_factory=list, max_length=100)
    """Whom to ask; nobody named: everyone else who has a say."""
    where: PlaceName | None = None
    purpose: Words | None = None
    reason: Words | None = None


class ConsentRequest(BaseModel):
    """An act that waits for one person's yes. It carries nothing of what is kept."""

    id: uuid.UUID
    act: str = Field(json_schema_extra={"enum": list(ACTS)})
    """What waits: a consent, or another act that a key only asks for."""
    grantor: str
    grantee: str | None
    memory: uuid.UUID | None
    target: str | None
    """What the act is about, where that is no memory."""
    words: str | None
    """What a memory should say instead."""
    where: str | None
    purpose: str | None
    reason: str | None
    asked_by: str
    asked_at: datetime


class ConsentRequests(BaseModel):
    requests: list[ConsentRequest]


class Reply(Fields):
    agrees: bool
    lasts: Duration | None = None


class Replied(BaseModel):
    agreed: bool
    consent: uuid.UUID | None


@router.post(
    "/memories/{memory_id}/shares",
    response_model=Effect,
    status_code=201,
    **for_callers(PLATFORM, PERSONAL, once=True),
)
async def share(here: Here, memory_id: uuid.UUID, body: Share, as_: As = None) -> Any:
    """Let somebody hear a memory, as far as one has a say in it. All who have one must agree."""
    actor = here.actor(as_)
    done = await here.confide.consents.share(
        memory_id,
        read_access(body.grantee),
        actor=actor,
        where=_where(body.where, here.who(as_)),
        purpose=body.purpose,
        lasts=read_lifetime(body.lasts) if body.lasts else None,
    )
    return {"consent": done.consent_id, "memories": done.memories}


@router.delete(
    "/memories/{memory_id}/shares",
    response_model=Withdrawn,
    **for_callers(PLATFORM, PERSONAL, TOKEN, once=True),
)
async def unshare(
    here: Here,
    memory_id: uuid.UUID,
    grantee: Annotated[str, Query(max_length=600, examples=["human:bob"])],
    as_: As = None,
) -> Any:
    """Take back what one shared; it ends at once."""
    done = await here.confide.consents.unshare(
        memory_id, read_access(grantee), actor=here.actor(as_)
    )
    return {"consents": [one.consent_id for one in done]}


@router.post(
    "/consents",
    response_model=Effect,
    status_code=201,
    **for_callers(PLATFORM, PERSONAL, once=True),
)
async def give(here: Here, body: Agreement, as_: As = None) -> Any:
    """Agree that somebody may hear one memory, all about somebody, or all said in a place."""
    who = here.who(as_)
    await here.require_known(body.memory)
    if not (body.memory or body.about or body.said_in):
        raise InvalidInput("about", "say what it is about: memory, about or said_in")
    grantor = read_entity(body.of, "of") if body.of else who
    about = About(
        memory_id=body.memory,
        subject=read_entity(body.about, "about") if body.about else None,
        origin=read_place(body.said_in, who).id if body.said_in else None,
    )
    given = here.confide.consents.agreement(
        grantor,
        read_access(body.grantee),
        where=_where(body.where, who),
        purpose=body.purpose,
        lasts=read_lifetime(body.lasts) if body.lasts else None,
    )
    done = await here.confide.consents.give(given, about, actor=here.actor(as_), reason=body.reason)
    return {"consent": done.consent_id, "memories": done.memories}


@router.get("/consents", response_model=Consents, **for_callers(PLATFORM, PERSONAL, TOKEN))
async def given_by(here: Here, as_: As = None) -> Any:
    """What one agreed to, also what a guardian agreed to."""
    _require_not_in_company(here)
    found = await here.confide.consents.given_by(here.who(as_), actor=here.actor(as_))
    return {"consents": [_consent(here, one) for one in found]}


@router.delete(
    "/consents/{consent_id}",
    response_model=Effect,
    **for_callers(PLATFORM, PERSONAL, TOKEN, once=True),
)
async def withdraw(here: Here, consent_id: uuid.UUID, as_: As = None) -> Any:
    """Take a consent back; from now on it was never given."""
    done = await here.confide.consents.withdraw(consent_id, actor=here.actor(as_))
    return {"consent": done.consent_id, "memories": done.memories}


@router.post(
    "/memories/{memory_id}/consent-requests",
    response_model=ConsentRequests,
    status_code=201,
    **for_callers(PLATFORM, PERSONAL, TOKEN),
)
async def ask(here: Here, memory_id: uuid.UUID, body: Asked, as_: As = None) -> Any:
    """Ask those who have a say in a memory to agree; until they do, nothing changes."""
    wish = Wish(
        grantee=read_access(body.grantee),
        where=_where(body.where, here.who(as_)),
        purpose=body.purpose,
        reason=body.reason,
    )
    left = await here.confide.consents.ask(
        memory_id, wish, actor=here.actor(as_), of=read_entities(body.of, "of")
    )
    return {"requests": [_request(one) for one in left]}


@router.get(
    "/consent-requests", response_model=ConsentRequests, **for_callers(PLATFORM, PERSONAL, TOKEN)
)
async def waiting(here: Here, as_: As = None) -> Any:
    """What waits for one's answer, also for a child whose guardian one is."""
    _require_not_in_company(here)
    found = await here.confide.consents.requests(here.who(as_))
    return {"requests": [_request(one, alone=is_answered_alone(here.caller)) for one in found]}


@router.post(
    "/consent-requests/{request_id}/answer",
    response_model=Replied,
    **for_callers(PLATFORM, PERSONAL, once=True),
)
async def answer(here: Here, request_id: uuid.UUID, body: Reply, as_: As = None) -> Any:
    """Say yes or no; a yes does what was asked for. A personal key says no only: behind it may be
    a model."""
    done = await here.confide.consents.answer(
        request_id,
        agrees=body.agrees,
        actor=here.actor(as_),
        lasts=read_lifetime(body.lasts) if body.lasts else None,
    )
    return {"agreed": body.agrees, "consent": done.consent_id if done else None}


def _require_not_in_company(here: Visit) -> None:
    """With whom one shares what is nobody else's business in a room."""
    if here.caller.kind is TOKEN:
        require_answered_alone(here.caller)


def _where(written: str | None, who: Entity) -> Atom | None:
    """A place or `space:ID` that a consent is limited to."""
    if written is None:
        return None
    if written.startswith(("space:", "place:")):
        return read_access(written)
    return atoms.place(read_place(written, who).id)


def _consent(here: Visit, one: Given) -> Consent:
    c, about = one.consent, one.about
    return Consent(
        id=one.id,
        grantor=str(c.grantor),
        grantee=write_atom(c.grantee),
        memory=about.memory_id,
        about=str(about.subject) if about.subject else None,
        said_in=about.origin,
        where=write_atom(c.where) if c.where else None,
        purpose=c.purpose if is_answered_alone(here.caller) else None,
        reason=one.reason if is_answered_alone(here.caller) else None,
        given_by=str(one.given_by) if one.given_by else None,
        granted_at=one.granted_at,
        expires_at=c.until,
        revoked_at=one.revoked_at,
    )


def _request(one: Wished, *, alone: bool = True) -> ConsentRequest:
    wish = one.wish
    return ConsentRequest(
        id=one.id,
        grantor=str(one.grantor),
        act=one.act.name.lower(),
        grantee=write_atom(wish.grantee) if wish else None,
        memory=one.about.memory_id,
        target=one.asked.target,
        words=one.asked.words if alone else None,
        where=write_atom(wish.where) if wish and wish.where else None,
        purpose=wish.purpose if wish and alone else None,
        reason=wish.reason if wish and alone else None,
        asked_by=one.asked_by,
        asked_at=one.asked_at,
    )
