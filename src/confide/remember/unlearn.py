"""A message was edited, deleted or said to be in confidence: what it contributed goes with it."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from confide.model import Place, PlaceKind, clean_text
from confide.privacy.labels import in_confidence
from confide.privacy.policy import Label, union
from confide.store import memories, messages
from confide.store.connection import Connection, Row
from confide.store.contributions import Withdrawing, again, hold_place
from confide.store.encoding import read_clauses, read_entity, write_clauses
from confide.store.queries import query

if TYPE_CHECKING:
    from confide.providers.embedder import Embedder
    from confide.store.database import Database

#: Messages after one that may be found by its words too.
NEAR: Final = 20
#: How far back "this stays between us" reaches.
NOT_LONG_AGO: Final = timedelta(minutes=10)


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


async def take_into_confidence(
    database: Database, embedder: Embedder, platform: str, message_id: str, now: datetime
) -> int:
    """What its speaker had just said stays between those who were there, and so does what was
    learned from it; returns how many messages that were."""
    agent = database.agent
    async with database.keep(by="platform", doing="keep in confidence", at=now) as connection:
        rows = await connection.fetch(
            query("messages", "just_before"), agent, platform, message_id, NOT_LONG_AGO
        )
        withdrawing = _withdrawing(connection, database, embedder, now)
        for row in rows:
            await _hold(connection, agent, row)
            borrowing = await withdrawing.message(row["id"])
            await _words_after(connection, agent, row)
            await _make_confidential(connection, agent, row)
            await withdrawing.learn_again(borrowing)
            await again(connection, agent, row["session_id"], now)
    return len(rows)


async def _make_confidential(connection: Connection, agent: str, row: Row) -> None:
    room = Place(
        id=row["room_id"], kind=PlaceKind(row["room_kind"]),
        space=row["room_space"], parent=row["room_parent"],
    )  # fmt: skip
    clause = in_confidence(read_entity(row["speaker"]), room, row["epoch"])
    made = union([read_clauses(row["clauses"]), Label(frozenset({clause}))])
    label_id, _ = await memories.intern(connection, agent, made)
    await connection.execute(
        query("messages", "make_confidential"), agent, row["id"], write_clauses(made), label_id
    )


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
