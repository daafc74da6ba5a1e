"""Hashes of memories that an older program made, written anew after the migration."""

from __future__ import annotations

import uuid
from typing import Final

from confide.model import Entity
from confide.store.connection import Connection
from confide.store.encoding import memory_hash, read_entity
from confide.store.memory import read_origin
from confide.store.queries import query

AT_ONCE: Final = 5000


async def rehash(connection: Connection) -> None:
    """Of every agent, what is told or waits. Of two that say the same the first gets the hash; the
    doctor finds the other."""
    for row in await connection.fetch("SELECT DISTINCT agent FROM confide.label"):
        agent = row["agent"]
        await connection.execute("RESET ROLE; SET LOCAL ROLE confide_keep")
        await connection.execute("SELECT set_config('confide.agent', $1, true)", agent)
        await _rehash(connection, agent)
    await connection.execute("RESET ROLE; SET LOCAL ROLE confide_migrate")
    await connection.execute("SET LOCAL ROLE confide_owner")


async def _rehash(connection: Connection, agent: str) -> None:
    seen: set[bytes] = set()
    rows = await connection.fetch(query("memories", "hashed"), agent)
    for begin in range(0, len(rows), AT_ONCE):
        ids, hashes = list[uuid.UUID](), list[bytes]()
        for row in rows[begin : begin + AT_ONCE]:
            origin = read_origin(row, Entity("si", agent))
            hash = memory_hash(read_entity(row["owner"]), origin, row["text"])
            if hash not in seen:
                seen.add(hash)
                ids.append(row["id"])
                hashes.append(hash)
        await connection.execute(query("memories", "rehash"), agent, ids, hashes)
