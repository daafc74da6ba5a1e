"""Make the labels of stored memories again, when what they are made from has changed."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from confide.privacy.consent import Consent, apply_consents
from confide.privacy.labels import Origin, label
from confide.privacy.policy import Label
from confide.store import consents
from confide.store.connection import Connection
from confide.store.encoding import memory_hash, write_clauses
from confide.store.lineage import follow_sources
from confide.store.memories import intern
from confide.store.memory import Memory, origin_columns, read_memories
from confide.store.queries import query

if TYPE_CHECKING:
    from confide.store.database import Database


class _Made(NamedTuple):
    """A label, as it is written and interned, and what of its origin can change."""

    label: Label
    scope: str
    joined_later: str
    objectors: str
    place: str | None
    space: str | None
    thread: str | None
    present: str
    subjects: str
    clauses: str
    id: int


async def relabel(
    connection: Connection,
    database: Database,
    changed: Sequence[tuple[Memory, Origin]],
    now: datetime,
    *,
    is_forced: bool = False,
) -> None:
    """Put each memory under the label that its new origin and the consents in force give.

    Two memories that come to say the same under one label become one; the later is superseded.
    `is_forced` writes also what seems right already, where it may have been tampered with.
    """
    agent = database.agent
    agreed = await consents.of_memories(connection, agent, [memory.id for memory, _ in changed])
    guardians = await consents.guardians(connection, agent)
    made: dict[tuple[Origin, tuple[Consent, ...]], _Made] = {}  # many memories have few labels
    rows: list[tuple[object, ...]] = []
    for memory, origin in changed:
        basis = origin, tuple(agreed.get(memory.id, ()))
        if basis not in made:
            new = apply_consents(label(origin), basis[1], guardians)
            made[basis] = await _make(connection, agent, origin, new)
        one = made[basis]
        if one.label == memory.label and origin == memory.origin and not is_forced:
            continue
        hash = memory_hash(memory.owner, origin, memory.text)
        rows.append(
            (
                memory.id, one.scope, one.joined_later, one.objectors, one.clauses, one.id, hash,
                one.place, one.space, one.thread, one.present, one.subjects,
            )
        )  # fmt: skip
    if rows:
        await _write(connection, agent, rows, now)
    derived = await follow_sources(connection, database, [memory.id for memory, _ in changed])
    if derived:
        await relabel_by_consent(connection, database, derived, now)


async def _make(connection: Connection, agent: str, origin: Origin, new: Label) -> _Made:
    c = origin_columns(origin)
    return _Made(
        new,
        c["scope"],
        "\x1f".join(c["joined_later"]),
        "\x1f".join(c["objectors"]),
        c["place"],
        c["space"],
        c["thread"],
        "\x1f".join(c["present"]),
        "\x1f".join(c["subjects"]),
        write_clauses(new),
        (await intern(connection, agent, new))[0],
    )


async def _write(
    connection: Connection, agent: str, rows: Sequence[tuple[object, ...]], now: datetime
) -> None:
    ids, *columns = (list(column) for column in zip(*rows, strict=True))
    hashes = columns[5]
    await connection.execute(query("memories", "supersede_twins"), agent, ids, hashes, now)
    await connection.execute(query("memories", "free_hashes"), agent, ids, hashes)
    await connection.execute(query("memories", "relabel"), agent, ids, *columns)


async def relabel_by_consent(
    connection: Connection, database: Database, ids: Sequence[uuid.UUID], now: datetime
) -> int:
    """Label these memories again from the consents that are in force now."""
    rows = await connection.fetch(query("memories", "kept_many"), database.agent, list(ids))
    kept = read_memories(rows, database.agent_entity)
    if kept:
        await relabel(connection, database, [(memory, memory.origin) for memory in kept], now)
    return len(kept)
