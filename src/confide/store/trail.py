"""The trail: who changed or told what, and when, as hashes and pseudonyms.

Changes of rows leave their entries by themselves (`sql/trail.sql`), whoever makes them; `record` is
for acts that change no row. Entries become evidence when they are sealed: each seal holds a hash
over the entries since the one before, and that one's hash.
"""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from confide.model import Entity
from confide.store.connection import Connection
from confide.store.queries import query

#: What the first seal of an agent has instead of a seal before it.
BEGINNING: Final = bytes(32)


async def record(
    connection: Connection,
    agent: str,
    *,
    actor: object,
    action: str,
    now: datetime,
    doing: str | None = None,
    what: str = "act",
    memory_id: uuid.UUID | None = None,
    owner: Entity | None = None,
    place: str | None = None,
    before: str | None = None,
    after: str | None = None,
) -> None:
    """An entry for an act that changes no row by itself, in the act's own transaction.

    `action` and `doing` are words of the program, never of a person. `before` and `after` are
    hashed with the keys of `owner` and `place`; without either, with the agent's.
    """
    proof, _, who = str(actor).partition(" as ")
    room = f"place:{place}" if place else None
    keys = [name for name in (str(owner) if owner else None, room) if name] or [f"si:{agent}"]
    await connection.execute(query("trail", "name_all"), agent, [*keys, *([who] if who else [])])
    await connection.execute(
        query("trail", "record"),
        agent, now, proof, who or None, doing, what, action, memory_id,
        str(owner) if owner else None, room, keys, before, after,
    )  # fmt: skip


async def forget_names(connection: Connection, agent: str, names: Iterable[str]) -> None:
    """Destroy the keys of people (`human:alice`) or places (`place:ID`): for erasure, as its last act.

    Their entries stay, so that the chain still verifies, and point to nobody.
    """
    await connection.execute(query("trail", "forget_names"), agent, sorted(set(names)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Seal:
    number: int
    last_seq: int
    entries: int
    digest: bytes
    previous: bytes
    hash: bytes
    sealed_at: datetime


def seal_hash(agent: str, seal: Mapping[str, Any]) -> bytes:
    """All that a seal says, in one number."""
    said = [
        agent, seal["number"], seal["last_seq"], seal["entries"], seal["digest"].hex(),
        seal["previous"].hex(), seal["sealed_at"].timestamp(),
    ]  # fmt: skip
    return hashlib.sha256(json.dumps(said).encode()).digest()


def written(row: Mapping[str, Any]) -> bytes:
    """An entry as it is hashed: every column, in one spelling."""
    return json.dumps([_plain(value) for value in row.values()]).encode()


def _plain(value: Any) -> Any:
    match value:
        case datetime():
            return value.timestamp()
        case bytes():
            return value.hex()
        case uuid.UUID():
            return str(value)
        case _:
            return value
