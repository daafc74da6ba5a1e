"""One's own memories looked through, through a server."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import Final

from confide.client import parsing
from confide.client.door import Door
from confide.client.group import Group
from confide.client.writing import written_namespace
from confide.model import Entity, Kind, Namespace, Scope
from confide.recall.mine import Count, Seen, Stats
from confide.store.memory import Memory

PAGE: Final = 100


class RemoteMine(Group):
    def __init__(self, door: Door, agent: Entity) -> None:
        super().__init__(door)
        self._agent = agent

    async def search(
        self, who: Entity, question: str, *, namespace: Namespace | None = None, limit: int = 20
    ) -> Sequence[Memory]:
        """One's own memories that fit a question, best first."""
        asked = {
            "as": str(who),
            "question": question,
            "namespace": written_namespace(namespace),
            "limit": min(PAGE, limit),
        }
        told = await self._door.call("GET", "/v1/mine/search", query=asked)
        return [parsing.memory(one, self._agent) for one in told["memories"]]

    async def view(
        self,
        who: Entity,
        memory_id: uuid.UUID,
        *,
        space: str | None = None,
        namespace: Namespace | None = None,
    ) -> Seen:
        """One memory that is theirs or about them."""
        told = await self._door.call(
            "GET",
            "/v1/memories/{memory_id}",
            names={"memory_id": memory_id},
            query={
                "as": str(who),
                "space": space,
                "namespace": written_namespace(namespace),
            },
        )
        words = [(one["speaker"], one["text"]) for one in told["evidence"]]
        return Seen(parsing.memory(told["memory"], self._agent), words)

    async def mentions(
        self, who: Entity, *, space: str | None = None, limit: int = 50, offset: int = 0
    ) -> Sequence[Memory]:
        """What others said about oneself, where one may hear it."""
        found: list[Memory] = []
        cursor: str | None = None
        while len(found) < offset + limit:
            most = min(PAGE, offset + limit - len(found))
            asked = {"as": str(who), "space": space, "limit": most, "cursor": cursor}
            page = await self._door.call("GET", "/v1/mine/mentions", query=asked)
            found += [parsing.memory(one, self._agent) for one in page["memories"]]
            cursor = page["next"]
            if cursor is None:
                break
        return found[offset:]

    async def stats(
        self, who: Entity, *, space: str | None = None, namespace: Namespace | None = None
    ) -> Stats:
        """Counts of what one may hear; what is withheld is not counted."""
        asked = {"as": str(who), "space": space, "namespace": written_namespace(namespace)}
        told = await self._door.call("GET", "/v1/mine/stats", query=asked)
        counts = tuple(
            Count(
                Scope(one["scope"]),
                Kind(one["kind"]),
                one["memories"],
                parsing.when(one["updated_at"]),
            )
            for one in told["counts"]
        )
        return Stats(counts, told["mentions"])
