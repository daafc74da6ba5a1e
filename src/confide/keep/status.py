"""What the operator may know of a store: versions, sizes and counts, never content."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from confide.model import Status
from confide.store.queries import query

if TYPE_CHECKING:
    from confide.store.database import Database


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreStatus:
    agent: str
    is_enabled: bool
    postgres: str
    pgvector: str
    size_bytes: int
    migrations: tuple[str, ...]
    memories: dict[Status, int]  # of this agent, by status


async def read_status(database: Database, *, is_enabled: bool = True) -> StoreStatus:
    async with database.keep() as connection:
        server = await connection.fetchrow(query("status", "server"))
        migrations = await connection.fetch(query("status", "migrations"))
        counted = await connection.fetch(query("memories", "count_by_status"), database.agent)
    assert server is not None  # one row always comes
    found = {Status(row["status"]): row["memories"] for row in counted}
    return StoreStatus(
        agent=database.agent,
        is_enabled=is_enabled,
        postgres=server["postgres"],
        pgvector=server["pgvector"],
        size_bytes=server["size_bytes"],
        migrations=tuple(row["name"] for row in migrations),
        memories={status: found.get(status, 0) for status in Status},
    )
