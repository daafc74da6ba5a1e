"""Review (P4–P6): what waits is approved, rejected, edited or moved, by somebody who may. A decision can be taken back.

What only its owner would hear, its owner frees. What others would hear is freed by somebody else: a
configured reviewer, or who runs the chat and would hear it, never its owner, speaker or editor.
Without such a person it waits; its owner may narrow it to `dm` and free it then.
"""

from __future__ import annotations

import uuid
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Annotated, Any, Final

from confide.actor import Actor, require, ruling
from confide.declare import Door, Group, Limit, Note, Text, verb
from confide.egress import known
from confide.errors import ConfideError, InvalidInput, NotFound, StoreError
from confide.keep.correcting import CHANGED, Correcting, Wording, was_carried
from confide.keep.held import Decided, Reason, Waiting, read_waiting
from confide.keep.relations import runs_its_chat
from confide.keep.requesting import Asked, allow
from confide.model import Entity, Namespace, Scope, Status
from confide.privacy.acting import Act, CallerKind, Relation, Verdict
from confide.privacy.labels import is_for_owner_alone
from confide.privacy.places import NARROWER
from confide.privacy.policy import Label
from confide.store import indexing, memories, trail
from confide.store.colliding import tried_again
from confide.store.consents import About
from confide.store.encoding import read_entity
from confide.store.queries import query
from confide.store.relabel import relabel

if TYPE_CHECKING:
    from confide.store.connection import Connection
    from confide.store.memory import Memory

NOT_ALONE: Final = (
    "others would hear it, so somebody else frees it: a reviewer (CONFIDE_REVIEWERS), or who runs"
    " the chat and would hear it. Its owner may move it to dm, and free it then"
)
NO_SUCH: Final = "there is no such memory that waits"
NOT_YOURS: Final = "there is no decision of yours on it that could be taken back"
TAKEN_BACK: Final = "its approval was taken back"
AGREES_AGAIN: Final = "its owner has to agree again that it is told everywhere"
MOST: Final = 1000
#: What to do when something was approved; how it compares with what is known.
Settle = Callable[..., Awaitable[object]]


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


