"""The journal: what an extractor answered, written down before any of it counts."""

from __future__ import annotations

import json
import uuid
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any

from confide.model import Fact, Kind, Sensitivity
from confide.store.connection import Connection
from confide.store.encoding import read_entity
from confide.store.queries import query


@dataclass(frozen=True, slots=True)
class Found:
    """A fact, and what its speaker wished for it if they asked to have it remembered."""

    fact: Fact
    is_asked_for: bool = False
    lifetime: timedelta | None = None
    is_private: bool = False
    is_everywhere: bool = False


@dataclass(frozen=True, slots=True)
class Entry:
    """One answer about the messages from `first` to `last` of a session."""

    id: uuid.UUID
    first: int
    last: int
    extractor: str
    found: tuple[Found, ...]


async def open_entry(connection: Connection, agent: str, session_id: uuid.UUID) -> Entry | None:
    row = await connection.fetchrow(query("journal", "open"), agent, session_id)
    if row is None:
        return None
    found = tuple(_read(one) for one in json.loads(row["answer"]))
    return Entry(row["id"], row["first_seq"], row["last_seq"], row["extractor"], found)


async def write(
    connection: Connection, agent: str, session_id: uuid.UUID, entry: Entry, now: datetime
) -> None:
    await connection.execute(
        query("journal", "write"),
        agent,
        entry.id,
        session_id,
        entry.first,
        entry.last,
        entry.extractor,
        json.dumps(_written(entry.found)),
        now,
    )


async def close(connection: Connection, agent: str, entry: Entry, now: datetime) -> None:
    await connection.execute(query("journal", "close"), agent, entry.id, now)


async def discard(connection: Connection, agent: str, session_id: uuid.UUID) -> None:
    await connection.execute(query("journal", "discard"), agent, session_id)


def _written(found: Sequence[Found]) -> list[dict[str, Any]]:
    return [
        {
            "fact": asdict(one.fact) | {"speaker": str(one.fact.speaker)},
            "is_asked_for": one.is_asked_for,
            "lifetime": one.lifetime.total_seconds() if one.lifetime else None,
            "is_private": one.is_private,
            "is_everywhere": one.is_everywhere,
        }
        for one in found
    ]


def _read(raw: dict[str, Any]) -> Found:
    fact = raw["fact"]
    lifetime = raw["lifetime"]
    return Found(
        Fact(
            **fact
            | {
                "speaker": read_entity(fact["speaker"]),
                "kind": Kind(fact["kind"]),
                "subjects": tuple(fact["subjects"]),
                "sensitivity": Sensitivity(fact["sensitivity"]) if fact["sensitivity"] else None,
                "attribute": tuple(fact["attribute"]) if fact["attribute"] else None,
                "also_from": tuple(fact.get("also_from", ())),
            }
        ),
        raw["is_asked_for"],
        timedelta(seconds=lifetime) if lifetime is not None else None,
        raw["is_private"],
        raw["is_everywhere"],
    )
