"""The ledger of erasures and what is not to be learned again: keyed hashes, times, no content."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from confide.store.connection import Connection, Row
from confide.store.queries import query
from confide.store.terms import terms

_NEGATION: Final = re.compile(
    r"\b(?:not|no|never|nobody|nothing|none|neither|without|cannot)\b|n['’]t\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Marks:
    """Turns names and facts into hashes that nobody can guess without the key."""

    id: uuid.UUID
    key: bytes

    def of(self, *parts: str) -> bytes:
        return hmac.new(self.key, "\x1f".join(parts).encode(), hashlib.sha256).digest()

    def fact(self, who: str, text: str) -> tuple[bytes, bytes]:
        """Whose it is, and what it says however it is put."""
        return self.of("who", who), self.of("fact", who, gist(text))


@dataclass(frozen=True, slots=True, kw_only=True)
class Erasure:
    """One act of erasing, as the ledger keeps it."""

    id: uuid.UUID
    kind: str
    key_id: uuid.UUID
    actor: bytes
    erased_at: datetime
    memories: int = 0
    memory_ids: Sequence[uuid.UUID] = ()
    target: bytes | None = None
    whose: bytes | None = None
    is_about_too: bool = False
    final_at: datetime | None = None


def gist(text: str) -> str:
    """The content words in no order, and whether they are denied: small words make no difference."""
    denied = "not " if len(_NEGATION.findall(text)) % 2 else ""
    carrying = sorted(set(terms(text)))
    return denied + (" ".join(carrying) if carrying else " ".join(text.casefold().split()))


async def marks(connection: Connection, agent: str, now: datetime) -> Marks:
    """The key in use; made when it is needed first."""
    found = await every_key(connection, agent)
    if found:
        return found[0]
    made = Marks(uuid.uuid4(), secrets.token_bytes(32))
    await connection.execute(query("ledger", "make_key"), agent, made.id, made.key, now)
    return made


async def every_key(connection: Connection, agent: str) -> list[Marks]:
    rows = await connection.fetch(query("ledger", "keys"), agent)
    return [Marks(row["id"], bytes(row["key"])) for row in rows]


async def keys_in_use(connection: Connection, agent: str) -> list[Marks]:
    """Those that something was suppressed with; usually none."""
    rows = await connection.fetch(query("ledger", "keys_in_use"), agent)
    return [Marks(row["id"], bytes(row["key"])) for row in rows]


async def enter(connection: Connection, agent: str, erasure: Erasure) -> None:
    e = erasure
    await connection.execute(
        query("ledger", "enter"), agent, e.id, e.kind, list(e.memory_ids), e.key_id, e.target, e.whose,
        e.is_about_too, e.actor, e.erased_at, e.final_at, e.memories,
    )  # fmt: skip


async def one(connection: Connection, agent: str, id: uuid.UUID) -> Erasure | None:
    """By its own id, or by a memory that waits for it."""
    for name in ("one", "of_memory"):
        row = await connection.fetchrow(query("ledger", name), agent, id)
        if row is not None:
            return read(row)
    return None


async def every(connection: Connection, agent: str) -> list[Erasure]:
    return [read(row) for row in await connection.fetch(query("ledger", "every"), agent)]


async def overdue(connection: Connection, agent: str, since: datetime) -> list[Erasure]:
    rows = await connection.fetch(query("ledger", "overdue"), agent, since)
    return [read(row) for row in rows]


def read(row: Row) -> Erasure:
    return Erasure(**{name: row[name] for name in Erasure.__dataclass_fields__})


async def suppress(
    connection: Connection,
    agent: str,
    marks: Marks,
    erasure_id: uuid.UUID,
    facts: Iterable[tuple[str, str]],
) -> None:
    """Each fact is not to be learned again from or about the person beside it."""
    made = sorted({marks.fact(who, text) for who, text in facts})
    if made:
        who, what = zip(*made, strict=True)
        await connection.execute(
            query("ledger", "suppress"), agent, list(who), list(what), marks.id, erasure_id
        )


async def is_suppressed(
    connection: Connection,
    agent: str,
    keys: Sequence[Marks],
    facts: Iterable[tuple[str, str]],
) -> bool:
    made = [key.fact(who, text) for who, text in facts for key in keys]
    if not made:
        return False
    who, what = zip(*made, strict=True)
    return await connection.fetchval(query("ledger", "is_suppressed"), agent, list(who), list(what))


async def lift(
    connection: Connection,
    agent: str,
    facts: Iterable[tuple[str, str]],
    keys: Sequence[Marks] | None = None,
) -> None:
    """Their owner said outright that these are to be remembered. `keys`: those in use, if known."""
    if keys is None:
        keys = await keys_in_use(connection, agent)
    made = [key.fact(who, text) for key in keys for who, text in facts]
    if made:
        who, what = zip(*made, strict=True)
        await connection.execute(query("ledger", "lift"), agent, list(who), list(what))
