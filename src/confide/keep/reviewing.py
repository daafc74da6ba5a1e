"""Review (P4–P6): what waits is approved, rejected, edited or moved, by somebody who may.

Where reviewers are configured they decide, and nobody about words of their own. Where none are, the
owner does, or the operator without seeing the words. What its owner has to agree to, only the owner.
"""

from __future__ import annotations

import uuid
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

from confide.actor import Actor
from confide.errors import ConfideError, InvalidInput, NotFound, StoreError
from confide.keep.correcting import CHANGED, Correcting, Wording
from confide.means import Means, Part
from confide.model import Entity, Kind, Namespace, Scope, Sensitivity, Status, Trust
from confide.privacy.acting import CallerKind
from confide.privacy.places import NARROWER
from confide.privacy.policy import Label
from confide.store import memories, search, trail
from confide.store.colliding import tried_again
from confide.store.encoding import read_entity
from confide.store.queries import query
from confide.store.relabel import relabel

if TYPE_CHECKING:
    from confide.store.connection import Connection
    from confide.store.memory import Memory

NO_SUCH: Final = "there is no such memory that waits"
MOST: Final = 1000
#: What to do when something was approved; how it compares with what is known.
Settle = Callable[..., Awaitable[object]]


class Reason(StrEnum):
    """Why a memory waits; a reason's beginning tells which it is."""

    CONFIDENCE = "confidence"
    PERSONAL_DATA = "personal-data"
    INSTRUCTION = "instruction"
    EVERYWHERE = "everywhere"
    CHANGED = "changed"
    OTHER = "other"


