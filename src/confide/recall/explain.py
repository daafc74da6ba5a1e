"""Why a memory is told to an audience, or not; said to those who may know (B3)."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from confide.actor import Actor, ruling
from confide.egress import NO_SUCH_MEMORY, require_known
from confide.errors import NotFound
from confide.model import Entity
from confide.privacy.acting import Act, Relation, Verdict
from confide.privacy.disclosure import judge
from confide.privacy.policy import Audience, Decision
from confide.privacy.reasons import reason
from confide.recall.audience import tell_to
from confide.store import memories
from confide.store.memory import Memory

if TYPE_CHECKING:
    from confide.store.database import Database

TOLD = "everyone who would see it may hear it"
SOMEBODY_ELSES = "a condition does not hold that is not yours to know"


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """A decision with its reason. It carries no content."""

    memory_id: uuid.UUID
    audience: Audience
    decision: Decision
    told_by_database: bool  # the same question, answered by row-level security


async def explain(
    database: Database, memory_id: uuid.UUID, audience: Audience, actor: Actor, now: datetime
) -> Explanation:
    if actor.audience is not None:
        await require_known(database, actor, [memory_id], now)
    async with tell_to(database, audience, now) as telling:
        seen = await memories.told(telling, [memory_id])
        world, resolved = telling.world, telling.audience
    async with database.keep() as connection:
        memory = await memories.kept(connection, database.agent, memory_id, database.agent_entity)
    if memory is None or not may_know(memory, actor):
        raise NotFound(NO_SUCH_MEMORY)
    return Explanation(
        memory_id=memory_id,
        audience=resolved,
        decision=_for(
            actor, memory, judge(memory, resolved, world), resolved, database.agent_entity
        ),
        told_by_database=bool(seen),
    )


def _for(
    actor: Actor, memory: Memory, decision: Decision, audience: Audience, agent: Entity
) -> Decision:
    """A person is shown their own conditions; where others read along, none."""
    if decision.clause is None:
        return decision
    is_own = actor.audience is None and decision.clause.owner in (actor.entity, agent)
    if actor.entity is None or is_own:
        return decision._replace(because=reason(memory, decision, audience))
    return Decision(decision.told, TOLD if decision.told else SOMEBODY_ELSES)


def may_know(memory: Memory, actor: Actor) -> bool:
    """The owner, whoever said it, and the operator or an auditor, to whom no content is shown."""
    if actor.entity is None:
        return ruling(Act.READ_LABELS, actor, Relation.NONE).verdict is Verdict.YES
    return actor.entity in (memory.owner, memory.speaker)
