"""Who acts, and how they are known. Separate from who asks: a bot acts for many askers."""

from __future__ import annotations

from dataclasses import dataclass

from confide.errors import InvalidInput, NotAllowed
from confide.model import Entity
from confide.privacy.acting import (
    OF_ANYBODY,
    Act,
    CallerKind,
    Relation,
    Ruling,
    Verdict,
    can_ever,
    may,
)
from confide.privacy.policy import Audience


@dataclass(frozen=True, slots=True)
class Actor:
    entity: Entity | None  # None: nobody in particular
    kind: CallerKind
    audience: Audience | None = None  # who reads what they are answered; None: they alone
    connection: str | None = None  # the id of the place that a personal connection is

    def __str__(self) -> str:
        if self.entity is None:
            return self.kind.value
        return f"{self.kind.value} as {self.entity}"


def ruling(act: Act, actor: Actor, relation: Relation) -> Ruling:
    """Whoever acts in somebody's name may do what that person may, also if they run the agent."""
    is_stranger = relation is Relation.NONE and actor.entity is not None
    if is_stranger and act not in OF_ANYBODY:
        return Ruling(Verdict.NO, f"it is nothing to {actor.entity}; leave out in whose name")
    return may(act, actor.kind, relation)


def require(act: Act, actor: Actor, relation: Relation) -> None:
    """Raise unless the actor may do this by themselves."""
    verdict, reason = ruling(act, actor, relation)
    if verdict is not Verdict.YES:
        raise refused(act, actor, reason)


def refused(act: Act, actor: Actor, reason: str) -> InvalidInput | NotAllowed:
    """Another kind of caller is needed, or somebody else of the same kind."""
    return InvalidInput("actor", reason) if can_ever(act, actor.kind) else NotAllowed(reason)


def in_person(actor: Actor) -> Relation:
    """Theirs, if somebody acts; nobody's in particular, if nobody does."""
    return Relation.NONE if actor.entity is None else Relation.OWNER


def operator_as(entity: Entity | None = None) -> Actor:
    return Actor(entity, CallerKind.OPERATOR)
