"""Sessions: one person's stretch in a place, and the queue of those that are due.

The session row is the job. Whoever takes it gets a fence, a number that grows with each taking;
what a holder of an older number found can no longer be applied.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, ClassVar, Final

import asyncpg

from confide.errors import StorageProblem, StoreUnavailable
from confide.model import Entity
from confide.store.connection import Connection, Row
from confide.store.encoding import read_entity
from confide.store.queries import query

#: The database is away or was, or its disk is full; whatever was open is undone.
DATABASE_TROUBLE: Final = (
    OSError,
    asyncpg.PostgresConnectionError,
    asyncpg.CannotConnectNowError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
    StoreUnavailable,
    StorageProblem,
)


class Fenced(Exception):
    """Somebody else holds the session now; what was found must not be applied."""


@dataclass(frozen=True, slots=True)
class Taken:
    """A due session, held for a while under a fence."""

    id: uuid.UUID
    place: str
    speaker: Entity
    fence: int
    attempts: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Sitting:
    """A session as the operator sees it: numbers and times, no content."""

    id: uuid.UUID
    speaker: Entity
    place: str
    started_at: datetime
    last_activity_at: datetime
    message_count: int
    unlearned: int
    extracted_at: datetime | None
    is_open: bool
    due_because: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A session that is due, and how learning from it goes."""

    ALSO: ClassVar = ("state",)

    id: uuid.UUID
    speaker: Entity
    place: str
    unlearned: int
    due_at: datetime
    due_because: str
    attempts: int
    is_held: bool
    try_after: datetime | None
    failed_because: str | None

    @property
    def state(self) -> str:
        if self.failed_because:
            return "given up"
        if self.is_held:
            return "being learned from"
        return "waits to try again" if self.attempts else "due"


async def take(connection: Connection, agent: str, lease: timedelta) -> Taken | None:
    return _taken(await connection.fetchrow(query("sessions", "take"), agent, lease))


async def take_one(
    connection: Connection, agent: str, id: uuid.UUID, lease: timedelta, now: datetime
) -> Taken | None:
    """This one, due or not; None: somebody holds it, it was given up, or nothing is left in it."""
    return _taken(await connection.fetchrow(query("sessions", "take_one"), agent, id, lease, now))


async def is_held(connection: Connection, agent: str, id: uuid.UUID) -> bool:
    """Whether somebody is learning from a session that has something left."""
    return bool(await connection.fetchval(query("sessions", "is_held"), agent, id))


def _taken(row: Row | None) -> Taken | None:
    if row is None:
        return None
    return Taken(
        row["id"], row["place"], read_entity(row["speaker"]), row["fence"], row["attempts"]
    )


async def renew(connection: Connection, agent: str, taken: Taken, lease: timedelta) -> None:
    await connection.execute(query("sessions", "renew"), agent, taken.id, taken.fence, lease)


async def demand(connection: Connection, agent: str, taken: Taken) -> None:
    """Lock the session; raises if the fence is no longer the newest."""
    found = await connection.fetchval(query("sessions", "demand"), agent, taken.id, taken.fence)
    if found is None:
        raise Fenced


async def settle(connection: Connection, agent: str, taken: Taken, now: datetime) -> None:
    await connection.execute(query("sessions", "settle"), agent, taken.id, now)


async def release(connection: Connection, agent: str, taken: Taken) -> None:
    await connection.execute(query("sessions", "release"), agent, taken.id, taken.fence)


async def retry_later(
    connection: Connection, agent: str, taken: Taken, pause: timedelta, failed_because: str | None
) -> None:
    await connection.execute(
        query("sessions", "retry_later"), agent, taken.id, taken.fence, pause, failed_because
    )


async def wait_for_model(
    connection: Connection, agent: str, taken: Taken, pause: timedelta
) -> None:
    await connection.execute(
        query("sessions", "wait_for_model"), agent, taken.id, taken.fence, pause
    )


async def sweep(connection: Connection, agent: str, now: datetime, silence: timedelta) -> None:
    await connection.execute(query("sessions", "sweep"), agent, now, silence)


async def make_due(connection: Connection, agent: str, now: datetime) -> None:
    await connection.execute(query("sessions", "make_due"), agent, now)


async def left(connection: Connection, agent: str) -> int:
    return await connection.fetchval(query("sessions", "left"), agent)


async def again(connection: Connection, agent: str, id: uuid.UUID | None) -> int:
    """Try given-up sessions once more; returns how many."""
    done = await connection.execute(query("sessions", "again"), agent, id)
    return int(done.split()[-1])


async def listed(connection: Connection, agent: str, limit: int) -> list[Sitting]:
    rows = await connection.fetch(query("sessions", "list"), agent, limit)
    return [Sitting(**_fields(row)) for row in rows]


async def jobs(connection: Connection, agent: str, limit: int) -> list[Job]:
    rows = await connection.fetch(query("sessions", "jobs"), agent, limit)
    return [Job(**_fields(row)) for row in rows]


def _fields(row: Row) -> dict[str, Any]:
    return dict(row) | {"speaker": read_entity(row["speaker"])}
