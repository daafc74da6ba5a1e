"""Ids of people whom only a speaker knows, made anew where they were made from a name.

They were hashes of speaker and name, so a dictionary could find the name. This runs when a store is
opened and after a restore; once no such id is left it costs one look at an empty index.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from confide.store import people
from confide.store.connection import Connection
from confide.store.encoding import read_entity
from confide.store.indexing import entity_key
from confide.store.memory import read_memories
from confide.store.queries import query
from confide.store.relabel import relabel

if TYPE_CHECKING:
    from confide.store.database import Database


async def renew_ids(connection: Connection, database: Database, now: datetime) -> int:
    """Give everybody with an old id a random one; returns how many there were."""
    agent = database.agent
    rows = await connection.fetch(query("renewing", "old"), agent)
    if not rows:
        return 0
    known = [row for row in rows if row["speaker"] is not None]
    old = [row["entity"] for row in known]
    new = [
        await people.someone(connection, agent, read_entity(row["speaker"]), row["called"], now)
        for row in known
    ]
    pairs = agent, old, [str(one) for one in new]
    touched = await connection.fetch(query("renewing", "memories"), *pairs)
    ids = [row["id"] for row in touched]
    keys = [entity_key(read_entity(one)) for one in old], [entity_key(one) for one in new]
    await connection.execute(query("renewing", "words"), agent, ids, *keys)
    for name in ("aliases", "relationships", "consents"):
        await connection.execute(query("renewing", name), *pairs)
    await connection.execute(query("renewing", "names"), agent)
    kept = read_memories(
        await connection.fetch(query("memories", "kept_many"), agent, ids), database.agent_entity
    )
    await relabel(connection, database, [(one, one.origin) for one in kept], now, is_forced=True)
    return len(rows)
