"""Before an answer is sent: what of it may still be said, if somebody else will see it now (B7)."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import replace

from confide.recall.context import Said, Told

#: What may be told now: memories, each with who said what behind it.
Heard = Mapping[uuid.UUID, Sequence[tuple[str, str]]]


def left_of(told: Told, heard: Sequence[tuple[str, str]]) -> Told:
    """A memory with those of its words that may be heard now, and none that were not there before."""
    before = {said.text for said in told.evidence}
    return replace(
        told,
        evidence=tuple(Said(speaker=who, text=text) for who, text in heard if text in before),
    )
