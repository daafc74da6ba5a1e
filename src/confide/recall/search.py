"""Step 2 of recalling: find what fits the question among what this audience may hear."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from confide.model import Trust
from confide.recall.audience import asked_in
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
from confide.store.search import About, Found, Recalled, Sharp, Sought
from confide.store.terms import asked

if TYPE_CHECKING:
    from datetime import datetime

    from confide.privacy.policy import Audience, World
    from confide.providers.embedder import Vector
    from confide.store.database import Database

_SAME_MATTER: Final = 0.5  # two texts that share this part of their words speak of one thing


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """How much a recall brings back, and what the embedding model's cosines mean."""

    top_k: int = 5
    similarity: float | None = None  # instead of the model's own threshold


@dataclass(frozen=True, slots=True)
class Searched:
    """What fits the question best, with all that a last decision on it needs."""

    found: list[Found]
    audience: Audience  # in the place as it is known now
    world: World


async def search(
    database: Database,
    audience: Audience,
    now: datetime,
    question: str,
    vector: Vector,
    wanted: Wanted,
    sharp: Sharp | None = None,
) -> Searched:
    """By words, names and meaning; an empty answer is an answer."""
    calibration = WORDLLAMA
    if wanted.similarity is not None:
        calibration = Calibration(threshold=wanted.similarity)
    sought = Sought(
        question=asked(question),
        vector=vector,
        weights=numbers(calibration),
        top_k=wanted.top_k,
        sharp=sharp,
        searches=[About(part.kinds, part.about) for part in expand(question)],
    )
    got = await asked_in(
        database, audience, now, lambda known: stored.recall(database, known, now, sought)
    )
    ranked = settle(got.best, _contradict, _standing)
    if got.further:
        ranked = _once([*got.further, ranked])
    return Searched(_shared(ranked, got, wanted.top_k), got.audience, got.world)


def _once(results: list[list[Found]]) -> list[Found]:
    """The searches of a broad question take turns; each memory counts once."""
    known = {one.id: one for result in reversed(results) for one in reversed(result)}
    return [known[id] for id in take_turns([[one.id for one in result] for result in results])]


def _shared(ranked: list[Found], got: Recalled, top_k: int) -> list[Found]:
    """In company one author must not drown the others (S14)."""
    if got.audience.viewers <= {got.audience.asker, got.world.agent}:
        return ranked[:top_k]
    voices = [Voice(one.author, one, one.relevance) for one in ranked]
    return share_out(voices, str(got.audience.asker), top_k)


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
