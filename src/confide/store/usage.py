"""What models cost, in the database."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from confide.model import Entity
from confide.store.connection import Connection
from confide.store.queries import query


@dataclass(frozen=True, slots=True, kw_only=True)
class Used:
    """A model's work for one person in one place, added up."""

    person: str | None
    place: str | None
    space: str | None
    operation: str
    model: str
    uses: int
    tokens_read: int
    tokens_written: int
    dollars: float


async def add(connection: Connection, agent: str, now: datetime, used: Used) -> None:
    await connection.execute(
        query("usage", "add"), agent, now, used.operation, used.model, used.person, used.place,
        used.space, used.tokens_read, used.tokens_written, used.dollars,
    )  # fmt: skip


async def spent(
    connection: Connection, agent: str, since: datetime, person: Entity | None, space: str | None
) -> tuple[float, float, float]:
    """Dollars of the whole agent, of one person and of one space."""
    row = await connection.fetchrow(
        query("usage", "spent"), agent, since, str(person) if person else None, space
    )
    return row["agent"], row["person"], row["space"]


async def by(connection: Connection, agent: str, since: datetime) -> list[Used]:
    rows = await connection.fetch(query("usage", "by"), agent, since)
    return [Used(**dict(row)) for row in rows]
