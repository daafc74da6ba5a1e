"""An insight as a memory: its own grants once it stands, its sources' clauses until then."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, NamedTuple

from confide.model import Entity, Kind, MemoryType, Scope, Sensitivity, Status, Trust
from confide.privacy.atoms import ANYONE, Atom
from confide.privacy.labels import Origin, label
from confide.privacy.leaves import Called, Leaf
from confide.privacy.policy import union
from confide.store.memory import Memory


class Insight(NamedTuple):
    text: str
    grants: frozenset[Atom]
    by: Entity | None
    is_held: bool  # it holds something a reviewer has to see before anybody is told


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """An insight that waits for a reviewer."""

    memory_id: Annotated[uuid.UUID, Called("id")]
    grants: frozenset[Atom]
    note: Annotated[str, Leaf.HERE] = ""
    proposed_by: str
    proposed_at: datetime
    sources: int


def people_of(memory: Memory) -> frozenset[Entity]:
    """Whom a memory concerns."""
    said_by = {memory.speaker} if memory.speaker else set[Entity]()
    return memory.subjects | said_by


def waits_because(kinds: Sequence[str], *, is_plain: bool) -> str | None:
    """What a reviewer has to look at before anybody is told; None: nothing."""
    if kinds:
        return f"it holds {', '.join(kinds)}, from which somebody could work out a source"
    if not is_plain:
        return "it reads as something personal"
    return None


def insight_memory(
    insight: Insight,
    sources: Sequence[Memory],
    agent: Entity,
    now: datetime,
    waits: str | None,
) -> Memory:
    speaker = insight.by if insight.by != agent else None
    is_public = insight.grants == frozenset({ANYONE})
    origin = Origin(
        agent=agent,
        scope=Scope.PUBLIC if is_public else Scope.GRANTED,
        owner=speaker or agent if is_public else agent,
        speaker=speaker,
        place=None,
        sensitivity=Sensitivity.PUBLIC,
        kind=Kind.KNOWLEDGE,
        grants=frozenset() if is_public else insight.grants,
        inherited=union(one.label for one in sources).clauses if waits else frozenset(),
    )
    return Memory(
        id=uuid.uuid4(),
        text=insight.text,
        owner=origin.owner or agent,
        origin=origin,
        label=label(origin),
        type=MemoryType.SEMANTIC,
        trust=max(
            (one.trust for one in sources), key=lambda trust: trust.rank, default=Trust.INFERRED
        ),
        status=Status.PENDING if insight.is_held else Status.APPROVED,
        confidence=min((one.confidence for one in sources), default=1.0),
        said_at=now,
        created_at=now,
        updated_at=now,
        reinforced_at=now,
        waits_because=waits if insight.is_held else None,
    )
