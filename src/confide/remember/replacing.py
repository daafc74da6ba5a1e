"""Step 5 of remembering through a connection: what the new words take the place of.

Only what was said through the same connection, under the identical label and namespace, and by the same
person: anything else is theirs to correct by an act of their own.
"""

from __future__ import annotations

import uuid
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from confide.language.replacing import replaces
from confide.model import MemoryType, PlaceKind, Status, type_of
from confide.remember.reconcile import is_update, said_of
from confide.store import memories
from confide.store.queries import query

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from confide.actor import Actor
    from confide.store.connection import Connection
    from confide.store.database import Database
    from confide.store.indexing import Vector
    from confide.store.memory import Memory

MOST: Final = 50  # candidates that are compared; nearness only finds them
#: Characters. A longer text says many things: that one of them changed does not take back the rest,
#: and comparing it with fifty others would keep everybody else waiting.
LONGEST: Final = 400


def says_otherwise(new: Memory, old: Memory) -> bool:
    """Whether the same person takes back or changes what they said, never by likeness alone."""
    if new.trust.rank > old.trust.rank or new.speaker != old.speaker:
        return False  # hearsay stands beside what somebody said of themselves
    return is_update(said_of(new), said_of(old)) or replaces(new.text, old.text)


def connection_of(actor: Actor | None) -> str | None:
    """The place whose words this caller can replace by new ones."""
    return None if actor is None else actor.connection


async def find_replaced(
    connection: Connection,
    database: Database,
    new: Memory,
    vector: Vector,
    actor: Actor | None,
    now: datetime,
) -> Sequence[Memory]:
    """The memories that `new` takes the place of."""
    place = new.origin.place
    if place is None or place.kind is not PlaceKind.CONNECTION or new.status is not Status.APPROVED:
        return ()
    if place.id != connection_of(actor) or len(new.text) > LONGEST:
        return ()
    await connection.execute(query("messages", "hold_owner"), database.agent, str(new.owner))
    said = await memories.said_alike(connection, database.agent, new, vector, now, MOST, LONGEST)
    return [one for one in said if says_otherwise(new, one)]


def in_place_of(new: Memory, old: Sequence[Memory]) -> Memory:
    """What takes the place of something is of the same kind, and lasts as long."""
    if not old or new.kind is old[0].kind or new.type is MemoryType.PROCEDURAL:
        return new
    kind = old[0].kind
    return replace(
        new,
        origin=replace(new.origin, kind=kind),
        type=old[0].type if old[0].type is MemoryType.PROCEDURAL else type_of(kind),
        expires_at=None if old[0].expires_at is None else new.expires_at or old[0].expires_at,
    )


async def supersede(
    connection: Connection, agent: str, old: Sequence[Memory], by: uuid.UUID, now: datetime
) -> None:
    for one in old:
        await connection.execute(query("messages", "supersede"), agent, one.id, by, now)
