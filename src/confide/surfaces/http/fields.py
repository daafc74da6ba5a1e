"""What is sent and answered, as typed fields. A field nobody knows is a mistake, not an identity."""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Annotated

from fastapi import Query
from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from confide.egress import origin_for
from confide.model import Kind, MemoryType, Scope, Sensitivity, Status
from confide.privacy.place_forms import FORMS, PARTS
from confide.privacy.policy import Audience
from confide.store.memory import Memory
from confide.wire.forms import write_namespace


def _plain(text: str) -> str:
    """What no database stores is refused before anything looks at it."""
    if "\x00" in text:
        raise ValueError("has a NUL byte; remove it")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError("holds a lone surrogate; pass valid Unicode") from None
    return text


Plain = AfterValidator(_plain)
Text = Annotated[str, Plain, Field(min_length=1, max_length=32 * 1024)]
Words = Annotated[str, Plain, Field(min_length=1, max_length=256)]
EntityName = Annotated[
    str,
    Plain,
    Field(max_length=160, examples=["human:alice"], description="Somebody, as `namespace:id`."),
]
PlaceName = Annotated[
    str,
    Plain,
    Field(
        max_length=600,
        examples=["public:general@guild"],
        description="; ".join(f"`{form}` {meaning}" for form, meaning in FORMS.items())
        + f". {PARTS}",
    ),
]
Duration = Annotated[
    str, Field(max_length=16, examples=["2w"], description="12h, 3d, 2w, 6m or 1y.")
]
NamespaceName = Annotated[
    str,
    Plain,
    Field(max_length=300, examples=["thesis/track:1"], description="W, W/track:1 or /paper:7."),
]
#: Of what is listed: that of a namespace and of what it lies in; without one, of no workspace.
Within = Annotated[
    NamespaceName | None, Query(description="With those of a workspace and what it lies in.")
]
GranteeName = Annotated[
    str,
    Plain,
    Field(
        max_length=600,
        examples=["human:bob"],
        description="Who may hear it: an entity, ctx:ID, space:ID, place:ID or * (anyone).",
    ),
]
People = Annotated[list[EntityName], Field(max_length=1000)]
#: Everyone in a place, however large it is; more come in another request.
Crowd = Annotated[list[EntityName], Field(max_length=100_000)]


class Fields(BaseModel):
    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)


class Asking(Fields):
    """Who asks, where the answer will appear, and who else sees it there.

    A platform key says all of it. A personal key and a token leave it out: theirs is fixed.
    """

    asker: EntityName | None = None
    place: PlaceName | None = None
    present: People = Field(default_factory=list)
    """Who else is there, as far as the platform can name them."""
    namespace: NamespaceName | None = None
    purpose: Words | None = None


class Done(Fields):
    """It was done."""

    done: bool = True


class MemoryOut(BaseModel):
    """A memory that this caller may hear."""

    id: uuid.UUID
    text: str
    kind: Kind
    type: MemoryType
    scope: Scope
    sensitivity: Sensitivity
    status: Status
    owner: str
    speaker: str | None
    subjects: list[str]
    place: str | None
    """Where it was said; null where this caller is not to know."""
    namespace: str | None
    """Its owner's workspace that it is in."""
    confidence: float
    said_at: datetime
    updated_at: datetime
    expires_at: datetime | None

    @classmethod
    def of(cls, memory: Memory, audience: Audience) -> MemoryOut:
        return cls(
            id=memory.id,
            text=memory.text,
            kind=memory.kind,
            type=memory.type,
            scope=memory.scope,
            sensitivity=memory.sensitivity,
            status=memory.status,
            owner=str(memory.owner),
            speaker=memory.told_by,
            subjects=memory.about,
            place=origin_for(memory.origin, audience),
            namespace=_namespace(memory, audience),
            confidence=round(memory.confidence, 4),
            said_at=memory.said_at,
            updated_at=memory.updated_at,
            expires_at=memory.expires_at,
        )


def _namespace(memory: Memory, audience: Audience) -> str | None:
    """How somebody sorts their memories is for them alone."""
    namespace = memory.origin.namespace
    is_own = memory.owner == audience.asker
    return write_namespace(namespace) if namespace is not None and is_own else None
