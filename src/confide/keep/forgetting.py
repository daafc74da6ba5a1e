"""Who may forget what (A6), and what is answered."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from confide.actor import Actor
from confide.errors import InvalidInput, NotFound
from confide.model import Entity
from confide.privacy.acting import CallerKind
from confide.store import consents, memories

if TYPE_CHECKING:
    from confide.store.connection import Connection
    from confide.store.database import Database
    from confide.store.memory import Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgotten:
    """What became of one memory."""

    memory_id: uuid.UUID
    is_erased: bool  # false: deleted softly, and can be restored until `undo_until`
    undo_until: datetime | None
    verified: dict[str, int]  # what was still found of it, by table


@dataclass(frozen=True, slots=True, kw_only=True)
class Erased:
    """What became of an erasure. Counts only."""

    id: uuid.UUID  # restores it, as long as it can be
    undo_until: datetime | None  # null: there is no way back
    counts: dict[str, int]  # what went
    found: dict[str, int] = field(default_factory=dict)  # what was still found afterwards: zeros
    kept: dict[str, int] = field(default_factory=dict)  # what stays on purpose

    @property
    def is_erased(self) -> bool:
        return self.undo_until is None


def is_operator(actor: Actor) -> bool:
    """Whoever runs the agent, as nobody in particular."""
    return actor.entity is None and actor.kind in (CallerKind.OPERATOR, CallerKind.ADMIN)


def may_delete(memory: Memory, actor: Actor) -> bool:
    """A6: the owner, whoever said it, a subject about themselves, and who runs the agent."""
    concerned = {memory.owner, memory.speaker, *memory.subjects}
    return is_operator(actor) or (actor.entity is not None and actor.entity in concerned)


async def require_right(
    connection: Connection, database: Database, memory_id: uuid.UUID, actor: Actor
) -> Memory:
    memory = await memories.kept(connection, database.agent, memory_id, database.agent_entity)
    if memory is None or not may_delete(memory, actor):
        raise NotFound("there is no such memory")
    return memory


async def require_self(
    connection: Connection, database: Database, who: Entity, actor: Actor
) -> None:
    """A person for themselves, a guardian for a child, or who runs the agent."""
    if is_operator(actor) or actor.entity == who:
        return
    guardians = (await consents.guardians(connection, database.agent)).get(who, frozenset())
    if actor.entity not in guardians:
        raise InvalidInput("actor", f"only {who} or who runs the agent can forget all of {who}")


def require_operator(actor: Actor, what: str) -> None:
    if not is_operator(actor):
        raise InvalidInput("actor", f"only who runs the agent can forget {what}; leave out --as")