class Reviewing(Group, called="review", but=(CallerKind.TOKEN,)):
    """The queue of what waits, and the decisions about it."""

    def __init__(
        self, door: Door, settle: Settle | None = None, reviewers: frozenset[Entity] = frozenset()
    ) -> None:
        super().__init__(door)
        self._settle, self._reviewers = settle, reviewers

    @property
    def _correcting(self) -> Correcting:
        return Correcting(self.door.means)

    @verb(Act.READ_HELD, "GET /review", answers="waiting")
    async def waiting(
        self,
        *,
        actor: Actor,
        reason: Annotated[Reason | None, Note("Only what waits for this.")] = None,
        limit: Limit = MOST,
    ) -> list[Waiting]:
        """What waits: all of it to reviewers and the operator, one's own to everybody else."""
        found = await self._waiting(actor, reason, limit)
        if actor.audience is None:
            return found
        # Where others read along, only what was said there.
        heard = await known(self.database, actor, [one.id for one in found], self.clock())
        return [one for one in found if one.id in heard]

    async def _waiting(self, actor: Actor, reason: Reason | None, limit: int) -> list[Waiting]:
        async with self.database.keep() as connection:
            found = await self._seen(connection, None, actor, limit)
            own = [
                replace(one, text=await self._text(connection, one.id))
                if one.owner == actor.entity
                else one
                for one in found
            ]
        return [one for one in own if reason is None or one.reason is reason]

    @verb(Act.READ_HELD, "GET /review/{memory_id}", alone=True)
    async def show(self, memory_id: uuid.UUID, *, actor: Actor) -> Waiting:
        """One that waits, with its words if the actor may read them. That a reviewer did is logged."""
        now = self.clock()
        async with self.database.keep(by=actor, doing="review", at=now) as connection:
            (one,) = await self._one(connection, memory_id, actor)
            memory = await self._kept(connection, memory_id)
            is_private = is_for_owner_alone(memory.label, memory.owner, self.database.agent_entity)
            if actor.entity is None or (is_private and actor.entity != one.owner):
                return one  # labels: whoever may not free it need not read it
            require(Act.READ_HELD, actor, await self._relation(connection, one, actor))
            text = await self._text(connection, memory_id)
            if one.owner != actor.entity and text is not None:
                await trail.record(
                    connection, self.database.agent, actor=actor, action="read by a reviewer",
                    doing="review", what="memory text", memory_id=memory_id, owner=one.owner,
                    now=now,
                )  # fmt: skip
        return replace(one, text=text)

    @tried_again
    @verb(Act.FREE, "POST /review/{memory_id}/approve", once=True)
    async def approve(self, memory_id: uuid.UUID, *, actor: Actor) -> Decided:
        """Let it be told; it then repeats, replaces or stands beside what is known."""
        now, agent = self.clock(), self.database.agent
        await self._allow(memory_id, actor)
        async with self.database.keep(by=actor, doing="approve", at=now) as connection:
            memory = await self._kept(connection, memory_id)
            await connection.execute(query("messages", "hold_owner"), agent, str(memory.owner))
            await connection.execute(query("review", "approve"), agent, memory_id, now)
            assert self._settle is not None, "whoever opened the store settles it"
            await self._settle(
                connection, self.database, memory, now, self.settings.merge_similarity
            )
            return await self._outcome(connection, memory_id)

    @tried_again
    @verb(Act.NARROW, "POST /review/{memory_id}/reject", once=True)
    async def reject(self, memory_id: uuid.UUID, *, actor: Actor) -> Decided:
        """Never tell it."""
        now = self.clock()
        async with self.database.keep(by=actor, doing="reject", at=now) as connection:
            (one,) = await self._one(connection, memory_id, actor)
            _require_no_insight(one)
            require(Act.NARROW, actor, await self._relation(connection, one, actor))
            await self._kept(connection, memory_id)
            await connection.execute(query("review", "reject"), self.database.agent, memory_id, now)
            return await self._outcome(connection, memory_id)

    @tried_again
    @verb(Act.TAKE_BACK, "POST /review/{memory_id}/take-back", once=True)
    async def take_back(self, memory_id: uuid.UUID, *, actor: Actor) -> Decided:
        """Undo one's own approval or rejection: it waits again. While nothing else became of it,
        and as long as something forgotten can be brought back."""
        now, agent = self.clock(), self.database.agent
        async with self.database.keep(by=actor, doing="take back", at=now) as connection:
            last = await connection.fetchrow(query("review", "last_decision"), agent, memory_id)
            memory = await memories.kept(connection, agent, memory_id, self.database.agent_entity)
            if memory is None or not self._decided(last, actor):
                raise NotFound(NOT_YOURS)
            require(Act.TAKE_BACK, actor, await self._relation(connection, memory, actor))
            if last["replaced_another"] or memory.status.value != last["action"]:
                raise InvalidInput("id", "another memory came of it; correct or forget that one")
            waits = AGREES_AGAIN if memory.scope is Scope.GLOBAL else TAKEN_BACK
            await connection.execute(query("review", "take_back"), agent, memory_id, waits, now)
            return await self._outcome(connection, memory_id)

    def _decided(self, last: Mapping[str, Any] | None, actor: Actor) -> bool:
        """Whether the last thing that happened to it was this actor's own decision."""
        if last is None or last["at"] < self.clock() - timedelta(hours=self.settings.undo_hours):
            return False
        name = str(actor.entity) if actor.entity else None
        return (last["proof"], last["actor"]) == (actor.kind.value, name)

    @verb(Act.NARROW, "PUT /review/{memory_id}", once=True)
    async def edit(self, memory_id: uuid.UUID, text: Text, *, actor: Actor) -> Decided:
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
            rows = indexing.Indexer().rows(memory_id, wording.text, origin, ())
            await indexing.index(connection, agent, rows, {memory_id: wording.vector})
            return await self._outcome(connection, memory_id)

    @tried_again
    @verb(Act.NARROW, "POST /review/{memory_id}/move", once=True)
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
            # First: what is in a namespace is `dm`, and the database demands it.
            narrower = replace(memory, label=Label(frozenset()))
            await relabel(connection, self.database, [(narrower, origin)], now)
            n = origin.namespace
            await connection.execute(
                query("review", "move"),
                agent, memory_id, n.workspace if n else None, n.scope if n else None,
                n is not None, now,
            )  # fmt: skip
            return await self._outcome(connection, memory_id)

    each = staticmethod(decide_each)

    def _reviews(self, actor: Actor) -> bool:
        """Configured, and not through something that a model may hold."""
        is_named = actor.entity is not None and actor.entity in self._reviewers
        return is_named and _may(Act.READ_HELD, actor, Relation.REVIEWER)

    async def _seen(
        self, connection: Connection, id: uuid.UUID | None, actor: Actor, limit: int
    ) -> list[Waiting]:
        """Everything to reviewers and, as labels, to the operator; else one's own, and what waits in
        a chat that one runs."""
        if self._reviews(actor) or (
            actor.entity is None and _may(Act.NARROW, actor, Relation.NONE)
        ):
            return await self._listed(connection, None, id, limit)
        if actor.entity is None:
            raise NotFound(NO_SUCH)
        own = await self._listed(connection, actor.entity, id, limit)
        if not await connection.fetchval(
            query("places", "runs_any"), self.database.agent, str(actor.entity)
        ):
            return own
        others = await self._listed(connection, None, id, MOST)
        run = [
            one
            for one in others
            if one.owner != actor.entity and await self._runs(connection, one, actor)
        ]
        return [*own, *run][:limit]

    async def _runs(self, connection: Connection, one: Waiting, actor: Actor) -> bool:
        memory = await self._kept(connection, one.id)
        assert actor.entity is not None, "nobody in particular runs no chat"
        return await runs_its_chat(
            connection, self.database, memory, actor.entity, self.clock()
        ) and _may(Act.READ_HELD, actor, Relation.CHAT_ADMIN)

    async def _relation(
        self, connection: Connection, one: Waiting | Memory, actor: Actor
    ) -> Relation:
        """What something that waits is to the actor; whoever wrote it is never its reviewer."""
        if actor.entity == one.owner:
            return Relation.OWNER
        if actor.entity is None:
            return Relation.NONE
        if actor.entity in await self._authors(connection, one):
            return Relation.SPEAKER
        return Relation.REVIEWER if self._reviews(actor) else Relation.CHAT_ADMIN

    async def _allow(self, memory_id: uuid.UUID, actor: Actor) -> None:
        """Whoever may free it; a key of its owner leaves a request."""
        database, now = self.database, self.clock()
        async with database.keep() as connection:
            (one,) = await self._one(connection, memory_id, actor)
            _require_no_insight(one)
            memory = await self._kept(connection, memory_id)
            relation = await self._relation(connection, one, actor)
        asked = Asked(grantor=one.owner, about=About(memory_id=memory_id))
        if one.reason is Reason.EVERYWHERE:
            if actor.entity != one.owner:
                raise InvalidInput("actor", f"only {one.owner} agrees to that")
            await allow(database, Act.FREE_OWN, actor, relation, asked, now)
        elif is_for_owner_alone(memory.label, memory.owner, database.agent_entity):
            await allow(database, Act.FREE_OWN, actor, relation, asked, now)
        elif not _may(Act.FREE, actor, relation):
            raise InvalidInput("actor", NOT_ALONE)

    async def _listed(
        self, connection: Connection, whose: Entity | None, id: uuid.UUID | None, limit: int
    ) -> list[Waiting]:
        rows = await connection.fetch(
            query("review", "waiting"),
            self.database.agent, self.clock(), str(whose) if whose else None, id, limit,
        )  # fmt: skip
        return [read_waiting(row) for row in rows]

    async def _one(
        self, connection: Connection, memory_id: uuid.UUID, actor: Actor
    ) -> list[Waiting]:
        found = await self._seen(connection, memory_id, actor, 1)
        if not found:
            raise NotFound(NO_SUCH)
        return found

    async def _text(self, connection: Connection, memory_id: uuid.UUID) -> str | None:
        return await connection.fetchval(query("review", "read"), self.database.agent, memory_id)

    async def _editable(self, connection: Connection, memory_id: uuid.UUID, actor: Actor) -> Memory:
        (one,) = await self._one(connection, memory_id, actor)
        if actor.entity is None:
            raise InvalidInput("actor", "only its owner or a reviewer changes it")
        require(Act.NARROW, actor, await self._relation(connection, one, actor))
        if one.is_insight:
            raise InvalidInput("id", "it is an insight; generalize again in other words")
        return await self._kept(connection, memory_id)

    async def _authors(self, connection: Connection, one: Waiting | Memory) -> set[Entity | None]:
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


def _may(act: Act, actor: Actor, relation: Relation) -> bool:
    return ruling(act, actor, relation).verdict is Verdict.YES


def _require_no_insight(one: Waiting) -> None:
    if one.is_insight:
        raise InvalidInput("id", "it is an insight; `confide generalizations` decides on those")


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
    order = wording.seen.instructs(is_carried=was_carried(memory))
    if order is not None:
        return order
    if wording.seen.pii_risk >= 2:
        return "it holds personal data of high risk"
    if memory.scope is Scope.GLOBAL and memory.waits_because is not None:
        return memory.waits_because
    return CHANGED
