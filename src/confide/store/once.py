"""Requests that are to be done once: claimed, then answered."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from confide.store.queries import query

if TYPE_CHECKING:
    from confide.store.database import Database


class Asked(NamedTuple):
    caller: str
    key_hash: bytes
    body_hash: bytes


class Before(NamedTuple):
    """What is known of an earlier request with the same key; no status: not answered yet."""

    body_hash: bytes
    status: int | None
    answer: str | None


async def claim(
    database: Database, asked: Asked, now: datetime, dead_before: datetime, kept_since: datetime
) -> Before | None:
    """None: it is ours to answer."""
    async with database.keep() as connection:
        agent = database.agent
        await connection.execute(query("keys", "drop_claims"), agent, kept_since)
        is_ours = await connection.fetchval(
            query("keys", "claim"), agent, *asked, now, dead_before, kept_since
        )
        if is_ours:
            return None
        row = await connection.fetchrow(
            query("keys", "claimed"), agent, asked.caller, asked.key_hash
        )
    if row is None:  # whoever had it has just given it up
        return Before(asked.body_hash, None, None)
    return Before(row["body_hash"], row["status"], row["answer"])


async def answered(database: Database, asked: Asked, status: int, answer: str) -> None:
    async with database.keep() as connection:
        await connection.execute(
            query("keys", "answered"), database.agent, asked.caller, asked.key_hash, status,
            answer or None,
        )  # fmt: skip


async def unclaim(database: Database, asked: Asked) -> None:
    async with database.keep() as connection:
        await connection.execute(
            query("keys", "unclaim"), database.agent, asked.caller, asked.key_hash
        )
