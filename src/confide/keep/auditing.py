"""Audit of access (K15): who can hear a memory and why, and what exists about somebody."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Final

from confide.actor import Actor, ruling
from confide.declare import Group, Limit, verb
from confide.egress import NO_SUCH_MEMORY, known, require_known
from confide.errors import NotFound
from confide.keep.alone import alone
from confide.keep.consenting import require_voice
from confide.keep.hearing import Hearer, Room, hearers, label_atoms, rooms, tell_apart
from confide.model import Entity, Kind, Namespace, Sensitivity, Status
from confide.privacy.acting import Act, CallerKind, Relation, Verdict
from confide.privacy.labels import label
from confide.privacy.leaves import Called, Leaf
from confide.store import memories
from confide.store.auditing import load_everyone
from confide.store.consents import Given, read_given
from confide.store.queries import query

if TYPE_CHECKING:
    from confide.privacy.policy import Clause
    from confide.store.memory import Memory

MOST: Final = 1000
MOST_LOOKED_AT: Final = 100_000
READERS: Final = (CallerKind.PLATFORM, CallerKind.PERSONAL, CallerKind.AUDITOR)


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """Who can hear a memory. It carries no content.

    The operator and an auditor are shown everybody. A person is shown the conditions that follow
    from what they said and agreed to; others' are not theirs to know.
    """

    memory_id: uuid.UUID
    conditions: tuple[Clause, ...]  # the reader's own; all of them to the operator
    is_complete: bool  # False: somebody else's condition has to hold, too
    consents: tuple[Given, ...]
    people: tuple[Hearer, ...] = ()
    rooms: tuple[Room, ...] = ()

    @property
    def heard_by(self) -> int:
        return sum(one.told for one in self.people)


@dataclass(frozen=True, slots=True, kw_only=True)
class Existing:
    """A memory that is somebody's or about them; `text` only where they may hear it."""

    id: uuid.UUID
    kind: Kind
    sensitivity: Sensitivity
    status: Status
    said_at: datetime
    is_own: bool
    text: Annotated[str | None, Leaf.OWN]


class Access(Group):
    """Answers about access, without content where content is not theirs."""

    async def audit(self, memory_id: uuid.UUID, *, actor: Actor) -> Audit:
        """Who can hear a memory: to its owner, its speaker, subjects who hear it, the operator."""
        database, now = self.database, self.clock()
        if actor.entity is not None:
            await require_known(database, actor, [memory_id], now)
        async with database.keep() as connection:
            agent = database.agent
            memory = await memories.kept(connection, agent, memory_id, database.agent_entity)
            if memory is None or not _may_audit(memory, actor):
                raise NotFound(NO_SUCH_MEMORY)
            rows = await connection.fetch(query("audit", "consents"), agent, memory_id)
            given = tuple(read_given(row) for row in rows)
            if actor.entity is not None:
                return _own_part(memory, actor, given, database.agent_entity)
            concerned = {memory.owner, *memory.subjects} | {
                clause.owner for clause in memory.label.clauses
            }
            everyone = await load_everyone(
                connection, database, label_atoms(memory.label), concerned, now
            )
        alike = tell_apart(memory, everyone)
        return Audit(
            memory_id=memory_id,
            conditions=tuple(sorted(memory.label.clauses, key=repr)),
            is_complete=True,
            consents=given,
            people=hearers(memory, everyone, alike),
            rooms=rooms(memory, everyone, alike),
        )

    @verb(Act.READ_LABELS, "GET /people/{entity}/memories", only=READERS, answers="memories")
    async def existing(
        self, who: Annotated[Entity, Called("entity")], *, actor: Actor, limit: Limit = MOST
    ) -> tuple[Existing, ...]:
        """What is somebody's, or about them and heard by them; to the operator all that exists."""
        database, now = self.database, self.clock()
        async with database.keep() as connection:
            if actor.entity not in (None, who):
                await require_voice(connection, database, actor, who)
            rows = await connection.fetch(
                query("audit", "existing"), database.agent, str(who), MOST_LOOKED_AT
            )
        texts: dict[uuid.UUID, str] = {}
        if actor.entity is not None:
            heard = await known(database, replace(actor, entity=who), [r["id"] for r in rows], now)
            rows = [row for row in rows if row["id"] in heard]
        # Nothing is told of a workspace that is not named, so each is read by itself.
        workspaces = {Namespace(row["workspace"], row["namespace_scope"]) for row in rows}
        everywhere = [actor.audience] if actor.audience else [alone(who, n) for n in workspaces]
        for audience in everywhere if actor.entity == who else ():
            async with database.tell(audience, now) as telling:
                told = await memories.told(telling, [row["id"] for row in rows])
                texts |= {one.id: one.text for one in told}
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
            for row in rows[:limit]
        )


def _may_audit(memory: Memory, actor: Actor) -> bool:
    if actor.entity is None:
        return ruling(Act.READ_LABELS, actor, Relation.NONE).verdict is Verdict.YES
    return actor.entity in (memory.owner, memory.speaker, *memory.subjects)


def _own_part(memory: Memory, actor: Actor, given: tuple[Given, ...], agent: Entity) -> Audit:
    """The clauses that the reader owns; of their own words those too that the agent only holds.

    Where others read along: as the memory was made, without what was agreed elsewhere.
    """
    who = actor.entity
    own = {who, agent} if who in (memory.owner, memory.speaker) else {who}
    stated = label(memory.origin) if actor.audience else memory.label
    mine = [clause for clause in stated.clauses if clause.owner in own]
    agreed = [one for one in given if who in (one.consent.grantor, one.given_by)]
    if actor.audience:
        agreed = [one for one in agreed if one.about.memory_id == memory.id]
    return Audit(
        memory_id=memory.id,
        conditions=tuple(sorted(mine, key=repr)),
        is_complete=len(mine) == len(stated.clauses),
        consents=tuple(agreed),
    )
