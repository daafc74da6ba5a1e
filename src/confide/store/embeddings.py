"""Vectors of further models in the database, and what their cosines mean."""

from __future__ import annotations

import uuid
from datetime import datetime

from confide.store.connection import Connection
from confide.store.queries import query

FIRST = uuid.UUID(int=0)


async def missing(
    connection: Connection,
    agent: str,
    model: str,
    *,
    after: uuid.UUID,
    with_sensitive: bool,
    limit: int,
    now: datetime,
) -> list[tuple[uuid.UUID, str]]:
    rows = await connection.fetch(
        query("embeddings", "missing"), agent, model, after, with_sensitive, limit, now
    )
    return [(row["id"], row["text"]) for row in rows]


async def left(
    connection: Connection, agent: str, model: str, *, with_sensitive: bool, now: datetime
) -> int:
    return await connection.fetchval(query("embeddings", "left"), agent, model, with_sensitive, now)


async def scale(connection: Connection, agent: str, model: str) -> tuple[float, float] | None:
    row = await connection.fetchrow(query("embeddings", "scale"), agent, model)
    return (row["unrelated"], row["threshold"]) if row else None


async def set_scale(
    connection: Connection,
    agent: str,
    model: str,
    unrelated: float,
    threshold: float,
    now: datetime,
) -> None:
    await connection.execute(
        query("embeddings", "set_scale"), agent, model, unrelated, threshold, now
    )
