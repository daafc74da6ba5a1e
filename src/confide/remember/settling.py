"""Step 6 again, for what waited: once approved it repeats, replaces or stands beside what is known."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from confide.model import Status
from confide.remember.apply import NEAREST, merge
from confide.remember.reconcile import Relation, best, said_before, said_of
from confide.store import memories
from confide.store.queries import query

if TYPE_CHECKING:
    from confide.store.connection import Connection
    from confide.store.database import Database
    from confide.store.memory import Memory


async def settle(
    connection: Connection, database: Database, memory: Memory, now: datetime, above: float
) -> Relation:
    """Compare a memory that was just approved with those under the same label."""
    agent = database.agent
    vector = await connection.fetchval(query("review", "vector"), agent, memory.id)
    if vector is None:
        return Relation.OTHER
    label_id, _ = await memories.intern(connection, agent, memory.label)
    rows = await connection.fetch(
        query("messages", "alike"),
        agent, label_id, str(memory.owner), memory.kind.value, now, vector, NEAREST + 1,
        Status.APPROVED.value, memory.origin.namespace,
    )  # fmt: skip
    known = [(said_before(r), r["similarity"] or 0.0) for r in rows if r["id"] != memory.id]
    found, old = best(said_of(memory), known, above)
    for one in old:
        if one.id is None or found is Relation.OTHER:
            continue
        if found is Relation.SAME:
            await merge(connection, agent, one, memory, now)
        is_newer = found is Relation.NEWER
        replaced, by = (one.id, memory.id) if is_newer else (memory.id, one.id)
        await connection.execute(query("messages", "supersede"), agent, replaced, by, now)
    return found
