"""Step 2 of recalling: find what fits the question among what this audience may hear."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final

from confide.model import MemoryType
from confide.recall.broad import expand, take_turns
from confide.recall.ranking import (
    WORDLLAMA,
    Calibration,
    Voice,
    numbers,
    settle,
    share_out,
    strength,
    weigh,
)
from confide.store import search as stored
from confide.store.adding import written_vector
from confide.store.search import Found
from confide.store.terms import asked, terms

if TYPE_CHECKING:
    from uuid import UUID

    from confide.providers.embedder import Vector
    from confide.store.database import Telling
    from confide.store.memory import Memory

#: More are weighed than are told, since a strong memory may overtake a slightly better fit.
_WEIGHED: Final = 40
_SAME_MATTER: Final = 0.5  # two texts that share this part of their words speak of one thing


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """How much a recall brings back, and what the embedding model's cosines mean."""

    top_k: int = 5
    similarity: float | None = None  # instead of the model's own threshold


async def search(
    telling: Telling, question: str, model: str, vector: Vector, wanted: Wanted, now: datetime
) -> list[Found]:
    """By words, names and meaning; an empty answer is an answer."""
    written = written_vector(vector)
    limit = wanted.top_k + _WEIGHED
    calibration = WORDLLAMA
    if wanted.similarity is not None:
        calibration = Calibration(threshold=wanted.similarity)
    found = await stored.relevant(
        telling, model, written, asked(question), numbers(calibration), limit
    )
    ranked = settle(_weighed(found, now), _contradict, _standing)
    for_each = [
        _weighed(
            await stored.about(telling, model, written, part.kinds, part.about, wanted.top_k), now
        )
        for part in expand(question)
    ]
    if for_each:
        ranked = _once([*for_each, ranked])
    return _shared(ranked, telling, wanted.top_k)


def _weighed(found: list[Found], now: datetime) -> list[Found]:
    return sorted(found, key=lambda one: (-_weight(one, now), -one.memory.said_at.timestamp()))


def _weight(one: Found, now: datetime) -> float:
    m = one.memory
    fades = m.type is MemoryType.EPISODIC and not m.is_protected
    kept = strength(1.0, m.reinforced_at, now, fades=fades)
    value = weigh(one.relevance, strength=kept, confidence=m.confidence, trust=m.trust)
    return round(value, 6)


def _once(results: list[list[Found]]) -> list[Found]:
    """The searches of a broad question take turns; each memory counts once."""
    known: dict[UUID, Found] = {}
    for one in (one for result in results for one in result):
        known.setdefault(one.memory.id, one)
    turns = take_turns([[one.memory.id for one in result] for result in results])
    return [known[id] for id in turns]


def _shared(ranked: list[Found], telling: Telling, top_k: int) -> list[Found]:
    asker = str(telling.audience.asker)
    if telling.audience.viewers <= {telling.audience.asker, telling.world.agent}:
        return ranked[:top_k]
    voices = [
        Voice(str(one.memory.speaker or one.memory.owner), one, one.relevance) for one in ranked
    ]
    return share_out(voices, asker, top_k)


def _contradict(one: Found, other: Found) -> bool:
    """The same matter of the same person, told differently."""
    a, b = one.memory, other.memory
    if a.kind is not b.kind or _people(a) != _people(b) or a.text == b.text:
        return False
    if a.attribute and b.attribute:
        return a.attribute.partition(":")[0] == b.attribute.partition(":")[0]
    said, also = frozenset(terms(a.text)), frozenset(terms(b.text))
    return len(said & also) >= _SAME_MATTER * max(1, len(said | also))


def _people(memory: Memory) -> frozenset[str]:
    return frozenset(map(str, memory.subjects or {memory.speaker or memory.owner}))


def _standing(one: Found) -> tuple[int, datetime]:
    return -one.memory.trust.rank, one.memory.said_at
