"""What was made from what: an insight that nobody approved follows the labels of its sources."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import TYPE_CHECKING

from confide.privacy.policy import union
from confide.store.connection import Connection
from confide.store.encoding import write_clauses
from confide.store.memory import read_memory
from confide.store.queries import query

if TYPE_CHECKING:
    from confide.store.database import Database


async def follow_sources(
    connection: Connection, database: Database, changed: Sequence[uuid.UUID]
) -> list[uuid.UUID]:
    """Take over what the sources say now; returns the insights that have to be labelled again."""
    agent = database.agent
    rows = await connection.fetch(query("generalize", "made_from"), agent, list(changed))
    for row in rows:
        kept = await connection.fetch(query("memories", "kept_many"), agent, row["sources"])
        labels = [read_memory(one, database.agent_entity).label for one in kept]
        await connection.execute(
            query("generalize", "inherit"), agent, row["memory_id"], write_clauses(union(labels))
        )
    return [row["memory_id"] for row in rows]
