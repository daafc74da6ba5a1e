"""New memories with their words, vectors and evidence, however many, in a few statements."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from typing import Any, NamedTuple

from confide.model import Status
from confide.store import search
from confide.store.connection import Connection
from confide.store.encoding import memory_hash, write_clauses
from confide.store.memory import Memory, origin_columns
from confide.store.queries import query
from confide.store.search import Before, Vector


@dataclass(frozen=True, slots=True)
class Stored:
    """What became of something that was to be remembered."""

    id: uuid.UUID
    status: Status
    waits_because: str | None
    is_new: bool


class New(NamedTuple):
    """A memory under an interned label, what it means, and what was said just before it."""

    memory: Memory
    label_id: int
    label_key: bytes
    vector: Vector
    before: Sequence[Before] = ()


class Evidence(NamedTuple):
    """Words that led to a memory, with the label of where they were said."""

    memory_id: uuid.UUID
    speaker: str | None
    text: str
    said_at: datetime
    position: int
    label_id: int


async def add_all(connection: Connection, agent: str, new: Sequence[New]) -> list[Stored]:
    """Store them with their words; those that say the same under the same label are counted."""
    rows: dict[str, dict[str, Any]] = {}
    hashes = [_hash(one) for one in new]
    for one, hash in zip(new, hashes, strict=True):
        if hash in rows:
            _count_again(rows[hash], one.memory)
        else:
            rows[hash] = _row(one, hash)
    stored = await connection.fetch(
        query("memories", "add"), agent, json.dumps(list(rows.values()))
    )
    found = {row["hash"].hex(): row for row in stored}
    fresh = {row["id"] for row in stored}
    indexer = search.Indexer()
    await search.index(
        connection,
        agent,
        (
            row
            for one in new
            if one.memory.id in fresh
            for row in indexer.rows(one.memory.id, one.memory.text, one.memory.origin, one.before)
        ),
        {one.memory.id: one.vector for one in new if one.memory.id in fresh},
    )
    return [
        Stored(
            found[hash]["id"],
            Status(found[hash]["status"]),
            found[hash]["waits_because"],
            found[hash]["id"] == one.memory.id,
        )
        for one, hash in zip(new, hashes, strict=True)
    ]


async def add_embeddings(
    connection: Connection,
    agent: str,
    model: str,
    ids: Sequence[uuid.UUID],
    vectors: Sequence[Vector],
) -> None:
    """The vectors of a provider's model, which not every memory has."""
    if ids:
        flat = list(chain.from_iterable(vectors))
        await connection.execute(
            query("memories", "add_embedding"), agent, model, list(ids), flat, len(vectors[0])
        )


async def add_evidence(connection: Connection, agent: str, said: Iterable[Evidence]) -> None:
    """Keep the words with the label of where they were said, whatever becomes of the memory."""
    columns = list(zip(*said, strict=True))
    if columns:
        await connection.execute(query("memories", "add_evidence"), agent, *map(list, columns))


def _hash(new: New) -> str:
    m = new.memory
    return memory_hash(m.owner, m.origin.namespace, new.label_key, m.kind, m.text).hex()


def _row(new: New, hash: str) -> dict[str, Any]:
    m = new.memory
    return origin_columns(m.origin) | {
        "id": str(m.id),
        "text": m.text,
        "type": m.type.value,
        "trust": m.trust.value,
        "status": m.status.value,
        "waits_because": m.waits_because,
        "confidence": m.confidence,
        "clauses": write_clauses(m.label),
        "label_id": new.label_id,
        "hash": hash,
        "attribute": m.attribute,
        "source_count": 1,
        "said_at": m.said_at.isoformat(),
        "created_at": m.created_at.isoformat(),
        "expires_at": m.expires_at.isoformat() if m.expires_at else None,
    }


def _count_again(row: dict[str, Any], memory: Memory) -> None:
    row["source_count"] += 1
    row["confidence"] = max(row["confidence"], memory.confidence)
    if memory.expires_at is None:
        row["expires_at"] = None
    elif row["expires_at"] is not None:
        row["expires_at"] = max(row["expires_at"], memory.expires_at.isoformat())
