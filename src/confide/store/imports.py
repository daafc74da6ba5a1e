"""Imported messages in the database, many at a time, and the rooms that a file lists."""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from confide.model import Entity, Namespace, PlaceKind
from confide.store.connection import Connection
from confide.store.places import GUESSED
from confide.store.queries import query


@dataclass(frozen=True, slots=True)
class Opened:
    """A room of a file, or the place of one person in it."""

    id: str
    kind: PlaceKind
    parent: str | None = None
    epoch: int = 0


@dataclass(frozen=True, slots=True)
class WasIn:
    """Somebody in a room, from an epoch up to another; none: until its end."""

    place: str
    entity: Entity
    joined: int
    left: int | None
    since: datetime | None
    until: datetime | None

    def covers(self, epoch: int) -> bool:
        return self.joined <= epoch and (self.left is None or epoch < self.left)


@dataclass(frozen=True, slots=True)
class Incoming:
    """One message on its way in, with the label and the stretch it belongs to."""

    message_id: str
    session_id: uuid.UUID
    place: str
    room: str
    epoch: int
    present: str  # separated
    author: str
    scope: str
    text: str
    said_at: datetime
    clauses: str
    label_id: int


SEPARATOR = "\x1f"


async def may_come_in(
    connection: Connection, agent: str, batch: uuid.UUID, importer: Entity
) -> bool:
    """Whether the file was not forgotten and its importer has not opted out meanwhile."""
    return await connection.fetchval(query("imports", "hold_batch"), agent, batch, str(importer))


async def open_places(connection: Connection, agent: str, places: Sequence[Opened]) -> None:
    await connection.execute(
        query("imports", "open_places"), agent,
        [one.id for one in places], [one.kind.value for one in places],
        [one.parent for one in places], [one.epoch for one in places],
    )  # fmt: skip


async def were_in(connection: Connection, agent: str, stays: Sequence[WasIn]) -> None:
    await connection.execute(
        query("imports", "were_in"), agent,
        [one.place for one in stays], [str(one.entity) for one in stays],
        [one.joined for one in stays], [one.left for one in stays],
        [one.since or GUESSED for one in stays], [one.until for one in stays],
    )  # fmt: skip


async def begin_sessions(
    connection: Connection,
    agent: str,
    importer: Entity,
    places: Sequence[tuple[uuid.UUID, str]],
    now: datetime,
    namespace: Namespace | None,
) -> None:
    ids, names = [id for id, _ in places], [name for _, name in places]
    await connection.execute(
        query("imports", "begin_sessions"), agent, str(importer), ids, now, names, namespace
    )


async def take_in(
    connection: Connection,
    agent: str,
    batch: tuple[uuid.UUID, str, Namespace | None],
    importer: Entity,
    messages: Sequence[Incoming],
    now: datetime,
) -> int:
    """How many were new. `batch`: its id, the platform of its words, and where they are filed."""
    id, platform, namespace = batch
    rows = await connection.fetch(
        query("imports", "take_in"), agent, platform, str(importer), now, id, namespace,
        [one.message_id for one in messages], [one.session_id for one in messages],
        [one.place for one in messages], [one.room for one in messages],
        [one.epoch for one in messages], [one.present for one in messages],
        [one.author for one in messages], [one.scope for one in messages],
        [one.text for one in messages], [one.said_at for one in messages],
        [one.clauses for one in messages], [one.label_id for one in messages],
    )  # fmt: skip
    seqs: dict[uuid.UUID, list[int]] = defaultdict(list)
    for row in rows:
        seqs[row["session_id"]].append(row["seq"])
    await connection.execute(
        query("imports", "count_sessions"), agent, list(seqs), [len(one) for one in seqs.values()],
        [min(one) for one in seqs.values()], now,
    )  # fmt: skip
    return len(rows)


async def drop_empty(
    connection: Connection, agent: str, sessions: Iterable[uuid.UUID], rooms: Iterable[str]
) -> None:
    await connection.execute(query("imports", "drop_empty"), agent, list(sessions))
    await connection.execute(query("imports", "drop_silent"), agent, list(rooms))
