"""New memories with their words, vectors and evidence, however many, in a few statements."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from confide.model import Status
from confide.privacy.labels import Origin
from confide.privacy.policy import Label
from confide.store import indexing
from confide.store.connection import Connection
from confide.store.encoding import memory_hash, write_clauses, write_label, write_vector
from confide.store.indexing import Before, Vector
from confide.store.memory import Memory, origin_columns
from confide.store.queries import query


@dataclass(frozen=True, slots=True)
class Stored:
    """What became of something that was to be remembered."""

    id: uuid.UUID
    status: Status
    waits_because: str | None
    is_new: bool


class New(NamedTuple):
    """A memory, what it means, and what was said just before it."""

    memory: Memory
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
    batch, indexer = _Batch(), indexing.Indexer()
    hashes = [batch.add(one) for one in new]
    words = indexing.columns(
        (
            row
            for one in new
            for row in indexer.rows(one.memory.id, one.memory.text, one.memory.origin, one.before)
        ),
        {one.memory.id: one.vector for one in new},
    )
    stored = await connection.fetch(query("memories", "add"), agent, *batch.written(), *words)
    found = {row["hash"].hex(): row for row in stored}
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
        written = list(map(write_vector, vectors))
        await connection.execute(
            query("memories", "add_embedding"), agent, model, list(ids), written
        )


async def add_evidence(connection: Connection, agent: str, said: Iterable[Evidence]) -> None:
    """Keep the words with the label of where they were said, whatever becomes of the memory."""
    columns = list(zip(*said, strict=True))
    if columns:
        await connection.execute(query("memories", "add_evidence"), agent, *map(list, columns))


class _Batch:
    """Rows for one statement. Labels and origins are few, and each is written once."""

    def __init__(self) -> None:
        self._labels: dict[Label, int] = {}
        self._origins: dict[Origin, int] = {}
        self._rows: dict[str, dict[str, Any]] = {}
        self._written_labels: list[str] = []
        self._written_origins: list[dict[str, Any]] = []

    def add(self, new: New) -> str:
        """The hash under which the memory will be found."""
        m = new.memory
        hash = memory_hash(m.owner, m.origin, m.text).hex()
        if hash in self._rows:
            _count_again(self._rows[hash], m)
        else:
            self._rows[hash] = _row(m, self._origin(m.origin), self._label(m.label), hash)
        return hash

    def written(self) -> tuple[str, str, str]:
        labels = f"[{','.join(self._written_labels)}]"
        return labels, json.dumps(self._written_origins), json.dumps(list(self._rows.values()))

    def _label(self, label: Label) -> int:
        known = self._labels.get(label)
        if known is None:
            key, minimal = write_label(label)
            known = self._labels[label] = len(self._labels) + 1
            self._written_labels.append(
                f'{{"key":"{key.hex()}","minimal":{minimal},"clauses":{write_clauses(label)}}}'
            )
        return known

    def _origin(self, origin: Origin) -> int:
        known = self._origins.get(origin)
        if known is None:
            known = self._origins[origin] = len(self._origins) + 1
            self._written_origins.append(origin_columns(origin) | {"position": known})
        return known


def _row(m: Memory, origin: int, label: int, hash: str) -> dict[str, Any]:
    return {
        "id": str(m.id),
        "origin": origin,
        "label": label,
        "text": m.text,
        "type": m.type.value,
        "trust": m.trust.value,
        "status": m.status.value,
        "waits_because": m.waits_because,
        "confidence": m.confidence,
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
