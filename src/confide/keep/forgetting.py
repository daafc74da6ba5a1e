"""Who may forget what (A6), and what is answered."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, ClassVar

from confide.actor import Actor, require, ruling
from confide.errors import InvalidInput, NotFound
from confide.keep.relations import relation_to
from confide.model import Entity
from confide.privacy.acting import Act, Relation, Verdict
from confide.privacy.leaves import Leaf
from confide.store import consents, memories

if TYPE_CHECKING:
    from confide.store.connection import Connection
    from confide.store.database import Database


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgotten:
    """What became of one memory."""

    memory_id: uuid.UUID
    is_erased: bool  # false: deleted softly, and can be restored until `undo_until`
    undo_until: datetime | None
    verified: dict[str, int]  # what was still found of it, by table


OwnCounts = Annotated[dict[str, int], Leaf.OWN_NUMBERS]


@dataclass(frozen=True, slots=True, kw_only=True)
class Erased:
    """What became of an erasure. Counts only: where others read along, not even those."""

    ALSO: ClassVar = ("is_erased",)

    id: uuid.UUID  # restores it, as long as it can be
    undo_until: datetime | None  # null: there is no way back
    counts: OwnCounts  # what went
    found: OwnCounts = field(
        default_factory=dict[str, int]
    )  # what was still found afterwards: zeros
    kept: OwnCounts = field(default_factory=dict[str, int])  # what stays on purpose

    @property
    def is_erased(self) -> bool:
        return self.undo_until is None


async def require_right(
    connection: Connection, database: Database, memory_id: uuid.UUID, actor: Actor, now: datetime
) -> Relation:
    """Who may forget one memory; to anybody else there is none."""
    memory = await memories.kept(connection, database.agent, memory_id, database.agent_entity)
    if memory is None:
        raise NotFound("there is no such memory")
    relation = await relation_to(connection, database, memory, actor, now)
    if ruling(Act.FORGET, actor, relation).verdict is not Verdict.YES:
        raise NotFound("there is no such memory")
    return relation


async def require_self(
    connection: Connection, database: Database, who: Entity, actor: Actor
) -> Relation:
    """A person for themselves, a guardian for a child, or who runs the agent."""
    if actor.entity is None:
        require(Act.FORGET, actor, Relation.NONE)
        return Relation.NONE
    if actor.entity == who:
        return Relation.OWNER
    guardians = (await consents.guardians(connection, database.agent)).get(who, frozenset())
    if actor.entity not in guardians:
        raise InvalidInput("actor", f"only {who} or who runs the agent can forget all of {who}")
    return Relation.GUARDIAN


def require_operator(actor: Actor, what: str, *, now: bool = False) -> None:
    """For what is nobody's in particular."""
    if actor.entity is not None:
        raise InvalidInput("actor", f"only who runs the agent can forget {what}; leave out --as")
    require(Act.ERASE_ANY if now else Act.FORGET, actor, Relation.NONE)
