"""The history of a memory (S28): what it said before, to its owner alone."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from confide.errors import NotFound
from confide.keep.correcting import NO_SUCH_MEMORY, only
from confide.model import Entity, Status
from confide.privacy.policy import decide
from confide.store import memories
from confide.store.memory import Memory, read_memory
from confide.store.queries import query

if TYPE_CHECKING:
    from confide.actor import Actor
    from confide.store.database import Database


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """One wording of a memory; `is_current` is the one that is told."""

    id: uuid.UUID
    text: str
    status: Status
    said_at: datetime
    changed_at: datetime
    is_current: bool


async def history(
    database: Database, memory_id: uuid.UUID, actor: Actor, now: datetime
) -> tuple[Version, ...]:
    """Every wording, oldest first. To anyone but its owner there is no such memory."""
    async with database.keep() as connection:
        one = await memories.kept(connection, database.agent, memory_id, database.agent_entity)
        if one is None or actor.entity is None or actor.entity != one.owner:
            raise NotFound(NO_SUCH_MEMORY)
        rows = await connection.fetch(query("rights", "chain"), database.agent, memory_id)
    every = [read_memory(row, database.agent_entity) for row in rows]
    heard = await may_hear_once_said(database, actor.entity, every, now)
    if memory_id not in {version.id for version in heard}:
        raise NotFound(NO_SUCH_MEMORY)
    return tuple(
        Version(
            id=version.id,
            text=version.text,
            status=version.status,
            said_at=version.said_at,
            changed_at=version.updated_at,
            is_current=version.status is Status.APPROVED,
        )
        for version in heard
    )


async def may_hear_once_said(
    database: Database, who: Entity, said: Sequence[Memory], now: datetime
) -> list[Memory]:
    """Of memories that are told to nobody any more, those that `who`, alone, would be told if they
    were. The rule decides on each label; row-level security shows none of them."""
    heard: list[Memory] = []
    for namespace in dict.fromkeys(one.origin.namespace for one in said):
        async with database.tell(only(who, namespace), now) as telling:
            heard += [
                one
                for one in said
                if one.origin.namespace == namespace
                and one.owner in (who, database.agent_entity)
                and decide(one.label, telling.audience, telling.world).told
            ]
    order = {one.id: n for n, one in enumerate(said)}
    return sorted(heard, key=lambda one: order[one.id])
