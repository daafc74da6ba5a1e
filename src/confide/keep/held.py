"""What waits for review: why, and as whoever may decide on it sees it."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, Final

from confide.model import Entity, Kind, Namespace, Scope, Sensitivity, Status, Trust
from confide.privacy.leaves import Leaf
from confide.store.encoding import read_entity


class Reason(StrEnum):
    """Why a memory waits; a reason's beginning tells which it is."""

    CONFIDENCE = "confidence"
    PERSONAL_DATA = "personal-data"
    INSTRUCTION = "instruction"
    EVERYWHERE = "everywhere"
    CHANGED = "changed"
    OTHER = "other"


_BEGINS: Final = {
    "its confidence is below": Reason.CONFIDENCE,
    "it holds personal data": Reason.PERSONAL_DATA,
    "it reads like an instruction": Reason.INSTRUCTION,
    "its owner has to agree": Reason.EVERYWHERE,
    "its words were changed": Reason.CHANGED,
}


NOWHERE: Final = Namespace()


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """A memory that waits. Its words are there only for who may read them."""

    id: uuid.UUID
    owner: Entity
    speaker: Annotated[Entity | None, Leaf.HERE] = None
    kind: Kind
    scope: Scope
    sensitivity: Sensitivity
    trust: Annotated[Trust, Leaf.HERE] = Trust.UNTRUSTED
    confidence: float
    place: Annotated[str | None, Leaf.HERE] = None
    namespace: Annotated[Namespace, Leaf.HERE] = NOWHERE
    waits_because: str
    since: datetime
    is_insight: bool
    text: Annotated[str | None, Leaf.OWN] = None

    @property
    def reason(self) -> Reason:
        said = self.waits_because
        return next((r for start, r in _BEGINS.items() if said.startswith(start)), Reason.OTHER)


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """What became of a memory that waited."""

    id: uuid.UUID
    status: Status
    waits_because: str | None = None


def read_waiting(row: Mapping[str, Any]) -> Waiting:
    return Waiting(
        id=row["id"],
        owner=read_entity(row["owner"]),
        speaker=read_entity(row["speaker"]) if row["speaker"] else None,
        kind=Kind(row["kind"]),
        scope=Scope(row["scope"]),
        sensitivity=Sensitivity(row["sensitivity"]),
        trust=Trust(row["trust"]),
        confidence=row["confidence"],
        place=row["place"],
        namespace=Namespace(row["workspace"], row["namespace_scope"]),
        waits_because=row["waits_because"],
        since=row["created_at"],
        is_insight=row["is_insight"],
    )
