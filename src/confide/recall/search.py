"""Step 2 of recalling: find what fits the question among what this audience may hear."""

from __future__ import annotations

from typing import TYPE_CHECKING

from confide.store import memories
from confide.store.memories import Found

if TYPE_CHECKING:
    from confide.providers.embedder import Vector
    from confide.store.database import Telling


async def search(
    telling: Telling, model: str, vector: Vector, *, top_k: int, similarity: float
) -> list[Found]:
    """By meaning, exactly. An empty answer is an answer."""
    found = await memories.nearest(telling, model, vector, top_k)
    return [one for one in found if one.similarity > similarity]
