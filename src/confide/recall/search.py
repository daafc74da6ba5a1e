"""Step 2 of recalling: find what fits the question among what this audience may hear."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from confide.model import Trust
from confide.recall.broad import expand, take_turns
from confide.recall.ranking import (
    WORDLLAMA,
    Calibration,
    Voice,
    numbers,
    settle,
    share_out,
)
from confide.store import search as stored
from confide.store.search import Found, Most, Sharp
from confide.store.terms import asked

if TYPE_CHECKING:
    from datetime import datetime

    from confide.providers.embedder import Vector
    from confide.store.database import Telling

#: More are weighed than are told, since a strong memory may overtake a slightly better fit.
_WEIGHED: Final = 20
_SAME_MATTER: Final = 0.5  # two texts that share this part of their words speak of one thing


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """How much a recall brings back, and what the embedding model's cosines mean."""

    top_k: int = 5
    similarity: float | None = None  # instead of the model's own threshold


async def search(
    telling: Telling,
    question: str,
    vector: Vector,
    wanted: Wanted,
    sharp: Sharp | None = None,
) -> list[Found]:
    """By words, names and meaning; an empty answer is an answer."""
    top_k = wanted.top_k
    calibration = WORDLLAMA
    if wanted.similarity is not None:
        calibration = Calibration(threshold=wanted.similarity)
    ranked = await stored.relevant(
        telling,
        vector,
        asked(question),
        numbers(calibration),
        Most(weighed_of_author=top_k + _WEIGHED, of_author=top_k, in_all=4 * top_k),
        sharp,
    )
    ranked = settle(ranked, _contradict, _standing)
    parts = [
        await stored.about(telling, vector, part.kinds, part.about, top_k)
        for part in expand(question)
    ]
    if parts:
        ranked = _once([*parts, ranked])
    return _shared(ranked, telling, top_k)


def _once(results: list[list[Found]]) -> list[Found]:
    """The searches of a broad question take turns; each memory counts once."""
    known = {one.id: one for result in reversed(results) for one in reversed(result)}
    return [known[id] for id in take_turns([[one.id for one in result] for result in results])]


def _shared(ranked: list[Found], telling: Telling, top_k: int) -> list[Found]:
    """In company one author must not drown the others (S14)."""
    if telling.audience.viewers <= {telling.audience.asker, telling.world.agent}:
        return ranked[:top_k]
    voices = [Voice(one.author, one, one.relevance) for one in ranked]
    return share_out(voices, str(telling.audience.asker), top_k)


def _contradict(one: Found, other: Found) -> bool:
    """The same matter of the same person, told differently."""
    a, b = one.row, other.row
    if a["kind"] != b["kind"] or a["text"] == b["text"] or _people(one) != _people(other):
        return False
    if a["attribute"] and b["attribute"]:
        return a["attribute"].partition(":")[0] == b["attribute"].partition(":")[0]
    return len(one.terms & other.terms) >= _SAME_MATTER * max(1, len(one.terms | other.terms))


def _people(one: Found) -> list[str]:
    return sorted(one.row["subjects"]) or [one.author]


def _standing(one: Found) -> tuple[int, datetime]:
    return -Trust(one.row["trust"]).rank, one.row["said_at"]
