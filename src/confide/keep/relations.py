"""What a memory is to whoever acts: theirs, about them, said in a chat that they run."""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import TYPE_CHECKING, Final

from confide.actor import Actor
from confide.keep.correcting import only
from confide.model import Entity, Place
from confide.privacy.acting import Relation
from confide.privacy.policy import ClauseKind, Label, decide
from confide.store import consents, memories
from confide.store.queries import query

if TYPE_CHECKING:
    from confide.store.connection import Connection
    from confide.store.database import Database
    from confide.store.memory import Memory

#: What a platform gives whoever runs a room or a space: `role:general/guild/admin`.
OFFICE: Final = "admin"


async def relation_to(
    connection: Connection, database: Database, memory: Memory, actor: Actor, now: datetime
) -> Relation:
    """The closest there is. Subjects count if they may hear it (A6)."""
    who = actor.entity
    if who is None:
        return Relation.NONE
    if who == memory.owner:
        return Relation.OWNER
    if who == memory.speaker:
        return Relation.SPEAKER
    if who in memory.subjects and await hears(database, memory.id, who, now):
        return Relation.SUBJECT
    guardians = await consents.guardians(connection, database.agent)
    if who in guardians.get(memory.owner, frozenset()):
        return Relation.GUARDIAN
    if await runs_its_chat(connection, database, memory, who, now):
        return Relation.CHAT_ADMIN
    return Relation.NONE


async def hears(database: Database, memory_id: uuid.UUID, who: Entity, now: datetime) -> bool:
    """Whether somebody is told a memory in a reply that only they can see."""
    async with database.tell(only(who), now) as telling:
        return bool(await memories.told(telling, [memory_id]))


async def runs_its_chat(
    connection: Connection, database: Database, memory: Memory, who: Entity, now: datetime
) -> bool:
    """Whether a platform says that `who` runs the room or its space, and they would hear it."""
    offices = [str(one) for one in offices_of(memory.origin.place)]
    if not offices or not await connection.fetchval(
        query("places", "holds_any"), database.agent, str(who), offices
    ):
        return False
    return await would_hear(database, memory, who, now)


async def would_hear(database: Database, memory: Memory, who: Entity, now: datetime) -> bool:
    """Whether `who` is among those who may hear it, once it is told at all."""
    heard = Label(frozenset(c for c in memory.label.clauses if c.kind is ClauseKind.HEAR))
    space = memory.origin.place.space if memory.origin.place else None
    async with database.tell(only(who, memory.origin.namespace, space), now) as telling:
        return decide(heard, telling.audience, telling.world).told


def offices_of(place: Place | None) -> list[Entity]:
    """The roles of those who run a room: its own, and its space's."""
    if place is None:
        return []
    named = [place.id.replace("@", "/"), *([place.space] if place.space else [])]
    return [office_of(one) for one in named]


def office_of(room_or_space: str) -> Entity:
    return Entity("role", f"{room_or_space}/{OFFICE}")
