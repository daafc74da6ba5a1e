"""Links to sign in with and browser sessions as they are stored: hashes, whose they are, and until when."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from confide.model import Entity
from confide.privacy.acting import CallerKind
from confide.store.connection import Connection
from confide.store.encoding import read_entity
from confide.store.queries import query


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkMade:
    """That a link was made for somebody; the link itself is shown once."""

    made_by: str
    made_at: datetime
    expires_at: datetime
    used_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """One browser that is signed in. Its cookie is kept as a hash."""

    id: uuid.UUID
    kind: CallerKind
    entity: Entity | None
    key_id: uuid.UUID | None
    started_at: datetime
    seen_at: datetime
    rotated_at: datetime
    is_newest: bool = True  # False: the cookie was replaced while this request was under way


async def begin(
    connection: Connection, agent: str, session: Session, hash: bytes, ends_at: datetime
) -> None:
    await connection.execute(
        query("browser", "begin"),
        agent, session.id, hash, session.kind.value,
        str(session.entity) if session.entity else None, session.key_id, session.started_at,
        ends_at,
    )  # fmt: skip


async def find(
    connection: Connection, agent: str, hash: bytes, now: datetime, used_since: datetime
) -> Session | None:
    row = await connection.fetchrow(query("browser", "session"), agent, hash, now, used_since)
    return _read(row) if row else None


async def links(
    connection: Connection, agent: str, who: Entity, since: datetime, limit: int
) -> list[LinkMade]:
    rows = await connection.fetch(query("browser", "links"), agent, str(who), since, limit)
    return [
        LinkMade(
            made_by=row["made_by"],
            made_at=row["made_at"],
            expires_at=row["expires_at"],
            used_at=row["used_at"],
        )
        for row in rows
    ]


def _read(row: Mapping[str, Any]) -> Session:
    return Session(
        id=row["id"],
        kind=CallerKind(row["kind"]),
        entity=read_entity(row["entity"]) if row["entity"] else None,
        key_id=row["key_id"],
        started_at=row["started_at"],
        seen_at=row["seen_at"],
        rotated_at=row["rotated_at"],
        is_newest=row["is_newest"],
    )
