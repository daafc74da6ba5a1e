"""What is sent and answered, as typed fields. A field nobody knows is a mistake, not an identity."""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from confide.model import Kind, MemoryType, Scope, Sensitivity, Status


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
        description="dm, group:ID, public:ID@SPACE, restricted:ID@SPACE, thread:ID@PARENT, ctx:ID.",
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
    confidence: float
    said_at: datetime
    updated_at: datetime
    expires_at: datetime | None

    @classmethod
    def of(cls, memory: Any) -> MemoryOut:
        return cls(
            id=memory.id,
            text=memory.text,
            kind=memory.kind,
            type=memory.type,
            scope=memory.scope,
            sensitivity=memory.sensitivity,
            status=memory.status,
            owner=str(memory.owner),
            speaker=str(memory.speaker) if memory.speaker else None,
            subjects=sorted(map(str, memory.subjects)),
            place=memory.origin.place.id if memory.origin.place else None,
            confidence=round(memory.confidence, 4),
            said_at=memory.said_at,
            updated_at=memory.updated_at,
            expires_at=memory.expires_at,
        )
