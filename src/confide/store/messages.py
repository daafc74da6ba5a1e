"""Messages in the database: what was said, with the label of its place at that moment."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from confide.model import Entity, Message, Namespace, Place, PlaceKind, Scope
from confide.privacy.atoms import Atom
from confide.privacy.places import IMPORTED
from confide.privacy.policy import Clause, Label
from confide.store.connection import Connection, Row
from confide.store.encoding import read_clauses, read_entity
from confide.store.memory import Memory, read_memory
from confide.store.queries import query


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """A kept message: who said it where, who was there, and under which clauses."""

    id: uuid.UUID
    seq: int
    message: Message
    session_id: uuid.UUID | None
    place: Place  # as it was labelled; its kind is what the place is now
    platform_place: str
    room: Place  # whose members and epochs count; a thread is part of one
    epoch: int
    present: frozenset[Entity]
    members: frozenset[Entity]  # who is there now
    scope: Scope  # that the place gave at that moment
    clauses: frozenset[Clause]
    label_id: int
    only_for: frozenset[Atom]  # who may know, where the speaker named them
    observed_at: datetime
    author: Entity | None = None  # in an import: who said it; the speaker is who brought it
    author_name: str | None = None
    author_means: Entity | None = None  # whose account that is, as the importer says
    is_imported: bool = False
    namespace: Namespace | None = None

    @property
    def said_by(self) -> Entity:
        return self.author or self.message.speaker


@dataclass(frozen=True, slots=True)
class Contribution:
    """One message's part in a memory."""

    memory_id: uuid.UUID
    gave_its_text: bool
    others: int


async def observe(
    connection: Connection, agent: str, said: dict[str, Any], words: str, now: datetime
) -> str:
    """What became of the message, in the words of the database function."""
    return await connection.fetchval(
        query("messages", "observe"), agent, json.dumps(said), words, now
    )


async def unlearned(
    connection: Connection,
    agent: str,
    session_id: uuid.UUID,
    *,
    first: int = 0,
    last: int = 2**62,
    limit: int,
) -> list[Heard]:
    rows = await connection.fetch(
        query("messages", "unlearned"), agent, session_id, first, last, limit
    )
    return [_read(row) for row in rows if row["text"] is not None]


async def around(
    connection: Connection, agent: str, heard: Sequence[Heard], limit: int
) -> list[Heard]:
    """These messages among the latest turns of all in their place, up to the last of them."""
    rows = await connection.fetch(
        query("messages", "around"),
        agent,
        heard[0].place.id,
        sorted({one.epoch for one in heard}),
        heard[-1].seq,
        limit,
        str(heard[0].message.speaker),
        heard[0].namespace,
    )
    # None may be missing, however much others said since the first of them.
    turns = {one.seq: one for one in map(_read, rows)} | {one.seq: one for one in heard}
    return [turns[seq] for seq in sorted(turns)]


def _room(row: Row, place: Place) -> Place:
    """A thread that became private since is a room of its own."""
    if place.kind is PlaceKind.PRIVATE_THREAD:
        return place
    return Place(
        id=row["room_id"],
        kind=PlaceKind(row["room_kind"]),
        space=row["room_space"],
        parent=row["room_parent"],
    )


def _read(row: Row) -> Heard:
    place = Place(
        id=row["place"],
        kind=PlaceKind(row["place_kind"]),
        space=row["place_space"],
        parent=row["place_parent"],
    )
    present = frozenset(read_entity(one) for one in row["present"])
    message = Message(
        id=str(row["id"]),
        place=place,
        speaker=read_entity(row["speaker"]),
        text=row["text"],
        said_at=row["said_at"],
        platform=row["platform"],
        present=present,
        is_from_agent=row["is_from_agent"],
        is_confidential=row["is_confidential"],
    )
    return Heard(
        id=row["id"],
        seq=row["seq"],
        message=message,
        session_id=row["session_id"],
        place=place,
        platform_place=row["place_platform_id"],
        room=_room(row, place),
        epoch=row["epoch"],
        present=present,
        members=frozenset(read_entity(one) for one in row["members"]),
        scope=Scope(row["scope"]),
        clauses=read_clauses(row["clauses"]).clauses,
        label_id=row["label_id"],
        only_for=frozenset(Atom.read(one) for one in row["only_for"]),
        observed_at=row["observed_at"],
        author=read_entity(row["author"]) if row["author"] else None,
        author_name=row.get("author_name"),
        author_means=read_entity(row["author_means"]) if row.get("author_means") else None,
        is_imported=row["place"].startswith(IMPORTED),
        namespace=Namespace(*row["namespace"]) if row["namespace"] else None,
    )


