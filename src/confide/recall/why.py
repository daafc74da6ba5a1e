"""Why did you say that? Answered from the access log, to those who may know (S23, S27)."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

from confide.actor import Actor
from confide.declare import Group, Limit, verb
from confide.errors import NotFound
from confide.model import Entity, Place, PlaceKind
from confide.privacy.acting import Act, CallerKind
from confide.privacy.disclosure import disclose
from confide.privacy.leaves import Called
from confide.privacy.places import is_called_after_somebody
from confide.privacy.policy import Audience
from confide.recall.audience import tell_to
from confide.store import memories
from confide.store.memory import Memory
from confide.store.queries import query

if TYPE_CHECKING:
    from confide.store.database import Database


@dataclass(frozen=True, slots=True, kw_only=True)
class Telling:
    """That a memory was told: when, and where; and whether its owner was the one who asked.
    Nobody else is named."""

    told_at: datetime
    place_kind: str
    place: str | None  # None: its id would name who asked
    is_to_you: Annotated[bool, Called("to_you")] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Basis:
    """What the last answer here was based on, as far as this audience may still hear it."""

    told_at: datetime | None
    memories: tuple[Memory, ...]
    names: Mapping[Entity, str] = field(default_factory=dict[Entity, str])

    def owner_name(self, memory: Memory) -> str:
        """Whose it is, as they are called now."""
        return self.names.get(memory.owner) or str(memory.owner)


async def why(database: Database, audience: Audience, now: datetime) -> Basis:
    async with tell_to(database, audience, now) as telling:
        place, asker = telling.audience.place.id, str(audience.asker)
    async with database.keep() as connection:
        rows = await connection.fetch(query("tellings", "last"), database.agent, asker, place)
    async with tell_to(database, audience, now) as telling:
        still = await memories.told(telling, [row["memory_id"] for row in rows])
        owners = {str(memory.owner): memory.owner for memory in still}
        called = await telling.connection.fetch(query("tellings", "names"), list(owners))
    told = disclose(still, telling.audience, telling.world).told
    return Basis(
        told_at=rows[0]["told_at"] if told else None,
        memories=told,
        names={owners[row["entity"]]: row["display_name"] for row in called} if told else {},
    )


class Tellings(Group, called="told"):
    @verb(
        Act.READ_OWN,
        "GET /memories/{memory_id}/tellings",
        alone=True,
        only=(CallerKind.PLATFORM, CallerKind.PERSONAL),
        answers="tellings",
    )
    async def tellings(
        self, memory_id: uuid.UUID, *, actor: Actor, limit: Limit = 20
    ) -> list[Telling]:
        """When and where a memory was told, for its owner; nobody else who asked is named."""
        agent, me = self.database.agent, self.database.agent_entity
        async with self.database.keep() as connection:
            memory = await memories.kept(connection, agent, memory_id, me)
            if memory is None or actor.entity is None or actor.entity != memory.owner:
                raise NotFound("there is no such memory")
            rows = await connection.fetch(
                query("tellings", "of_memory"), agent, memory_id, limit, str(memory.owner)
            )
        return [_telling(row) for row in rows]


def _telling(row: Any) -> Telling:
    place = Place(id=row["place"], kind=PlaceKind(row["place_kind"]))
    is_shown = place.id and not is_called_after_somebody(place)
    return Telling(
        told_at=row["told_at"],
        place_kind=place.kind.value,
        place=place.id if is_shown else None,
        is_to_you=row["is_to_you"],
    )
