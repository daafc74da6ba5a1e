"""A message was edited or deleted where it was said: what it contributed goes with it."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Final

from confide.model import clean_text
from confide.store import messages
from confide.store.connection import Connection, Row
from confide.store.contributions import Withdrawing, again, hold_place
from confide.store.queries import query

if TYPE_CHECKING:
    from confide.providers.embedder import Embedder
    from confide.store.database import Database

#: Messages after one that may be found by its words too.
NEAR: Final = 20


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
        withdrawing = _withdrawing(connection, database, embedder, now)
        borrowing = await withdrawing.message(found["id"])
        await _words_after(connection, database.agent, found)
        await connection.execute(
            query("messages", "edit"), database.agent, found["id"], words, said_at
        )
        await withdrawing.learn_again(borrowing)
        await again(connection, database.agent, found["session_id"], now)
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
        withdrawing = _withdrawing(connection, database, embedder, now)
        borrowing = await withdrawing.message(found["id"])
        await _words_after(connection, database.agent, found)
        await connection.execute(query("messages", "erase"), database.agent, found["id"])
        await withdrawing.learn_again(borrowing)
        await again(connection, database.agent, found["session_id"], now)
    return True


def _withdrawing(
    connection: Connection, database: Database, embedder: Embedder, now: datetime
) -> Withdrawing:
    return Withdrawing(connection, database, embedder.embed_documents, now)


async def _words_after(connection: Connection, agent: str, message: Row) -> None:
    """What was said just after it is found by its own words only from now on."""
    await connection.execute(query("erasing", "drop_words_after"), agent, [message["id"]], NEAR)


async def _hold(connection: Connection, agent: str, message: Row) -> None:
    """Whoever is learning from the old words finishes first or is shut out; locks as they do."""
    # An answer to this message may be about to be learned with its words.
    await hold_place(connection, agent, message["place"])
    await connection.execute(query("sessions", "lock"), agent, message["session_id"])
    await connection.execute(query("messages", "hold_owner"), agent, message["speaker"])