async def drop_unwanted(
    connection: Connection, agent: str, session_id: uuid.UUID, now: datetime
) -> None:
    """Nothing is learned from somebody who opted out since, or from words that are gone."""
    await connection.execute(query("messages", "drop_unwanted"), agent, session_id, now)


async def mark_learned(
    connection: Connection, agent: str, session_id: uuid.UUID, first: int, last: int, now: datetime
) -> None:
    await connection.execute(query("messages", "mark_learned"), agent, session_id, first, last, now)


async def add_evidence(
    connection: Connection,
    agent: str,
    memory_id: uuid.UUID,
    heard: Heard,
    *,
    snippet: str,
    stated: str,
    key: tuple[uuid.UUID, int],
) -> None:
    """The words with their own label, under a key that can be used once."""
    await connection.execute(
        query("messages", "add_evidence"),
        agent,
        memory_id,
        str(heard.said_by),
        snippet,
        heard.message.said_at,
        heard.label_id,
        heard.id,
        stated,
        *key,
    )


async def told_in_place(
    connection: Connection,
    agent: Entity,
    places: Iterable[str],
    since: datetime,
    until: datetime,
) -> list[Memory]:
    rows = await connection.fetch(
        query("messages", "told_in_place"), agent.id, sorted(places), since, until
    )
    return [read_memory(row, agent) for row in rows]


async def told_to(
    connection: Connection, agent: Entity, asker: Entity, since: datetime, until: datetime
) -> list[Memory]:
    rows = await connection.fetch(query("messages", "told_to"), agent.id, str(asker), since, until)
    return [read_memory(row, agent) for row in rows]


async def labels(
    connection: Connection, agent: str, said: Sequence[tuple[str, str, str]]
) -> dict[tuple[str, str], Label]:
    """By platform and id, of those messages that still have the words given with them."""
    columns = [list(column) for column in zip(*said, strict=True)] or [[], [], []]
    rows = await connection.fetch(query("messages", "labels"), agent, *columns)
    return {(row["platform"], row["message_id"]): read_clauses(row["clauses"]) for row in rows}


async def find(connection: Connection, agent: str, platform: str, message_id: str) -> Row | None:
    return await connection.fetchrow(query("messages", "one"), agent, platform, message_id)


async def contributions(
    connection: Connection, agent: str, message_id: uuid.UUID
) -> list[Contribution]:
    rows = await connection.fetch(query("messages", "contributions"), agent, message_id)
    return [
        Contribution(row["memory_id"], bool(row["gave_its_text"]), row["others"]) for row in rows
    ]


async def borrowers(connection: Connection, agent: str, message_id: uuid.UUID) -> list[Row]:
    """The messages whose memories hold words of this one."""
    return list(await connection.fetch(query("messages", "borrowers"), agent, message_id))


async def purge(
    connection: Connection,
    agent: str,
    learned_before: datetime,
    said_before: datetime,
    now: datetime,
) -> None:
    await connection.execute(query("messages", "purge"), agent, learned_before, said_before, now)
    await connection.execute(query("journal", "purge"), agent, said_before)


async def is_open(connection: Connection, agent: str, place_id: str) -> bool:
    """Whether a place, or what it lies in, can still be read by everyone in its space."""
    return await connection.fetchval(query("messages", "is_open"), agent, place_id)
