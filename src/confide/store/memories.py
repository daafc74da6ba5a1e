"""Memories in the database: what writes them, and what one audience may read of them."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from confide.model import Entity, Status
from confide.privacy.policy import Audience, Label
from confide.store import search
from confide.store.connection import Connection
from confide.store.database import Telling
from confide.store.encoding import memory_hash, write_clauses, write_label
from confide.store.memory import Memory, origin_columns, read_memory
from confide.store.queries import query
from confide.store.search import Before


@dataclass(frozen=True, slots=True)
class Stored:
    """What became of something that was to be remembered."""

    id: uuid.UUID
    status: Status
    waits_because: str | None
    is_new: bool


def written_vector(vector: Sequence[float]) -> str:
    return "[" + ",".join(f"{x:.6g}" for x in vector) + "]"


async def intern(connection: Connection, agent: str, label: Label) -> tuple[int, bytes]:
    """The number of a label's minimal form, and its key."""
    key, clauses = write_label(label)
    sql = "SELECT confide.intern_label($1, $2, $3::jsonb)"
    return await connection.fetchval(sql, agent, key, clauses), key


async def add(
    connection: Connection, agent: str, memory: Memory, before: Sequence[Before] = ()
) -> Stored:
    """Store a new memory with its words, or count the one that says the same under the same label."""
    label_id, key = await intern(connection, agent, memory.label)
    o, c = memory.origin, origin_columns(memory.origin)
    hash = memory_hash(memory.owner, o.namespace, key, memory.kind, memory.text)
    row = await connection.fetchrow(
        query("memories", "add"),
        agent,
        memory.id,
        c["owner"],
        c["speaker"],
        c["subjects"],
        memory.text,
        c["kind"],
        memory.type.value,
        c["scope"],
        c["sensitivity"],
        memory.trust.value,
        memory.status.value,
        memory.waits_because,
        memory.confidence,
        c["place"],
        c["space"],
        c["epoch"],
        c["present"],
        c["workspace"],
        c["namespace_scope"],
        c["is_namespaced"],
        c["grants"],
        c["is_portable"],
        c["is_portable_confirmed"],
        c["joined_later"],
        c["objectors"],
        c["inherited"],
        write_clauses(memory.label),
        label_id,
        hash,
        memory.attribute,
        memory.said_at,
        memory.created_at,
        memory.expires_at,
    )
    assert row is not None  # the statement always returns a row
    if row["is_new"]:
        await search.index(connection, agent, search.rows_of(memory.id, memory.text, o, before))
    return Stored(row["id"], Status(row["status"]), row["waits_because"], row["is_new"])


async def add_embedding(
    connection: Connection, agent: str, id: uuid.UUID, model: str, vector: Sequence[float]
) -> None:
    await connection.execute(
        query("memories", "add_embedding"), agent, model, id, written_vector(vector)
    )


async def add_evidence(
    connection: Connection, agent: str, id: uuid.UUID, label: Label, said: Memory
) -> None:
    """Keep the words with the label of where they were said, whatever becomes of the memory."""
    label_id, _ = await intern(connection, agent, label)
    speaker = str(said.speaker) if said.speaker else None
    await connection.execute(
        query("memories", "add_evidence"),
        agent,
        uuid.uuid4(),
        id,
        speaker,
        said.text,
        said.said_at,
        0,
        label_id,
    )


async def told(telling: Telling, ids: Iterable[uuid.UUID]) -> list[Memory]:
    rows = await telling.connection.fetch(query("memories", "told"), list(ids))
    return [read_memory(row, telling.world.agent) for row in rows]


async def own(
    telling: Telling, owner: Entity, scope: str | None, limit: int, offset: int
) -> list[Memory]:
    rows = await telling.connection.fetch(
        query("memories", "own"), str(owner), scope, limit, offset
    )
    return [read_memory(row, telling.world.agent) for row in rows]


async def kept(
    connection: Connection, agent: str, id: uuid.UUID, agent_entity: Entity
) -> Memory | None:
    row = await connection.fetchrow(query("memories", "kept"), agent, id)
    return read_memory(row, agent_entity) if row else None


async def kept_in_place(
    connection: Connection, agent: str, place_id: str, agent_entity: Entity
) -> list[Memory]:
    rows = await connection.fetch(query("memories", "kept_in_place"), agent, place_id)
    return [read_memory(row, agent_entity) for row in rows]


async def log_tellings(
    connection: Connection, agent: str, ids: Sequence[uuid.UUID], audience: Audience, now: datetime
) -> None:
    """S23, and the reinforcement of what its owner was told."""
    where = audience.place.kind.value, audience.place.id
    asker = str(audience.asker)
    await connection.execute(
        query("memories", "log_tellings"), agent, list(ids), now, asker, *where
    )
    await connection.execute(query("memories", "touch"), agent, list(ids), now, asker)
