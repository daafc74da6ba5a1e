"""What a search finds, before anything is written of it."""

from __future__ import annotations

from datetime import datetime

from confide import Confide
from confide.privacy.policy import Audience
from confide.providers.wordllama import embed
from confide.recall.search import Order, Wanted, search
from confide.store.search import Found


async def found(
    confide: Confide, question: str, who: Audience, now: datetime, top_k: int = 200
) -> list[tuple[Found, float]]:
    """Memories and what each weighs, best first."""
    vector = embed([question])[0].tolist()
    got = await search(confide.database, who, now, question, vector, Wanted(top_k=top_k))
    order = Order(got.audience, got.world, top_k)
    return [(one, order.weight(one)) for one in got.found]
