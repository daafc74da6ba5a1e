"""Fading (A1, S26): what is protected from it, and what comes back from the archive."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from confide.actor import Actor
from confide.declare import Alone, Group, Limit, verb
from confide.errors import InvalidInput, NotFound
from confide.keep.requesting import Asked, allow
from confide.model import Kind, Status
from confide.privacy.acting import Act, CallerKind, Relation
from confide.store import memories
from confide.store.consents import About
from confide.store.queries import query

if TYPE_CHECKING:
    from confide.store.connection import Connection
    from confide.store.memory import Memory

NO_SUCH_MEMORY: Final = "there is no such memory"


@dataclass(frozen=True, slots=True, kw_only=True)
class Archived:
    """Memories of somebody's that were put away, and how long they can be restored."""

    because: str  # expired, or quota
    memories: int
    until: datetime  # the first of them goes then


@dataclass(frozen=True, slots=True, kw_only=True)
class Restorable:
    """One's own words in the archive."""

    id: uuid.UUID
    text: str
    kind: Kind
    because: str
    until: datetime


class Fading(Group, but=(CallerKind.TOKEN,)):
    """What lasts and what was put away: for its owner. A token speaks in one place only."""

    @verb(Act.PROTECT, "POST /memories/{memory_id}/protect", once=True)
    async def protect(self, memory_id: uuid.UUID, *, actor: Actor) -> None:
        """It neither fades nor expires, and is never one too many."""
        now = self.clock()
        await self._allow(Act.PROTECT, memory_id, actor, Status.APPROVED)
        async with self.database.keep(by=actor, doing="protect", at=now) as connection:
            await self._own(connection, memory_id, actor, Status.APPROVED)
            await connection.execute(
                query("upkeep", "protect"), self.database.agent, memory_id, now
            )

    @verb(Act.NARROW, "POST /memories/{memory_id}/unprotect", once=True)
    async def unprotect(self, memory_id: uuid.UUID, *, actor: Actor) -> None:
        """It lasts as long as its kind does, from now on."""
        now = self.clock()
        async with self.database.keep(by=actor, doing="unprotect", at=now) as connection:
            memory = await self._own(connection, memory_id, actor, Status.APPROVED)
            await connection.execute(
                query("upkeep", "unprotect"),
                self.database.agent, memory_id, now, self._ends(memory, now),
            )  # fmt: skip

    async def restore(self, memory_id: uuid.UUID, *, actor: Actor) -> None:
        """Back from the archive, as if it had just been said."""
        now = self.clock()
        await self._allow(Act.RESTORE, memory_id, actor, Status.ARCHIVED)
        async with self.database.keep(by=actor, doing="restore", at=now) as connection:
            memory = await self._own(connection, memory_id, actor, Status.ARCHIVED)
            done = await connection.execute(
                query("upkeep", "restore"),
                self.database.agent, memory_id, now, self._ends(memory, now), now - self._kept_for,
            )  # fmt: skip
        if done == "UPDATE 0":
            raise InvalidInput("id", "it was said again since, or can be restored no longer")

    @verb(Act.READ_OWN, "GET /mine/archived", answers="archived")
    async def archived(self, who: Alone) -> list[Archived]:
        """How much of somebody's own was put away, why, and until when it can be restored."""
        async with self.database.keep() as connection:
            rows = await connection.fetch(
                query("upkeep", "archived"),
                self.database.agent, str(who), self.clock() - self._kept_for,
            )  # fmt: skip
        return [
            Archived(
                because=row["because"],
                memories=row["memories"],
                until=row["first"] + self._kept_for,
            )
            for row in rows
        ]

    @verb(Act.READ_OWN, "GET /mine/archive", alone=True, answers="memories")
    async def restorable(self, *, actor: Actor, limit: Limit = 50) -> list[Restorable]:
        """One's own words in the archive, newest first."""
        async with self.database.keep() as connection:
            rows = await connection.fetch(
                query("upkeep", "own_archived"),
                self.database.agent, str(actor.entity), self.clock() - self._kept_for, limit,
            )  # fmt: skip
        return [
            Restorable(
                id=row["id"],
                text=row["text"],
                kind=Kind(row["kind"]),
                because=row["archived_because"],
                until=row["archived_at"] + self._kept_for,
            )
            for row in rows
        ]

    @property
    def _kept_for(self) -> timedelta:
        return timedelta(days=self.settings.archive_days)

    def _ends(self, memory: Memory, now: datetime) -> datetime | None:
        lasts = self.settings.lifetime(memory.kind)
        return now + lasts if lasts else None

    async def _allow(self, act: Act, memory_id: uuid.UUID, actor: Actor, status: Status) -> None:
        """For its owner's own act; a key leaves a request."""
        async with self.database.keep() as connection:
            memory = await self._own(connection, memory_id, actor, status)
        asked = Asked(grantor=memory.owner, about=About(memory_id=memory_id))
        await allow(self.database, act, actor, Relation.OWNER, asked, self.clock())

    async def _own(
        self, connection: Connection, memory_id: uuid.UUID, actor: Actor, status: Status
    ) -> Memory:
        found = await memories.kept(
            connection, self.database.agent, memory_id, self.database.agent_entity
        )
        if found is None or actor.entity != found.owner or found.status is not status:
            raise NotFound(NO_SUCH_MEMORY)
        return found
