"""Seals: each links the entries of the trail since the last one to all that came before."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

import asyncpg

from confide.store.queries import query
from confide.store.trail import BEGINNING, seal_hash, written

if TYPE_CHECKING:
    from confide.store.connection import Connection
    from confide.store.database import Database

AT_ONCE: Final = 5_000
#: An entry that somebody numbers from below the first is noticed too.
BEFORE_ALL: Final = -(2**62)
#: Writers wait behind whoever seals, so it gives up soon and is tried again later.
PATIENCE: Final = "SET LOCAL lock_timeout = '250ms'"


@dataclass(frozen=True, slots=True)
class Head:
    """The newest seal: it stands for everything before it."""

    number: int
    hash: bytes


async def seal(database: Database, now: datetime) -> int:
    """Seal what was written since; returns how many entries that were."""
    agent, count = database.agent, 0
    newest = await _settled(database)
    while newest is not None:
        async with database.keep() as connection:
            await connection.execute(query("trail", "hold_sealers"), agent)
            last = await connection.fetchrow(query("trail", "last_seal"), agent)
            after = last["last_seq"] if last else BEFORE_ALL
            rows = await connection.fetch(query("trail", "entries"), agent, after, newest, AT_ONCE)
            if not rows:
                break
            made: dict[str, Any] = {
                "number": last["number"] + 1 if last else 1,
                "last_seq": rows[-1]["seq"],
                "entries": len(rows),
                "digest": digest(rows),
                "previous": last["hash"] if last else BEGINNING,
                "sealed_at": now,
            }
            await connection.execute(
                query("trail", "seal"),
                agent, made["number"], made["last_seq"], made["entries"], made["digest"],
                made["previous"], seal_hash(agent, made), now,
            )  # fmt: skip
        count += len(rows)
    return count


async def _settled(database: Database) -> int | None:
    """The newest entry before which none is still to come; None: too much is being written."""
    try:
        async with database.keep() as connection:
            await connection.execute(PATIENCE)
            await connection.execute(query("trail", "hold_writers"), database.agent)
            return await connection.fetchval(query("trail", "newest"), database.agent)
    except asyncpg.LockNotAvailableError:
        return None


async def head(connection: Connection, agent: str) -> Head | None:
    row = await connection.fetchrow(query("trail", "last_seal"), agent)
    return Head(row["number"], row["hash"]) if row else None


async def seals(connection: Connection, agent: str) -> AsyncIterator[Mapping[str, Any]]:
    """All of them, in their order."""
    after = 0
    while rows := await connection.fetch(query("trail", "seals"), agent, after, AT_ONCE):
        for row in rows:
            yield row
        after = rows[-1]["number"]


def digest(rows: Sequence[Mapping[str, Any]]) -> bytes:
    """Of entries in their order; a line can hold no line break."""
    return hashlib.sha256(b"\n".join(written(row) for row in rows)).digest()
