"""Memories that contradict each other although both are told, for whoever looks after them."""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Sequence

from confide.remember.reconcile import Said, contradicting
from confide.store.memory import Memory


def contradictions(theirs: Sequence[Memory]) -> list[tuple[uuid.UUID, uuid.UUID]]:
    """Of one person's memories: the older and the newer of each pair, under the same label only."""
    alike: dict[object, list[Said]] = defaultdict(list)
    for one in theirs:
        alike[one.label, one.kind, one.origin.namespace].append(_said(one))
    return [
        (older.id, newer.id)
        for said in alike.values()
        if len(said) > 1
        for older, newer in contradicting(said)
        if older.id is not None and newer.id is not None
    ]


def _said(memory: Memory) -> Said:
    return Said(
        id=memory.id,
        text=memory.text,
        said_at=memory.said_at,
        trust=memory.trust,
        speaker=str(memory.speaker) if memory.speaker else None,
        subjects=frozenset(str(one) for one in memory.subjects),
        attribute=memory.attribute,
    )
