"""Keys as they are stored: hashes, for whom they speak, and until when."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Final

from confide.model import Entity
from confide.store.connection import Connection
from confide.store.encoding import read_entity
from confide.store.queries import query

USED_EVERY: Final = timedelta(minutes=1)


class KeyKind(StrEnum):
    PLATFORM = "platform"  # attests audiences and actors of one platform
    PERSONAL = "personal"  # speaks for one entity, through a connection of its own
    AUDITOR = "auditor"  # sees labels without content
    ADMIN = "admin"  # configuration, no content


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """A key without its secret, which nobody can read again."""

    id: uuid.UUID
    kind: KeyKind
    name: str
    platform: str | None
    entity: Entity | None
    per_minute: int
    created_at: datetime
    expires_at: datetime
    last_used_at: datetime | None = None
    revoked_at: datetime | None = None
    is_opened: bool = False
    registered: frozenset[str] = (
        frozenset()
    )  # for the local key: names that ids may begin with  # its owner lets connections tell what was learned elsewhere

    def is_valid(self, now: datetime) -> bool:
        return self.revoked_at is None and self.expires_at > now


async def add(connection: Connection, agent: str, key: Key, hash: bytes) -> None:
    await connection.execute(
        query("keys", "add"),
        agent, key.id, key.kind.value, key.name, key.platform,
        str(key.entity) if key.entity else None, hash, key.per_minute, key.created_at,
        key.expires_at,
    )  # fmt: skip


async def by_hash(connection: Connection, agent: str, hash: bytes, now: datetime) -> Key | None:
    row = await connection.fetchrow(query("keys", "by_hash"), agent, hash, now)
    return _read(row) if row else None


async def by_id(connection: Connection, agent: str, id: uuid.UUID, now: datetime) -> Key | None:
    row = await connection.fetchrow(query("keys", "by_id"), agent, id, now)
    return _read(row) if row else None


async def listed(connection: Connection, agent: str) -> list[Key]:
    return [_read(row) for row in await connection.fetch(query("keys", "list"), agent)]


async def is_registered(connection: Connection, agent: str, platform: str) -> bool:
    return await connection.fetchval(query("keys", "is_registered"), agent, platform)


async def has_ids(connection: Connection, agent: str, platform: str) -> bool:
    """Whether there are ids that would become accounts of a platform of this name."""
    return await connection.fetchval(query("keys", "has_ids"), agent, f"{platform}.%")


async def note_use(connection: Connection, agent: str, key: Key, now: datetime) -> None:
    await connection.execute(query("keys", "used"), agent, key.id, now, now - USED_EVERY)


async def rotate(
    connection: Connection,
    agent: str,
    id: uuid.UUID,
    hash: bytes,
    now: datetime,
    former_until: datetime,
    expires_at: datetime,
) -> Key | None:
    row = await connection.fetchrow(
        query("keys", "rotate"), agent, id, hash, now, former_until, expires_at
    )
    return _read(row) if row else None


async def revoke(connection: Connection, agent: str, id: uuid.UUID, now: datetime) -> bool:
    return await connection.execute(query("keys", "revoke"), agent, id, now) == "UPDATE 1"


async def is_any_valid(connection: Connection, agent: str, now: datetime) -> bool:
    return await connection.fetchval(query("keys", "any_valid"), agent, now)


async def is_opened(connection: Connection, agent: str, who: Entity) -> bool:
    return await connection.fetchval(query("keys", "is_opened"), agent, str(who))


def _read(row: Mapping[str, Any]) -> Key:
    return Key(
        id=row["id"],
        kind=KeyKind(row["kind"]),
        name=row["name"],
        platform=row["platform"],
        entity=read_entity(row["entity"]) if row["entity"] else None,
        per_minute=row["per_minute"],
        created_at=row["created_at"],
        expires_at=row["expires_at"],
        last_used_at=row["last_used_at"],
        revoked_at=row["revoked_at"],
        is_opened=row["is_opened"],
        registered=frozenset(row.get("registered") or ()),
    )
