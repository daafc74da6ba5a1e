"""A message was edited or deleted where it was said: what it contributed goes with it."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from confide.model import clean_text
from confide.store import journal, memories, messages
from confide.store.connection import Connection, Row
from confide.store.messages import Contribution
from confide.store.queries import query

if TYPE_CHECKING:
    from confide.providers.embedder import Embedder
    from confide.store.database import Database


async def edit(
    database: Database,
    embedder: Embedder,
    platform: str,
    message_id: str,
    text: str,
    said_at: datetime,
    now: datetime,
) -> bool:
    """Forget what the old words taught, and have the new ones learned from."""
    words = clean_text(text)
    async with database.keep(by="platform", doing="edit message", at=now) as connection:
        found = await messages.find(connection, database.agent, platform, message_id)
        if found is None:
            return False
        await _hold(connection, database.agent, found)
        borrowing = await messages.borrowers(connection, database.agent, found["id"])
        await _withdraw(connection, database, embedder, found["id"], now)
        await connection.execute(
            query("messages", "edit"), database.agent, found["id"], words, said_at
        )
        await _learn_again(connection, database, embedder, borrowing, now)
        await _again(connection, database.agent, found["session_id"], now)
    return True


async def delete(
    database: Database, embedder: Embedder, platform: str, message_id: str, now: datetime
) -> bool:
    """Erase the message and all that came from it alone; it stays gone if it is delivered again."""
    async with database.keep(by="platform", doing="delete message", at=now) as connection:
        await connection.execute(
            query("messages", "mark_gone"), database.agent, platform, message_id, now
        )
        found = await messages.find(connection, database.agent, platform, message_id)
        if found is None:
            return False
        await _hold(connection, database.agent, found)
        borrowing = await messages.borrowers(connection, database.agent, found["id"])
        await _withdraw(connection, database, embedder, found["id"], now)
        await connection.execute(query("messages", "erase"), database.agent, found["id"])
        await _learn_again(connection, database, embedder, borrowing, now)
        await _again(connection, database.agent, found["session_id"], now)
    return True


async def _hold(connection: Connection, agent: str, message: Row) -> None:
    """Whoever is learning from the old words finishes first or is shut out; locks as they do."""
    # An answer to this message may be about to be learned with its words.
    await connection.execute(query("sessions", "shut_out"), agent, message["place"])
    await connection.execute(query("journal", "discard_in_place"), agent, message["place"])
    await connection.execute(query("sessions", "lock"), agent, message["session_id"])
    await connection.execute(query("messages", "hold_owner"), agent, message["speaker"])


async def _again(
    connection: Connection, agent: str, session_id: uuid.UUID | None, now: datetime
) -> None:
    if session_id is not None:
        await journal.discard(connection, agent, session_id)
        await connection.execute(query("sessions", "make_one_due"), agent, session_id, now)


async def _learn_again(
    connection: Connection,
    database: Database,
    embedder: Embedder,
    borrowing: Sequence[Row],
    now: datetime,
) -> None:
    """Answers that held its words are learned anew, without them or with the new ones."""
    agent = database.agent
    for one in borrowing:
        await connection.execute(query("sessions", "lock"), agent, one["session_id"])
        await connection.execute(query("messages", "hold_owner"), agent, one["speaker"])
        await _withdraw(connection, database, embedder, one["message_id"], now)
        await connection.execute(query("messages", "learn_again"), agent, one["message_id"])
        await _again(connection, agent, one["session_id"], now)


async def _withdraw(
    connection: Connection,
    database: Database,
    embedder: Embedder,
    message_id: uuid.UUID,
    now: datetime,
) -> None:
    for part in await messages.contributions(connection, database.agent, message_id):
        if part.others and part.gave_its_text:
            await _write_again(connection, database, embedder, part, message_id, now)
        elif part.others:
            await connection.execute(
                query("messages", "drop_contribution"),
                database.agent, message_id, part.memory_id, now,
            )  # fmt: skip
        else:
            await _erase(connection, database.agent, part.memory_id, now)


async def _erase(connection: Connection, agent: str, memory_id: uuid.UUID, now: datetime) -> None:
    await connection.execute(query("memories", "erase"), agent, memory_id)
    await connection.execute(query("messages", "unsupersede"), agent, memory_id, now)


async def _write_again(
    connection: Connection,
    database: Database,
    embedder: Embedder,
    part: Contribution,
    message_id: uuid.UUID,
    now: datetime,
) -> None:
    """The memory in the words of somebody who still stands by it."""
    agent = database.agent
    other = await connection.fetchrow(
        query("messages", "other_contribution"), agent, part.memory_id, message_id
    )
    old = await memories.kept(connection, agent, part.memory_id, database.agent_entity)
    if other is None or old is None:
        await _erase(connection, agent, part.memory_id, now)
        return
    await connection.execute(
        query("messages", "drop_contribution"), agent, message_id, part.memory_id, now
    )
    if other["stated"] == old.text:
        return
    # Rare and short: the built-in embedder needs a tenth of a millisecond.
    (vector,) = await embedder.embed_documents([other["stated"]])
    stored = await memories.add(
        connection, agent, replace(old, id=uuid.uuid4(), text=other["stated"], updated_at=now)
    )
    if stored.is_new:
        await memories.add_embedding(connection, agent, stored.id, embedder.model, vector)
    await connection.execute(
        query("messages", "move_contributions"), agent, part.memory_id, stored.id
    )
    await _erase(connection, agent, part.memory_id, now)
