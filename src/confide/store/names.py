"""What an asker calls people whom nobody else knows. Everybody else is told neither name nor id."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from confide.model import Entity, is_someone
from confide.store import people

if TYPE_CHECKING:
    from confide.store.database import Database
    from confide.store.memory import Memory


async def names_for(
    database: Database, who: Entity, entities: Iterable[Entity]
) -> dict[Entity, str]:
    """Of these, those whom `who` knows, by the name they use."""
    unknown = {one for one in entities if is_someone(one)}
    if not unknown:
        return {}
    async with database.keep() as connection:
        known = await people.acquaintances(
            connection, database.agent, speaker=who, entities=unknown
        )
    return {one.entity: one.called for one in known.values()}


async def with_names(
    database: Database, who: Entity, memories: Sequence[Memory]
) -> Sequence[Memory]:
    """The same memories, with the names that `who` uses for people only they know."""
    mentioned = {
        one for memory in memories for one in (memory.speaker, *memory.subjects) if one is not None
    }
    names = await names_for(database, who, mentioned)
    if not names:
        return memories
    return [replace(memory, names=names) for memory in memories]
