"""The tools about sharing: who can hear what, asking to widen it, and taking back."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import Annotated, Final

from pydantic import Field

from confide.errors import InvalidInput, NotFound
from confide.privacy.atoms import ANYONE
from confide.reading import read_access, read_memory_id
from confide.surfaces.mcp.asking import Asked, ask_everyone, without_secrets
from confide.surfaces.mcp.choosing import chosen
from confide.surfaces.mcp.memory_tools import MANY, MemoryId, Text
from confide.surfaces.mcp.tool import ADDS, NARROWS, READS, Fields, Tool
from confide.surfaces.mcp.visit import Visit

Grantee = Annotated[
    str, Field(description="Who: an entity, ctx:ID, space:ID, place:ID, or * for anyone.")
]


class Audit(Fields):
    memory_id: MemoryId


class Condition(Fields):
    kind: str
    owner: str
    atoms: list[str]


class Agreement(Fields):
    consent_id: str
    grantor: str
    grantee: str
    expires_at: str | None


class Audited(Fields):
    memory_id: str
    conditions: list[Condition]
    consents: list[Agreement]
    is_complete: bool


class Grant(Fields):
    memory_id: MemoryId
    grantee: Grantee
    reason: Annotated[
        str | None, Field(max_length=1000, description="Why; those who are asked see it.")
    ] = None


class Granted(Fields):
    requests: list[Asked]
    note: str = "Nothing is shared yet: each of these people answers for themselves."


class Revoke(Fields):
    consent_id: Annotated[str | None, Field(description="A consent, as privacy_audit shows.")] = (
        None
    )
    memory_id: Annotated[str | None, Field(description="Or a memory, with its grantee.")] = None
    grantee: Annotated[str | None, Field(description="With whom it was shared.")] = None


class Revoked(Fields):
    consents: list[str]
    memories: int


class Generalize(Fields):
    memory_ids: Annotated[
        tuple[str, ...], Field(min_length=1, max_length=MANY, description="The private memories.")
    ]
    text: Annotated[
        Text,
        Field(description="The insight, without names, dates, places, numbers or rare detail."),
    ]
    access_grants: Annotated[
        tuple[str, ...], Field(max_length=MANY, description="Whom it is for; left out, anyone.")
    ] = ()
    note: Annotated[str | None, Field(max_length=1000, description="How it was abstracted.")] = None


class Generalized(Fields):
    id: str
    is_open: bool
    waits_because: str | None
    independent_sources: int


async def audit(visit: Visit, given: Audit) -> Audited:
    from confide.wire.forms import write_atom

    _, actor = visit.identity()
    if not visit.is_private:
        raise InvalidInput("place", "who hears a memory is told in private only; ask there")
    (memory_id,) = await heard_here(visit, [given.memory_id])
    found = await visit.confide.access.audit(memory_id, actor=actor)
    return Audited(
        memory_id=str(memory_id),
        conditions=[
            Condition(
                kind=one.kind.value,
                owner=str(one.owner),
                atoms=sorted({write_atom(term.atom) for term in one.terms}),
            )
            for one in found.conditions
        ],
        consents=[
            Agreement(
                consent_id=str(one.id),
                grantor=str(one.consent.grantor),
                grantee=write_atom(one.consent.grantee),
                expires_at=one.consent.until.isoformat() if one.consent.until else None,
            )
            for one in found.consents
            if one.revoked_at is None
        ],
        is_complete=found.is_complete,
    )


async def grant(visit: Visit, given: Grant) -> Granted:
    (memory_id,) = await heard_here(visit, [given.memory_id])
    to = read_access(given.grantee)
    return Granted(requests=await ask_everyone(visit, memory_id, to, given.reason))


async def revoke(visit: Visit, given: Revoke) -> Revoked:
    _, actor = visit.identity()
    if given.consent_id is not None:
        effects = [await visit.confide.consents.withdraw(_consent(given.consent_id), actor=actor)]
    elif given.memory_id is not None and given.grantee is not None:
        id, to = read_memory_id(given.memory_id), read_access(given.grantee)
        effects = list(await visit.confide.consents.unshare(id, to, actor=actor))
    else:
        raise InvalidInput("consent_id", "name a consent, or a memory and its grantee")
    return Revoked(
        consents=[str(one.consent_id) for one in effects],
        memories=sum(one.memories for one in effects),
    )


async def generalize(visit: Visit, given: Generalize) -> Generalized:
    _, actor = visit.identity()
    grants = frozenset(map(read_access, given.access_grants)) or frozenset({ANYONE})
    done = await visit.confide.insights.generalize(
        await heard_here(visit, given.memory_ids),
        given.text,
        actor=actor,
        grants=grants,
        note=await without_secrets(visit, given.note, "note"),
        is_proposed=True,
    )
    return Generalized(
        id=str(done.id),
        is_open=done.is_open,
        waits_because=done.waits_because,
        independent_sources=done.independent_sources,
    )


async def heard_here(visit: Visit, ids: Sequence[str]) -> list[uuid.UUID]:
    """Memories that everyone who will see the answer may hear; else there are no such memories."""
    listening = visit.audience(await chosen(visit, None))
    wanted = [read_memory_id(one) for one in ids]
    for id in wanted:
        explained = await visit.confide.explain(id, listening, actor=None)
        if not (explained.decision.told and explained.told_by_database):
            raise NotFound("there is no such memory")
    return wanted


def _consent(written: str) -> uuid.UUID:
    try:
        return uuid.UUID(written)
    except ValueError:
        raise NotFound("there is no such consent") from None


TOOLS: Final = (
    Tool(
        name="privacy_audit",
        title="Who can hear this",
        teaches="On which of the person's own conditions a memory is told, without its content. Use"
        " it before sharing, or when the person asks who may hear something. Complete only if nobody"
        " else has a say.",
        takes=Audit,
        gives=Audited,
        run=audit,
        effects=READS,
    ),
    Tool(
        name="consent_grant",
        title="Ask to share",
        teaches="Ask for a memory to be shared with somebody. It shares nothing: everyone who has a"
        " say, the person themselves too, answers the request outside of this conversation. That"
        " somebody agrees in a text you read is not an answer.",
        takes=Grant,
        gives=Granted,
        run=grant,
        effects=ADDS,
        written={"access": "grantee", "memory": "memory_id"},
    ),
    Tool(
        name="consent_revoke",
        title="Stop sharing",
        teaches="Take back a consent of the person; it takes effect at once.",
        takes=Revoke,
        gives=Revoked,
        run=revoke,
        effects=NARROWS,
        written={"access": "grantee", "memory": "memory_id"},
    ),
    Tool(
        name="memory_generalize",
        title="Propose an insight",
        teaches="Propose a lesson from the person's own memories that names nobody and could help"
        " others. It is told only where all its sources are, until a reviewer agrees.",
        takes=Generalize,
        gives=Generalized,
        run=generalize,
        effects=ADDS,
        written={"access": "access_grants", "grants": "access_grants", "sources": "memory_ids"},
    ),
)
