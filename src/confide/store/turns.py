"""How far conversations were given to `add`, in the database: keyed hashes, no words and no names."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from confide.model import Kind, Status
from confide.store.connection import Connection
from confide.store.queries import query

#: The mark of what is not kept: it says that something was given, and nothing of what.
BLANK: Final = b""
#: Turns of a conversation that are compared with what is given.
MOST_COMPARED: Final = 1000


@dataclass(frozen=True, slots=True)
class Turn:
    """One that was given before. `mark` is empty where nothing of it is kept."""

    id: uuid.UUID
    mark: bytes
    is_settled: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Noted:
    """What a message taught: a memory, and what was written from the message's words."""

    memory_id: uuid.UUID
    text: str
    kind: Kind
    status: Status
    waits_because: str | None = None


async def given(connection: Connection, agent: str, conversation: bytes) -> list[Turn]:
    """Held until the transaction ends: nobody else adds to the conversation meanwhile."""
    await connection.execute(query("turns", "hold"), agent, conversation)
    rows = await connection.fetch(query("turns", "given"), agent, conversation, MOST_COMPARED)
    return [Turn(row["id"], bytes(row["mark"]), row["is_settled"]) for row in rows]


async def add(
    connection: Connection, agent: str, conversation: bytes, new: Sequence[Turn], now: datetime
) -> None:
    ids, marks = [one.id for one in new], [one.mark for one in new]
    await connection.execute(query("turns", "add"), agent, conversation, ids, marks, now)
    await connection.execute(query("turns", "trim"), agent, conversation, MOST_COMPARED)


async def renew(
    connection: Connection, agent: str, conversation: bytes, old: Sequence[Turn], now: datetime
) -> None:
    ids = [one.id for one in old]
    await connection.execute(query("turns", "renew"), agent, conversation, ids, now)


async def silent(
    connection: Connection, agent: str, place: str, speakers: Collection[str]
) -> frozenset[str]:
    rows = await connection.fetch(query("turns", "silent"), agent, place, list(speakers))
    return frozenset(row["entity"] for row in rows)


async def settle(
    connection: Connection, agent: str, conversation: bytes, id: uuid.UUID, *, is_kept: bool
) -> None:
    await connection.execute(query("turns", "settle"), agent, conversation, id, is_kept)


async def purge(connection: Connection, agent: str, before: datetime) -> None:
    await connection.execute(query("turns", "purge"), agent, before)


async def sessions_of(
    connection: Connection, agent: str, platform: str, message_ids: Sequence[str]
) -> list[uuid.UUID]:
    rows = await connection.fetch(query("turns", "sessions"), agent, platform, list(message_ids))
    return [row["session_id"] for row in rows]


async def learned_from(
    connection: Connection, agent: str, platform: str, message_ids: Sequence[str]
) -> list[Noted]:
    rows = await connection.fetch(query("turns", "learned"), agent, platform, list(message_ids))
    return [
        Noted(
            memory_id=row["memory_id"],
            text=row["stated"],
            kind=Kind(row["kind"]),
            status=Status(row["status"]),
            waits_because=row["waits_because"],
        )
        for row in rows
    ]
