"""Step 2 of recalling: find what fits the question among what this audience may hear."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from confide.recall.audience import asked_in
from confide.recall.broad import expand, take_turns
from confide.recall.claims import claims
from confide.recall.contradicting import contradicts
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
from confide.store.terms import Asked, asked

if TYPE_CHECKING:
    from datetime import datetime

    from confide.privacy.policy import Audience, World
    from confide.providers.embedder import Vector
    from confide.store.database import Database

#: Each is compared with each, and nobody reads so far down.
_COMPARED: Final = 50


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
    read_at: str | None = None  # how far a standby saw, if one answered


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
    merged = _once([*got.further, got.best]) if got.further else got.best
    settled = _settled(merged, sought.question)
    return Searched(_shared(settled, got, sought), got.audience, got.world, got.read_at)


def _once(results: list[list[Found]]) -> list[Found]:
    """The searches of a broad question take turns; each memory counts once."""
    known = {one.id: one for result in reversed(results) for one in reversed(result)}
    return [known[id] for id in take_turns([[one.id for one in result] for result in results])]


def _shared(ranked: list[Found], got: Recalled, sought: Sought) -> list[Found]:
    """In company one author must not drown the others (S14)."""
    if got.audience.viewers <= {got.audience.asker, got.world.agent}:
        return ranked[: sought.top_k]
    voices = [Voice(one.author, one, one.relevance) for one in ranked]
    shared = share_out(voices, str(got.audience.asker), sought.top_k)
    if all(one is other for one, other in zip(shared, ranked, strict=False)):
        return shared
    # The better one of two may have been held back; where both are told it comes first all the same.
    return _settled(shared, sought.question)


def _settled(ranked: list[Found], question: Asked) -> list[Found]:
    """Between memories that contradict each other, first-hand and newer ones come first (S14)."""
    first, rest = ranked[:_COMPARED], ranked[_COMPARED:]
    settled = settle(claims(first, question), contradicts, lambda one: one.standing)
    return [*(one.found for one in settled), *rest]
