"""Merging in the database: which two memories are alike, what a model said of them, what came of it."""

from __future__ import annotations

import json
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from confide.store.connection import Connection
from confide.store.queries import query


class Pair(NamedTuple):
    """Two memories that may be one, as they were when they were found."""

    newer: uuid.UUID
    older: uuid.UUID
    newer_hash: bytes
    older_hash: bytes


@dataclass(frozen=True, slots=True)
class Answered:
    """What a model said about a pair."""

    pair: Pair
    answer: dict[str, Any]


async def unseen(
    connection: Connection, agent: str, now: datetime, since: datetime, limit: int
) -> list[uuid.UUID]:
    rows = await connection.fetch(query("merging", "unseen"), agent, now, since, limit)
    return [row["id"] for row in rows]


async def alike(
    connection: Connection,
    agent: str,
    id: uuid.UUID,
    now: datetime,
    *,
    above: float,
    limit: int,
) -> list[Pair]:
    rows = await connection.fetch(query("merging", "alike"), agent, id, now, above, limit)
    return [
        Pair(id, row["id"], row["hash"], row["other_hash"])
        if row["is_newer"]
        else Pair(row["id"], id, row["other_hash"], row["hash"])
        for row in rows
    ]


async def claim(
    connection: Connection, agent: str, pair: Pair, now: datetime, stale: datetime
) -> bool:
    found = await connection.fetchval(query("merging", "claim"), agent, *pair, now, stale)
    return found is not None


async def let_go(connection: Connection, agent: str, pair: Pair) -> None:
    await connection.execute(query("merging", "let_go"), agent, pair.newer, pair.older)


async def write_answer(
    connection: Connection, agent: str, pair: Pair, answer: dict[str, Any]
) -> None:
    written = json.dumps(answer)
    await connection.execute(query("merging", "answered"), agent, pair.newer, pair.older, written)


async def answered(connection: Connection, agent: str) -> list[Answered]:
    rows = await connection.fetch(query("merging", "open"), agent)
    return [Answered(Pair(*tuple(row)[:4]), json.loads(row["answer"])) for row in rows]


async def is_open(connection: Connection, agent: str, pair: Pair) -> bool:
    """Whether it is still to be applied to the same words; nobody else applies it meanwhile."""
    found = await connection.fetchval(query("merging", "still_open"), agent, pair.newer, pair.older)
    return found is not None


async def decide(
    connection: Connection, agent: str, pair: Pair, now: datetime, outcome: str
) -> None:
    await connection.execute(
        query("merging", "decide"), agent, pair.newer, pair.older, now, outcome
    )


async def see(connection: Connection, agent: str, id: uuid.UUID) -> None:
    await connection.execute(query("merging", "seen"), agent, id)


async def evidence(
    connection: Connection, agent: str, ids: Sequence[uuid.UUID], limit: int
) -> list[tuple[uuid.UUID, str]]:
    rows = await connection.fetch(query("merging", "evidence"), agent, list(ids), limit)
    return [(row["id"], row["text"]) for row in rows]


async def add_parts(
    connection: Connection,
    agent: str,
    merged: uuid.UUID,
    parts: Sequence[uuid.UUID],
    evidence: Sequence[uuid.UUID],
) -> None:
    """The merged memory knows its parts, counts what they counted, and shows the words that matter."""
    await connection.execute(query("merging", "add_parts"), agent, merged, list(parts))
    await connection.execute(query("merging", "grow"), agent, merged, list(parts))
    await connection.execute(
        query("merging", "copy_evidence"), agent, merged, list(evidence), list(parts)
    )
