"""Step 5 of recalling: write down what is told, before it leaves (S23)."""

from __future__ import annotations

import uuid
from collections.abc import Collection
from typing import TYPE_CHECKING

from confide.store.memories import log_tellings

if TYPE_CHECKING:
    from confide.recall.context import Context
    from confide.store.database import Database


async def log(
    database: Database, context: Context, prompted: Collection[uuid.UUID], read_at: str | None
) -> bool:
    """On the primary, which says whether what a standby read may still be told."""
    return await log_tellings(
        database,
        [told.memory.id for told in context.everything],
        context.audience,
        context.now,
        prompted=prompted,
        weak=[told.memory.id for told in context.perhaps],
        read_at=read_at,
    )