_BEGINS: Final = {
    "its confidence is below": Reason.CONFIDENCE,
    "it holds personal data": Reason.PERSONAL_DATA,
    "it reads like an instruction": Reason.INSTRUCTION,
    "its owner has to agree": Reason.EVERYWHERE,
    "its words were changed": Reason.CHANGED,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """A memory that waits. Its words are there only for who may read them."""

    id: uuid.UUID
    owner: Entity
    speaker: Entity | None
    kind: Kind
    scope: Scope
    sensitivity: Sensitivity
    trust: Trust
    confidence: float
    place: str | None
    namespace: Namespace
    waits_because: str
    since: datetime
    is_insight: bool
    text: str | None = None

    @property
    def reason(self) -> Reason:
        said = self.waits_because
        return next((r for start, r in _BEGINS.items() if said.startswith(start)), Reason.OTHER)


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """What became of a memory that waited."""

    id: uuid.UUID
    status: Status
    waits_because: str | None = None


async def decide_each(
    ids: Sequence[uuid.UUID], decide: Callable[[uuid.UUID], Awaitable[Decided]]
) -> list[Decided | ConfideError]:
    """The same decision about many: what is refused does not stop the others."""
    made: list[Decided | ConfideError] = []
    for id in ids:
        try:
            made.append(await decide(id))
        except StoreError:
            raise  # it would stop the others too
        except ConfideError as refused:
            made.append(refused)
    return made


class Reviewing(Part):
    """The queue of what waits, and the decisions about it."""

    def __init__(self, means: Means, settle: Settle) -> None:
        super().__init__(means)
        self._settle = settle
        self._reviewers = means.settings.reviewing
        self._correcting = Correcting(means)

    async def waiting(
        self, *, actor: Actor, reason: Reason | None = None, limit: int = MOST
    ) -> list[Waiting]:
        """What waits: all of it to reviewers and the operator, one's own to everybody else."""
        whose = self._whose(actor)
        async with self.database.keep() as connection:
            found = await self._listed(connection, whose, None, limit)
            own = [
                replace(one, text=await self._text(connection, one.id))
                if one.owner == actor.entity
                else one
                for one in found
            ]
        return [one for one in own if reason is None or one.reason is reason]

    async def show(self, memory_id: uuid.UUID, *, actor: Actor) -> Waiting:
        """One that waits, with its words if the actor may read them. That a reviewer did is logged."""
        now = self.clock()
        async with self.database.keep(by=actor, doing="review", at=now) as connection:
            (one,) = await self._one(connection, memory_id, actor)
            if one.owner != actor.entity and not self._reviews(actor):
                return one
            text = await self._text(connection, memory_id)
            if one.owner != actor.entity and text is not None:
                await trail.record(
                    connection, self.database.agent, actor=actor, action="read by a reviewer",
                    doing="review", what="memory text", memory_id=memory_id, owner=one.owner,
                    now=now,
                )  # fmt: skip
        return replace(one, text=text)

    @tried_again
    async def approve(self, memory_id: uuid.UUID, *, actor: Actor) -> Decided:
        """Let it be told; it then repeats, replaces or stands beside what is known."""
        now, agent = self.clock(), self.database.agent
        async with self.database.keep(by=actor, doing="approve", at=now) as connection:
            memory = await self._decidable(connection, memory_id, actor, approves=True)
            await connection.execute(query("messages", "hold_owner"), agent, str(memory.owner))
            await connection.execute(query("review", "approve"), agent, memory_id, now)
            await self._settle(
                connection, self.database, memory, now, self.settings.merge_similarity
            )
            return await self._outcome(connection, memory_id)

    @tried_again
    async def reject(self, memory_id: uuid.UUID, *, actor: Actor) -> Decided:
        """Never tell it."""
        now = self.clock()
        async with self.database.keep(by=actor, doing="reject", at=now) as connection:
            await self._decidable(connection, memory_id, actor, approves=False)
            await connection.execute(query("review", "reject"), self.database.agent, memory_id, now)
            return await self._outcome(connection, memory_id)

    async def edit(self, memory_id: uuid.UUID, text: str, *, actor: Actor) -> Decided:
        """Put it in other words. They are screened like new ones, and wait again."""
        async with self.database.keep() as connection:
            memory = await self._editable(connection, memory_id, actor)
        wording = await self._correcting.word(memory, text)
        return await self._edit(memory_id, wording, actor)

    @tried_again
    async def _edit(self, memory_id: uuid.UUID, wording: Wording, actor: Actor) -> Decided:
        now, agent = self.clock(), self.database.agent
        async with self.database.keep(by=actor, doing="edit", at=now) as connection:
            memory = await self._editable(connection, memory_id, actor)
            # Whoever changes words may make them more careful; nobody makes them less so.
            careful = max(memory.sensitivity, wording.seen.sensitivity, key=lambda s: s.rank)
            origin = replace(
                memory.origin, sensitivity=careful, is_portable=False, is_portable_confirmed=False
            )
            await connection.execute(
                query("review", "edit"),
                agent, memory_id, wording.text, wording.attribute, careful.value,
                _waits_because(memory, wording), memory_id.bytes, now,
            )  # fmt: skip
            await connection.execute(query("review", "drop_words"), agent, memory_id)
            await connection.execute(
                query("review", "edit_evidence"), agent, memory_id, wording.text
            )
            new = replace(memory, text=wording.text, label=Label(frozenset()))
            await relabel(connection, self.database, [(new, origin)], now)
            rows = search.Indexer().rows(memory_id, wording.text, origin, ())
            await search.index(connection, agent, rows, {memory_id: wording.vector})
            return await self._outcome(connection, memory_id)

    @tried_again
    async def move(
        self,
        memory_id: uuid.UUID,
        *,
        actor: Actor,
        scope: Scope | None = None,
        namespace: Namespace | None = None,
    ) -> Decided:
        """Put it where fewer hear it: a narrower scope, or a namespace of its owner."""
        now, agent = self.clock(), self.database.agent
        if (scope is None) == (namespace is None):
            raise InvalidInput("scope", "say either a narrower scope or a namespace")
        async with self.database.keep(by=actor, doing="move", at=now) as connection:
            memory = await self._editable(connection, memory_id, actor)
            origin = memory.origin
            if scope is not None:
                if scope not in NARROWER.get(origin.scope, frozenset()) or scope is origin.scope:
                    raise InvalidInput("scope", f"{scope.value} is not narrower than it is")
                origin = replace(origin, scope=scope)
            if namespace is not None:
                _require_namespace(memory, namespace, actor)
                origin = replace(origin, scope=Scope.DM, namespace=namespace)
            n = origin.namespace
            await connection.execute(
                query("review", "move"),
                agent, memory_id, n.workspace if n else None, n.scope if n else None,
                n is not None, now,
            )  # fmt: skip
            narrower = replace(memory, label=Label(frozenset()))
            await relabel(connection, self.database, [(narrower, origin)], now)
            return await self._outcome(connection, memory_id)

    each = staticmethod(decide_each)

    def _reviews(self, actor: Actor) -> bool:
        return actor.entity is not None and actor.entity in self._reviewers

    def _whose(self, actor: Actor) -> Entity | None:
        """Whose memories an actor is shown; None: everybody's."""
        if self._reviews(actor) or _is_operator(actor):
            return None
        if actor.entity is None:
            raise NotFound(NO_SUCH)
        return actor.entity

    async def _listed(
        self, connection: Connection, whose: Entity | None, id: uuid.UUID | None, limit: int
    ) -> list[Waiting]:
        rows = await connection.fetch(
            query("review", "waiting"),
            self.database.agent, self.clock(), str(whose) if whose else None, id, limit,
        )  # fmt: skip
        return [_read(row) for row in rows]

    async def _one(
        self, connection: Connection, memory_id: uuid.UUID, actor: Actor
    ) -> list[Waiting]:
        whose = self._whose(actor)
        found = await self._listed(connection, whose, memory_id, 1)
        if not found:
            raise NotFound(NO_SUCH)
        return found

    async def _text(self, connection: Connection, memory_id: uuid.UUID) -> str | None:
        return await connection.fetchval(query("review", "read"), self.database.agent, memory_id)

    async def _decidable(
        self, connection: Connection, memory_id: uuid.UUID, actor: Actor, *, approves: bool
    ) -> Memory:
        (one,) = await self._one(connection, memory_id, actor)
        if one.is_insight:
            raise InvalidInput("id", "it is an insight; `confide generalizations` decides on those")
        if one.reason is Reason.EVERYWHERE:
            if actor.entity != one.owner:
                raise InvalidInput("actor", f"only {one.owner} agrees to that")
        elif approves and self._reviewers:
            if not self._reviews(actor):
                raise InvalidInput("actor", "only a reviewer approves (CONFIDE_REVIEWERS)")
            if actor.entity in await self._authors(connection, one):
                raise InvalidInput("actor", "nobody approves their own words; ask another reviewer")
        return await self._kept(connection, memory_id)

    async def _editable(self, connection: Connection, memory_id: uuid.UUID, actor: Actor) -> Memory:
        (one,) = await self._one(connection, memory_id, actor)
        if one.owner != actor.entity and not self._reviews(actor):
            raise InvalidInput("actor", "only its owner or a reviewer changes it")
        if one.is_insight:
            raise InvalidInput("id", "it is an insight; generalize again in other words")
        return await self._kept(connection, memory_id)

    async def _authors(self, connection: Connection, one: Waiting) -> set[Entity | None]:
        """Whose words wait, by whichever account."""
        agent = self.database.agent
        rows = await connection.fetch(query("review", "editors"), agent, one.id)
        wrote = {one.owner, one.speaker, *(read_entity(row["name"]) for row in rows)}
        names = [str(who) for who in wrote if who is not None]
        same = await connection.fetch(query("review", "one_person"), agent, names)
        return wrote.union(read_entity(row["name"]) for row in same)

    async def _kept(self, connection: Connection, memory_id: uuid.UUID) -> Memory:
        found = await memories.kept(
            connection, self.database.agent, memory_id, self.database.agent_entity
        )
        if found is None or found.status is not Status.PENDING:
            raise NotFound(NO_SUCH)  # somebody else decided meanwhile
        return found

    async def _outcome(self, connection: Connection, memory_id: uuid.UUID) -> Decided:
        found = await memories.kept(
            connection, self.database.agent, memory_id, self.database.agent_entity
        )
        assert found is not None  # held by this transaction
        return Decided(id=found.id, status=found.status, waits_because=found.waits_because)


def _is_operator(actor: Actor) -> bool:
    return actor.entity is None and actor.kind is CallerKind.OPERATOR


def _require_namespace(memory: Memory, namespace: Namespace, actor: Actor) -> None:
    """Deeper for everybody; elsewhere within their own memory for the owner."""
    was = memory.origin.namespace
    if memory.owner != memory.speaker or memory.scope is Scope.GLOBAL:
        raise InvalidInput("namespace", "only somebody's own words move into their namespace")
    if actor.entity == memory.owner or was is None or was in namespace.and_ancestors():
        return
    raise InvalidInput("namespace", "only its owner moves it out of a namespace")


def _waits_because(memory: Memory, wording: Wording) -> str:
    """What the new words need beside somebody's look."""
    if wording.seen.instruction is not None:
        return f"it reads like an instruction: {wording.seen.instruction.reason}"
    if wording.seen.pii_risk >= 2:
        return "it holds personal data of high risk"
    if memory.scope is Scope.GLOBAL and memory.waits_because is not None:
        return memory.waits_because
    return CHANGED


def _read(row: Mapping[str, Any]) -> Waiting:
    return Waiting(
        id=row["id"],
        owner=read_entity(row["owner"]),
        speaker=read_entity(row["speaker"]) if row["speaker"] else None,
        kind=Kind(row["kind"]),
        scope=Scope(row["scope"]),
        sensitivity=Sensitivity(row["sensitivity"]),
        trust=Trust(row["trust"]),
        confidence=row["confidence"],
        place=row["place"],
        namespace=Namespace(row["workspace"], row["namespace_scope"]),
        waits_because=row["waits_because"],
        since=row["created_at"],
        is_insight=row["is_insight"],
    )
