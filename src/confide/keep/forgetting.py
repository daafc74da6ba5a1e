"""Forgetting: at once out of every answer, and with `now` out of every table, verified."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from confide.actor import Actor
from confide.errors import NotFound, StoreError
from confide.store import memories
from confide.store.connection import Connection
from confide.store.memory import Memory
from confide.store.queries import query

if TYPE_CHECKING:
    from confide.store.database import Database


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgotten:
    memory_id: uuid.UUID
    is_erased: bool  # false: deleted softly, and can be restored until `undo_until`
    undo_until: datetime | None
    verified: dict[str, int]  # what was still found of it, by table


async def forget(
    database: Database, memory_id: uuid.UUID, actor: Actor, now: datetime, undo: timedelta | None
) -> Forgotten:
    """`undo`: how long it can be restored; None erases it now."""
    async with database.keep(by=actor, doing="forget", at=now) as connection:
        await _require_right(connection, database, memory_id, actor)
        if undo is not None:
            await connection.execute(
                query("memories", "soft_delete"), database.agent, memory_id, now
            )
            return Forgotten(
                memory_id=memory_id, is_erased=False, undo_until=now + undo, verified={}
            )
        await connection.execute(query("memories", "erase"), database.agent, memory_id)
    return Forgotten(
        memory_id=memory_id,
        is_erased=True,
        undo_until=None,
        verified=await _verify(database, memory_id),
    )


async def restore(
    database: Database, memory_id: uuid.UUID, actor: Actor, now: datetime, undo: timedelta
) -> None:
    """Undo a soft delete."""
    async with database.keep(by=actor, doing="restore", at=now) as connection:
        await _require_right(connection, database, memory_id, actor)
        done = await connection.execute(
            query("memories", "undelete"), database.agent, memory_id, now, now - undo
        )
    if done == "UPDATE 0":
        raise NotFound("there is no such memory")


async def _require_right(
    connection: Connection, database: Database, memory_id: uuid.UUID, actor: Actor
) -> Memory:
    memory = await memories.kept(connection, database.agent, memory_id, database.agent_entity)
    if memory is None or not may_delete(memory, actor):
        raise NotFound("there is no such memory")
    return memory


def may_delete(memory: Memory, actor: Actor) -> bool:
    """A6: the owner, whoever said it, and a subject about themselves."""
    concerned = {memory.owner, memory.speaker, *memory.subjects}
    return actor.entity is not None and actor.entity in concerned


async def _verify(database: Database, memory_id: uuid.UUID) -> dict[str, int]:
    """Look again, in a fresh transaction, in every table that could hold a trace."""
    async with database.keep() as connection:
        row = await connection.fetchrow(query("memories", "traces"), database.agent, memory_id)
    assert row is not None  # counts always come
    left = {table: count for table, count in row.items() if count}
    if left:
        raise StoreError(
            f"traces of the memory are left in {', '.join(sorted(left))}; run it again"
        )
    return dict(row)
