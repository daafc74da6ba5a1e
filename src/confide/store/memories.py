"""Memories in the database: what writes them, and what one audience may read of them."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Final

from confide.model import Entity
from confide.privacy.policy import Audience, Label
from confide.store.adding import New, Stored, add_all
from confide.store.colliding import tried_again
from confide.store.connection import Connection
from confide.store.database import Database, Telling
from confide.store.encoding import write_label, write_vector
from confide.store.indexing import Before, Vector
from confide.store.memory import Memory, read_memory
from confide.store.queries import query

#: Seconds that the log may take where a commit waits for other machines.
PATIENCE: Final = 10.0


async def intern(connection: Connection, agent: str, label: Label) -> tuple[int, bytes]:
    """The number of a label's minimal form, and its key."""
    (one,) = await intern_all(connection, agent, [label])
    return one


async def intern_all(
    connection: Connection, agent: str, labels: Sequence[Label]
) -> list[tuple[int, bytes]]:
    """The same for many in one question."""
    written = [write_label(label) for label in labels]
    keys, clauses = [key for key, _ in written], [text for _, text in written]
    rows = await connection.fetch(query("memories", "intern"), agent, keys, clauses)
    return [(row["id"], key) for row, key in zip(rows, keys, strict=True)]


async def add(
    connection: Connection,
    agent: str,
    memory: Memory,
    vector: Vector,
    before: Sequence[Before] = (),
) -> Stored:
    """Store a new memory with its words, or count the one that says the same under the same label."""
    (stored,) = await add_all(connection, agent, [New(memory, vector, before)])
    return stored


async def told(telling: Telling, ids: Iterable[uuid.UUID]) -> list[Memory]:
    rows = await telling.connection.fetch(query("memories", "told"), list(ids))
    return [read_memory(row, telling.world.agent) for row in rows]


async def evidence(
    telling: Telling, ids: Sequence[uuid.UUID]
) -> Mapping[uuid.UUID, list[tuple[str, str]]]:
    """Who said what behind these memories, where those words may be told themselves."""
    found: dict[uuid.UUID, list[tuple[str, str]]] = {}
    if ids:
        for row in await telling.connection.fetch(query("memories", "evidence_told"), list(ids)):
            found.setdefault(row["memory_id"], []).append((row["speaker"] or "", row["text"]))
    return found


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


async def kept_in_thread(
    connection: Connection, agent: str, thread_id: str, agent_entity: Entity
) -> list[Memory]:
    rows = await connection.fetch(query("memories", "kept_in_thread"), agent, thread_id)
    return [read_memory(row, agent_entity) for row in rows]


async def said_alike(
    connection: Connection,
    agent: str,
    new: Memory,
    vector: Vector,
    now: datetime,
    most: int,
    longest: int,
) -> list[Memory]:
    """What the same person said where `new` is said, under the identical label and namespace."""
    assert new.origin.place is not None, "something said is said somewhere"
    label_id, _ = await intern(connection, agent, new.label)
    rows = await connection.fetch(
        query("memories", "said_alike"),
        agent, new.origin.place.id, str(new.owner), label_id, new.origin.namespace, now,
        write_vector(vector), most, longest,
    )  # fmt: skip
    found = (read_memory(row, new.owner) for row in rows)
    return [one for one in found if one.label == new.label]


@tried_again
async def log_tellings(
    database: Database,
    ids: Sequence[uuid.UUID],
    audience: Audience,
    now: datetime,
    *,
    prompted: Collection[uuid.UUID],
    weak: Collection[uuid.UUID] = (),
    is_further: bool = False,
    read_at: str | None = None,
) -> bool:
    """S23, and the reinforcement of what its owner was told. A question without an answer is kept
    too. `prompted` were put into a prompt; `weak` fit weakly and are renewed by nothing; `is_further`: beside what the last question found.
    False: what a standby `read_at` its time may not be told any more, and nothing was logged."""
    replicas = database.replicas
    return await database.keep_at_once(
        query("memories", "log_tellings"),
        list(ids),
        list(prompted),
        list(weak),
        now,
        str(audience.asker),
        audience.place.kind.value,
        audience.place.id,
        is_further,
        read_at,
        replicas and replicas.lag,
        patience=replicas and PATIENCE,
    )
