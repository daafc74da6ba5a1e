"""What one message gave to memories is taken back: each is left to who else stands by it."""

from __future__ import annotations

import uuid
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from confide.store import journal, memories, messages
from confide.store.connection import Connection, Row
from confide.store.messages import Contribution
from confide.store.queries import query

if TYPE_CHECKING:
    from confide.store.database import Database

#: The built-in embedder: a tenth of a millisecond a text, so it may run inside a transaction.
Embed = Callable[[list[str]], Awaitable[Sequence[Sequence[float]]]]


class Withdrawing:
    """Takes messages' parts out of memories, inside the caller's transaction."""

    def __init__(
        self,
        connection: Connection,
        database: Database,
        embed: Embed,
        now: datetime,
        besides: Collection[uuid.UUID] = (),
    ) -> None:
        self._connection = connection
        self._database = database
        self._embed = embed
        self._now = now
        self._besides = besides  # memories that somebody else sees to

    async def message(self, message_id: uuid.UUID) -> list[Row]:
        """Its part in every memory; returns the messages whose answers held its words."""
        agent = self._database.agent
        borrowing = await messages.borrowers(self._connection, agent, message_id)
        await self._withdraw(message_id)
        return borrowing

    async def learn_again(self, borrowing: Sequence[Row]) -> None:
        """Answers that held its words are learned anew, without them or with the new ones."""
        agent = self._database.agent
        for one in borrowing:
            await self._connection.execute(query("sessions", "lock"), agent, one["session_id"])
            await self._connection.execute(query("messages", "hold_owner"), agent, one["speaker"])
            await self._withdraw(one["message_id"])
            await self._connection.execute(
                query("messages", "learn_again"), agent, one["message_id"]
            )
            await again(self._connection, agent, one["session_id"], self._now)

    async def _withdraw(self, message_id: uuid.UUID) -> None:
        agent = self._database.agent
        # What was merged from these words is taken apart first; its parts are in their own words.
        await self._connection.execute(query("merging", "unmerge"), agent, message_id)
        for part in await messages.contributions(self._connection, agent, message_id):
            if part.memory_id in self._besides:
                continue
            if part.others and part.gave_its_text:
                await self._write_again(part, message_id)
            elif part.others:
                await self._connection.execute(
                    query("messages", "drop_contribution"),
                    agent, message_id, part.memory_id, self._now,
                )  # fmt: skip
            else:
                await self._erase(part.memory_id)

    async def _erase(self, memory_id: uuid.UUID) -> None:
        agent = self._database.agent
        derived = await self._connection.fetch(
            query("erasing", "derived"), agent, [memory_id], False
        )
        for one in (memory_id, *(row["id"] for row in derived if row["id"] != memory_id)):
            await self._connection.execute(query("memories", "erase"), agent, one)
            await self._connection.execute(query("messages", "unsupersede"), agent, one, self._now)

    async def _write_again(self, part: Contribution, message_id: uuid.UUID) -> None:
        """The memory in the words of somebody who still stands by it."""
        agent, connection = self._database.agent, self._connection
        other = await connection.fetchrow(
            query("messages", "other_contribution"), agent, part.memory_id, message_id
        )
        old = await memories.kept(connection, agent, part.memory_id, self._database.agent_entity)
        if other is None or old is None:
            await self._erase(part.memory_id)
            return
        await connection.execute(
            query("messages", "drop_contribution"), agent, message_id, part.memory_id, self._now
        )
        if other["stated"] == old.text:
            return
        (vector,) = await self._embed([other["stated"]])
        stored = await memories.add(
            connection,
            agent,
            replace(old, id=uuid.uuid4(), text=other["stated"], updated_at=self._now),
            vector,
        )
        await connection.execute(
            query("messages", "move_contributions"), agent, part.memory_id, stored.id
        )
        await self._erase(part.memory_id)


async def again(
    connection: Connection, agent: str, session_id: uuid.UUID | None, now: datetime
) -> None:
    """Whoever read the old words applies nothing; what is left is learned from."""
    if session_id is not None:
        await journal.discard(connection, agent, session_id)
        await connection.execute(query("sessions", "make_one_due"), agent, session_id, now)


async def hold_place(connection: Connection, agent: str, place: str) -> None:
    """Whoever is learning in this place finishes first or is shut out."""
    await connection.execute(query("sessions", "shut_out"), agent, place)
    await connection.execute(query("journal", "discard_in_place"), agent, place)
