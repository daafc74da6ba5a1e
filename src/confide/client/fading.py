"""What lasts and what was put away, through a server."""

from __future__ import annotations

import uuid

from confide.actor import Actor
from confide.client import parsing
from confide.client.door import acting
from confide.client.group import Group
from confide.keep.fading import Archived, Restorable
from confide.model import Entity, Kind


class RemoteFading(Group):
    async def protect(self, memory_id: uuid.UUID, *, actor: Actor) -> None:
        """It neither fades nor expires, and is never one too many."""
        await self._door.call(
            "POST",
            "/v1/memories/{memory_id}/protect",
            names={"memory_id": memory_id},
            query=acting(actor),
        )

    async def unprotect(self, memory_id: uuid.UUID, *, actor: Actor) -> None:
        """It lasts as long as its kind does, from now on."""
        await self._door.call(
            "POST",
            "/v1/memories/{memory_id}/unprotect",
            names={"memory_id": memory_id},
            query=acting(actor),
        )

    async def archived(self, who: Entity) -> list[Archived]:
        """How much of somebody's was put away, why, and until when."""
        told = await self._door.call("GET", "/v1/mine/archived", query={"as": str(who)})
        return [
            Archived(
                because=one["because"],
                memories=one["memories"],
                until=parsing.when(one["until"]),
            )
            for one in told["archived"]
        ]

    async def restorable(self, *, actor: Actor, limit: int = 50) -> list[Restorable]:
        """The actor's own words in the archive, newest first."""
        query = acting(actor) | {"limit": limit}
        told = await self._door.call("GET", "/v1/mine/archive", query=query)
        return [
            Restorable(
                id=uuid.UUID(one["id"]),
                text=one["text"],
                kind=Kind(one["kind"]),
                because=one["because"],
                until=parsing.when(one["until"]),
            )
            for one in told["memories"]
        ]
