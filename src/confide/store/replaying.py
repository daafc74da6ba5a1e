"""The ledger names people and places by hashes: whom it means is found among those who are there."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from confide.store import ledger
from confide.store.connection import Connection
from confide.store.contributions import Embed
from confide.store.erasing import Erasing, Found, Target
from confide.store.ledger import Erasure, Marks
from confide.store.queries import query
from confide.store.tables import read_tables

if TYPE_CHECKING:
    from confide.store.database import Database


class Replaying:
    """Erasures of the ledger are done again, or finished, inside the caller's transaction."""

    def __init__(
        self,
        connection: Connection,
        database: Database,
        embed: Embed,
        history: int,
        now: datetime,
    ) -> None:
        self._connection = connection
        self._database = database
        self._embed = embed
        self._history = history
        self._now = now
        self._names: dict[str, list[str]] = {}

    async def replay(self, erasure: Erasure) -> int:
        """What was erased since a backup was made is gone after its restore too."""
        target = await self._target(erasure)
        if target is None:
            return 0
        erasing = Erasing(self._connection, self._database, target, self._now)
        found = await erasing.find(erasure.erased_at)
        await erasing.suppress(found, await self._marks(erasure), erasure.id, target.person)
        if erasure.final_at is None:
            await erasing.hold(found)
            await erasing.withdraw(found, self._embed, self._history)
            await erasing.empty(found)
            return await erasing.soften(found, erasure.id)
        return await self._erase(erasing, target, found)

    async def finish(self, erasure: Erasure) -> Found:
        """It can be undone no longer: what waited for it goes for good."""
        agent = self._database.agent
        target = await self._target(erasure) or Target(memory=erasure.id)
        erasing = Erasing(self._connection, self._database, target, self._now)
        found = await erasing.find(erasure.erased_at)
        waiting = await self._connection.fetch(query("erasing", "waiting"), agent, erasure.id)
        ids = [row["id"] for row in waiting]
        derived = await self._connection.fetch(query("erasing", "derived"), agent, ids, True)
        found.memories = [row["id"] for row in derived]
        await self._erase(erasing, target, found)
        await self._connection.execute(query("ledger", "finish"), agent, erasure.id, self._now)
        return found

    async def _erase(self, erasing: Erasing, target: Target, found: Found) -> int:
        if target.kind == "all" and not await self._connection.fetchval(
            query("erasing", "any_besides"), self._database.agent, found.memories
        ):
            tables = [table.name for table in reversed(await read_tables(self._connection))]
            return sum((await erasing.erase_all(tables)).values())
        counts = await erasing.erase(found, self._embed, self._history)
        return counts["memories"]

    async def _target(self, erasure: Erasure) -> Target | None:
        if erasure.kind == "memory":
            return Target(memory=erasure.memory_ids[0])
        if erasure.kind == "all":
            return Target()
        marks = await self._marks(erasure)
        name = await self._meant(marks, erasure.kind, erasure.target)
        if name is None:
            return None
        if erasure.kind == "place":
            return Target(place=name)
        if erasure.kind == "person":
            about = tuple(erasure.memory_ids)
            return Target(person=name, is_about_too=erasure.is_about_too, about=about)
        whose = None
        if erasure.whose is not None:
            whose = await self._meant(marks, "person", erasure.whose)
            if whose is None:
                return None
        return Target(source=name, whose=whose)

    async def _meant(self, marks: Marks, kind: str, mark: bytes | None) -> str | None:
        if kind not in self._names:
            rows = await self._connection.fetch(
                query("erasing", f"every_{kind}"), self._database.agent
            )
            self._names[kind] = [row["name"] for row in rows]
        return next((one for one in self._names[kind] if marks.of(kind, one) == mark), None)

    async def _marks(self, erasure: Erasure) -> Marks:
        keys = await ledger.every_key(self._connection, self._database.agent)
        return next(key for key in keys if key.id == erasure.key_id)
