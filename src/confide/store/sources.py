"""Where words came from: the files that were taken in, platforms, and other agents' stacks."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from confide.store.connection import Connection, Row
from confide.store.queries import query


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A platform, or another agent: what is kept from there."""

    name: str
    messages: int
    memories: int
    first_said_at: datetime | None
    last_said_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """All of a file, for whoever runs the agent."""

    lines: int
    stored: int
    known: int  # had come by another way before
    refused: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """A file that was taken in. To a person: their own words in it, and nothing of others."""

    id: uuid.UUID
    platforms: tuple[str, ...]
    messages: int
    memories: int
    given_at: datetime
    finished_at: datetime | None  # to whoever gave it; none: cut off, and goes on when given again
    first_said_at: datetime | None
    last_said_at: datetime | None
    file_name: str | None  # to whoever gave it; empty: erased
    sha256: str | None  # to whoever gave it
    given_by: str | None = None
    times_given: int | None = None
    counts: Counts | None = None


@dataclass(frozen=True, slots=True)
class Begun:
    """What a file was when it was given: new, known, or cut off the last time."""

    id: uuid.UUID
    is_known: bool
    is_resumed: bool


def read_batch_id(source: str) -> uuid.UUID | None:
    """The id of a batch as it is shown, or none: then it names something else."""
    try:
        id = uuid.UUID(source)
    except ValueError:
        return None
    return id if str(id) == source.lower() else None


async def begin(
    connection: Connection,
    agent: str,
    *,
    file: tuple[str, bytes, int],
    platforms: Sequence[str],
    giver: tuple[str, str | None],
    now: datetime,
) -> Begun:
    """`file`: name, sha-256 and lines; `giver`: how they are known, and who they are."""
    name, sha256, lines = file
    row = await connection.fetchrow(
        query("sources", "begin"),
        agent, uuid.uuid4(), sorted(platforms), name, sha256, *giver, now, lines,
    )  # fmt: skip
    assert row is not None
    is_again = row["times_given"] > 1
    is_finished = row["finished_at"] is not None
    return Begun(row["id"], is_again and is_finished, is_again and not is_finished)


async def finish(
    connection: Connection, agent: str, id: uuid.UUID, *, lines: int, refused: int, now: datetime
) -> None:
    await connection.execute(query("sources", "finish"), agent, id, now, lines, refused)


async def every(connection: Connection, agent: str, id: uuid.UUID | None = None) -> list[Batch]:
    rows = await connection.fetch(query("sources", "every"), agent, id)
    return [_whole(row) for row in rows]


async def own(
    connection: Connection, agent: str, who: str, id: uuid.UUID | None = None
) -> list[Batch]:
    rows = await connection.fetch(query("sources", "own"), agent, who, id)
    return [Batch(**_seen(row)) for row in rows]


async def platforms(connection: Connection, agent: str, who: str | None) -> list[Source]:
    rows = await connection.fetch(query("sources", "platforms"), agent, who)
    return [Source(**dict(row)) for row in rows]


async def stacks(connection: Connection, agent: str) -> list[Source]:
    rows = await connection.fetch(query("sources", "stacks"), agent)
    return [Source(messages=0, **dict(row)) for row in rows]


async def own_messages(
    connection: Connection, agent: str, who: str, source: str
) -> list[uuid.UUID]:
    """Somebody's own messages that came from there."""
    rows = await connection.fetch(
        query("sources", "own_messages"), agent, who, source, read_batch_id(source)
    )
    return [row["id"] for row in rows]


async def learned_from(
    connection: Connection, agent: str, messages: Sequence[uuid.UUID]
) -> list[uuid.UUID]:
    rows = await connection.fetch(query("sources", "learned_from"), agent, list(messages))
    return [row["id"] for row in rows]


def _whole(row: Row) -> Batch:
    giver = f"{row['proof']} as {row['given_by']}" if row["given_by"] else row["proof"]
    counts = Counts(
        lines=row["lines"],
        stored=row["messages"],
        known=max(0, row["lines"] - row["messages"] - row["refused"]) if row["finished_at"] else 0,
        refused=row["refused"],
    )
    return Batch(**_seen(row), given_by=giver, times_given=row["times_given"], counts=counts)


def _seen(row: Row) -> dict[str, Any]:
    return {
        "id": row["id"],
        "platforms": tuple(row["platforms"]),
        "messages": row["messages"],
        "memories": row["memories"],
        "given_at": row["first_given_at"],
        "finished_at": row["finished_at"],
        "first_said_at": row["first_said_at"],
        "last_said_at": row["last_said_at"],
        "file_name": row["file_name"],
        "sha256": row["digest"].hex() if row["digest"] is not None else None,
    }
