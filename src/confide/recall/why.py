"""Why did you say that? Answered from the access log, to those who may know (S23, S27)."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from confide.actor import Actor
from confide.errors import NotFound
from confide.privacy.disclosure import disclose
from confide.privacy.policy import Audience
from confide.recall.audience import tell_to
from confide.store import memories
from confide.store.memory import Memory
from confide.store.queries import query

if TYPE_CHECKING:
    from confide.store.database import Database


@dataclass(frozen=True, slots=True, kw_only=True)
class Telling:
    """That a memory was told: when, and where. Not to whom."""

    told_at: datetime
    place_kind: str
    place: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Basis:
    """What the last answer here was based on, as far as this audience may still hear it."""

    told_at: datetime | None
    memories: tuple[Memory, ...]


async def why(database: Database, audience: Audience, now: datetime) -> Basis:
    async with tell_to(database, audience, now) as telling:
        place, asker = telling.audience.place.id, str(audience.asker)
    async with database.keep() as connection:
        rows = await connection.fetch(query("tellings", "last"), database.agent, asker, place)
    async with tell_to(database, audience, now) as telling:
        still = await memories.told(telling, [row["memory_id"] for row in rows])
    told = disclose(still, telling.audience, telling.world).told
    return Basis(told_at=rows[0]["told_at"] if told else None, memories=told)


async def tellings(
    database: Database, memory_id: uuid.UUID, actor: Actor, limit: int
) -> list[Telling]:
    """When and where a memory was told, for its owner."""
    async with database.keep() as connection:
        memory = await memories.kept(connection, database.agent, memory_id, database.agent_entity)
        if memory is None or actor.entity is None or actor.entity != memory.owner:
            raise NotFound("there is no such memory")
        rows = await connection.fetch(
            query("tellings", "of_memory"), database.agent, memory_id, limit
        )
    return [
        Telling(told_at=r["told_at"], place_kind=r["place_kind"], place=r["place"]) for r in rows
    ]
