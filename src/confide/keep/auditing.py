"""Audit of access (K15): who can hear a memory and why, and what exists about somebody."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Final

from confide.actor import Actor
from confide.errors import NotFound
from confide.keep.consenting import require_voice
from confide.keep.hearing import Hearer, Room, hearers, label_atoms, rooms, tell_apart
from confide.keep.people import alone
from confide.means import Part
from confide.model import Entity, Kind, Sensitivity, Status
from confide.privacy.acting import CallerKind
from confide.store import memories
from confide.store.auditing import load_everyone
from confide.store.consents import Given, read_given
from confide.store.queries import query

if TYPE_CHECKING:
    from confide.store.memory import Memory

MOST: Final = 1000
NOT_YOURS: Final = "somebody else said it, and not for you"


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """Who can hear a memory. It carries no content.

    A subject who cannot hear it learns that it exists and how many can, not who they are.
    """

    memory_id: uuid.UUID
    heard_by: int
    people: tuple[Hearer, ...]
    rooms: tuple[Room, ...]
    consents: tuple[Given, ...]
    is_complete: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Existing:
    """A memory that is somebody's or about them; `text` only where they may hear it."""

    id: uuid.UUID
    kind: Kind
    sensitivity: Sensitivity
    status: Status
    said_at: datetime
    is_own: bool
    text: str | None


class Access(Part):
    """Answers about access, without content where content is not theirs."""

    async def audit(self, memory_id: uuid.UUID, *, actor: Actor) -> Audit:
        """Who can hear a memory and why: to its owner, its speaker, its subjects, the operator."""
        database, now = self.database, self.clock()
        async with database.keep() as connection:
            agent = database.agent
            memory = await memories.kept(connection, agent, memory_id, database.agent_entity)
            if memory is None or not _may_audit(memory, actor):
                raise NotFound("there is no such memory")
            concerned = {memory.owner, *memory.subjects} | {
                clause.owner for clause in memory.label.clauses
            }
            everyone = await load_everyone(
                connection, database, label_atoms(memory.label), concerned, now
            )
            rows = await connection.fetch(query("audit", "consents"), agent, memory_id)
        alike = tell_apart(memory, everyone)
        people = hearers(memory, everyone, alike)
        told = Audit(
            memory_id=memory_id,
            heard_by=sum(one.told for one in people),
            people=people,
            rooms=rooms(memory, everyone, alike),
            consents=tuple(read_given(row) for row in rows),
            is_complete=True,
        )
        if actor.entity is None or _may_know_others(memory, actor.entity, people):
            return told
        return _own_part(told, actor.entity)

    async def existing(
        self, who: Entity, *, actor: Actor, limit: int = MOST
    ) -> tuple[Existing, ...]:
        """What exists that is somebody's or about them: to them, their guardian, the operator."""
        database = self.database
        async with database.keep() as connection:
            if actor.entity not in (None, who):
                await require_voice(connection, database, actor, who)
            rows = await connection.fetch(
                query("audit", "existing"), database.agent, str(who), limit
            )
        texts: dict[uuid.UUID, str] = {}
        if actor.entity == who:
            async with database.tell(alone(who), self.clock()) as telling:
                told = await memories.told(telling, [row["id"] for row in rows])
                texts = {one.id: one.text for one in told}
        return tuple(
            Existing(
                id=row["id"],
                kind=Kind(row["kind"]),
                sensitivity=Sensitivity(row["sensitivity"]),
                status=Status(row["status"]),
                said_at=row["said_at"],
                is_own=row["is_own"],
                text=texts.get(row["id"]),
            )
            for row in rows
        )


def _may_audit(memory: Memory, actor: Actor) -> bool:
    if actor.entity is None:
        return actor.kind in (CallerKind.OPERATOR, CallerKind.AUDITOR)
    return actor.entity in (memory.owner, memory.speaker, *memory.subjects)


def _may_know_others(memory: Memory, who: Entity, people: tuple[Hearer, ...]) -> bool:
    if who in (memory.owner, memory.speaker):
        return True
    return any(one.who == who and one.told for one in people)


def _own_part(audit: Audit, who: Entity) -> Audit:
    # The rule's own reason names whose clause it is, and so might name the source.
    return replace(
        audit,
        people=(Hearer(who, False, NOT_YOURS),),
        rooms=(),
        consents=tuple(one for one in audit.consents if one.consent.grantor == who),
        is_complete=False,
    )
