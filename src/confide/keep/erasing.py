"""Erasing: at once out of every answer, for a day with a way back, then out of every table.

Each erasure is one transaction, so that a kill leaves all or nothing of it. Afterwards every table
is looked through again, and what was found is said.
"""

from __future__ import annotations

import asyncio
import logging
import uuid
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Annotated, Final

from confide.actor import Actor, in_person, require
from confide.declare import Group, Note, Where, verb
from confide.egress import require_known
from confide.errors import InvalidInput, NotFound
from confide.keep import forgetting
from confide.keep.alone import alone
from confide.keep.forgetting import Erased
from confide.keep.requesting import Asked, allow
from confide.model import Entity, Place, clean_text
from confide.privacy.acting import Act, CallerKind, Relation
from confide.privacy.leaves import Called
from confide.privacy.places import direct
from confide.store import ledger, ledger_file
from confide.store.colliding import tried_again
from confide.store.connection import Connection
from confide.store.erasing import Erasing, Found, Target, verify
from confide.store.ledger import Erasure
from confide.store.queries import query
from confide.store.replaying import Replaying
from confide.store.sources import read_batch_id
from confide.store.tables import read_tables

log = logging.getLogger(__name__)

OWN_COUNTS: Final = ("memories", "messages", "batch")
ERASERS: Final = (CallerKind.PLATFORM, CallerKind.PERSONAL, CallerKind.ADMIN)
SourceName = Annotated[str | None, Note("A platform, or somebody who told it.")]


class Erasures(Group, called="erasure"):
    """Forgetting one memory, a person, a place, a source, or everything."""

    @verb(Act.FORGET, "POST /erasures", once=True, only=ERASERS)
    async def erase(
        self,
        *,
        person: Entity | None = None,
        place: Where | None = None,
        source: SourceName = None,
        now: Annotated[bool, Note("At once and for ever; otherwise with a way back.")] = False,
        actor: Actor,
    ) -> Erased:
        """Erase a person, a place or a source, and say what was found of it afterwards. People erase
        what is theirs; an admin, without seeing it, what anybody's is."""
        return await self._erase(await self._target(person, place, source, actor), actor, now)

    @verb(Act.FORGET, "POST /erasures/preview", only=ERASERS, alone=True, answers="counts")
    async def count(
        self,
        *,
        person: Entity | None = None,
        place: Where | None = None,
        source: SourceName = None,
        actor: Actor,
    ) -> dict[str, int]:
        """How much that would take. Nothing is changed, and no content shown."""
        target = await self._target(person, place, source, actor)
        return await self.preview(target, actor=actor)

    async def _target(
        self, person: Entity | None, place: Place | None, source: str | None, actor: Actor
    ) -> Target:
        if sum(one is not None for one in (person, place, source)) != 1:
            raise InvalidInput("person", "name one of person, place and source")
        if person is not None:
            return await self.of_person(person, actor)
        if source is not None:
            return self.of_source(source, actor)
        assert place is not None, "one of the three is named"
        return self.of_place(place, actor)

    async def memory(self, id: uuid.UUID, *, actor: Actor, now: bool = False) -> Erased:
        """One memory, the versions it replaced, and the insights made from it."""
        if actor.entity is not None:
            await require_known(self.database, actor, [id], self.clock())
        return await self._erase(Target(memory=id), actor, now)

    async def granted(self, id: uuid.UUID, *, actor: Actor) -> Erased:
        """For good, because whom it is about asked for it and the request was granted."""
        require(Act.DECIDE_REQUEST, actor, in_person(actor))
        return await self._erase(Target(memory=id), actor, True, is_asked_for=True)

    async def person(self, who: Entity, *, actor: Actor, now: bool = False) -> Erased:
        """What somebody owns, said or contributed, and what they can hear others told about them.

        Who runs the agent erases all that was told about them, also what they cannot hear.
        """
        return await self.erase(person=who, actor=actor, now=now)

    async def place(self, place: Place, *, actor: Actor, now: bool = False) -> Erased:
        """What was said in a place and the threads inside it."""
        return await self.erase(place=place, actor=actor, now=now)

    async def source(self, source: str, *, actor: Actor, now: bool = False) -> Erased:
        """What came from a platform or a file, or was told by somebody; a person's own only."""
        return await self.erase(source=source, actor=actor, now=now)

    async def everything(self, *, actor: Actor, now: bool = False) -> Erased:
        """All that this agent keeps. People's wishes not to be remembered stay."""
        return await self._erase(Target(), actor, now)

    async def named(self, target: str, *, actor: Actor) -> Erased:
        """For good, what a request named: `person human:pat`."""
        kind, _, name = target.partition(" ")
        match kind:
            case "memory":
                return await self.memory(uuid.UUID(name), actor=actor, now=True)
            case "person":
                return await self.person(Entity.parse(name), actor=actor, now=True)
            case "source":
                return await self.source(name, actor=actor, now=True)
            case _:
                assert actor.entity is not None, "only one's own direct chat is asked for"
                return await self.place(direct(actor.entity), actor=actor, now=True)

    async def preview(self, target: Target, *, actor: Actor) -> dict[str, int]:
        """How much an erasure would take. Nothing is changed, and no content shown."""
        async with self.database.keep() as connection:
            await self._require_right(connection, target, actor, self.clock())
            found = await Erasing(connection, self.database, target, self.clock()).find()
            counts = await connection.fetchrow(
                query("erasing", "tellings_of"), self.database.agent, found.memories
            )
        went = {"memories": len(found.memories), "messages": len(found.messages + found.sources)}
        return _told_of(went | dict(counts), actor)

    @verb(
        Act.RESTORE,
        "POST /erasures/{erasure_id}/restore",
        once=True,
        only=ERASERS,
        answers="memories",
    )
    async def restore(self, id: Annotated[uuid.UUID, Called("erasure_id")], *, actor: Actor) -> int:
        """Undo an erasure by its id, or that of one memory; how many memories came back."""
        return await self._restored(id, actor)

    @tried_again
    async def _restored(self, id: uuid.UUID, actor: Actor) -> int:
        now, agent = self.clock(), self.database.agent
        async with self.database.keep() as connection:
            await self._their_erasure(connection, id, actor, now)
        if actor.entity is not None:
            asked = Asked(grantor=actor.entity, target=str(id))
            await allow(self.database, Act.RESTORE, actor, Relation.OWNER, asked, now)
        else:
            require(Act.RESTORE, actor, Relation.OWNER)
        async with self.database.keep(by=actor, doing="restore", at=now) as connection:
            act = await self._their_erasure(connection, id, actor, now)
            only = id if id != act.id and id not in act.memory_ids else None
            done = await connection.execute(query("erasing", "undo"), agent, act.id, only, now)
            if only is None:
                await connection.execute(query("ledger", "unsuppress"), agent, act.id)
                await connection.execute(query("ledger", "remove"), agent, act.id)
                await connection.execute(query("erasing", "let_go"), agent, act.id)
        await self._copy_ledger()
        restored = int(done.split()[-1])
        if not restored:
            raise NotFound("there is no such memory")
        return restored

    async def _their_erasure(
        self, connection: Connection, id: uuid.UUID, actor: Actor, now: datetime
    ) -> Erasure:
        """One that the actor made and that can still be undone. Nobody undoes another's."""
        agent = self.database.agent
        act = await ledger.one(connection, agent, id)
        if act is None or act.erased_at <= now - self._undo():
            raise NotFound("there is no such memory")
        keys = {key.id: key for key in await ledger.every_key(connection, agent)}
        if keys[act.key_id].of("actor", _name(actor)) != act.actor:
            raise NotFound("there is no such memory")
        return act

    @tried_again
    async def finish(self) -> int:
        """What can be undone no longer goes for good; how many erasures that were."""
        now, agent = self.clock(), self.database.agent
        done: list[Found] = []
        async with self.database.keep(doing="forget", at=now) as connection:
            for act in await ledger.overdue(connection, agent, now - self._undo()):
                done.append(await self._replaying(connection, now).finish(act))
        for found in done:
            await verify(self.database, Target(), found, now)
        if done:
            await self._copy_ledger()
        return len(done)

    async def of_person(self, who: Entity, actor: Actor) -> Target:
        """A person by their own act: what they cannot hear is neither counted nor touched."""
        if actor.entity is None:
            return Target(person=str(who), is_about_too=True)
        async with self.database.tell(alone(who), self.clock()) as telling:
            rows = await telling.connection.fetch(query("erasing", "about_told"), str(who))
        return Target(person=str(who), about=tuple(row["id"] for row in rows))

    def of_place(self, place: Place, actor: Actor) -> Target:
        if actor.entity is None or place != direct(actor.entity):
            forgetting.require_operator(actor, "a place")
        return Target(place=place.id)

    def of_source(self, source: str, actor: Actor) -> Target:
        whose = None if actor.entity is None else str(actor.entity)
        named = clean_text(source, "source")
        return Target(source=str(read_batch_id(named) or named), whose=whose)

    async def _erase(
        self, target: Target, actor: Actor, now: bool, *, is_asked_for: bool = False
    ) -> Erased:
        at = self.clock()
        if now and not is_asked_for:
            await self._allow_for_good(target, actor, at)
        done, found = await self._erase_once(target, actor, now, at)
        await self._copy_ledger()
        if not now:
            return done
        left, kept = await verify(self.database, target, found, at)
        return replace(done, found=left, kept=kept)

    @tried_again
    async def _erase_once(
        self, target: Target, actor: Actor, now: bool, at: datetime
    ) -> tuple[Erased, Found]:
        agent = self.database.agent
        async with self.database.keep(by=actor, doing="forget", at=at) as connection:
            await self._require_right(connection, target, actor, at)
            erasing = Erasing(connection, self.database, target, at)
            marks = await ledger.marks(connection, agent, at)
            found = await erasing.find()
            act = Erasure(
                id=uuid.uuid4(),
                kind=target.kind,
                memory_ids=[target.memory] if target.memory else list(target.about),
                key_id=marks.id,
                target=target.mark(marks),
                whose=marks.of("person", target.whose) if target.whose else None,
                is_about_too=target.is_about_too,
                actor=marks.of("actor", _name(actor)),
                erased_at=at,
                final_at=at if now else None,
                memories=len(found.memories),
            )
            # First, because what waits for another erasure belongs to this one from now on.
            await ledger.enter(connection, agent, act)
            await erasing.suppress(found, marks, act.id, _voice(target, actor))
            if now:
                counts = await self._take_out(connection, erasing, target, found)
            else:
                counts = await self._hide(erasing, found, act.id)
        undo_until = None if now else at + self._undo()
        return Erased(id=act.id, undo_until=undo_until, counts=_told_of(counts, actor)), found

    async def _take_out(
        self, connection: Connection, erasing: Erasing, target: Target, found: Found
    ) -> dict[str, int]:
        if target.kind == "all":
            tables = [table.name for table in reversed(await read_tables(connection))]
            return await erasing.erase_all(tables)
        return await erasing.erase(
            found, self.embedder.embed_documents,
            self.settings.history_messages,
        )  # fmt: skip

    async def _hide(self, erasing: Erasing, found: Found, id: uuid.UUID) -> dict[str, int]:
        """Memories can come back; raw messages and what was lent to others go at once."""
        await erasing.hold(found)
        await erasing.withdraw(
            found, self.embedder.embed_documents,
            self.settings.history_messages,
        )  # fmt: skip
        messages = await erasing.empty(found)
        return {"memories": await erasing.soften(found, id), "messages": messages}

    async def _require_right(
        self, connection: Connection, target: Target, actor: Actor, at: datetime
    ) -> Relation:
        if target.memory is not None:
            return await forgetting.require_right(
                connection, self.database, target.memory, actor, at
            )
        if target.person is not None:
            who = Entity.parse(target.person)
            return await forgetting.require_self(connection, self.database, who, actor)
        if target.whose is not None or (
            actor.entity is not None and target.place == direct(actor.entity).id
        ):
            return Relation.OWNER
        what = "everything" if target.kind == "all" else "what is everybody's"
        forgetting.require_operator(actor, what)
        return Relation.NONE

    async def _allow_for_good(self, target: Target, actor: Actor, at: datetime) -> None:
        """Erasing for good is a person's own act; a key only asks for it."""
        async with self.database.keep() as connection:
            relation = await self._require_right(connection, target, actor, at)
        if actor.entity is None:
            is_ones = target.memory is not None or target.person is not None
            require(Act.ERASE if is_ones else Act.ERASE_ANY, actor, relation)
            return
        asked = Asked(grantor=actor.entity, target=_named(target))
        await allow(self.database, Act.ERASE, actor, relation, asked, at)

    async def _copy_ledger(self) -> None:
        """Whoever is killed before this leaves an older copy; the next erasure mends it."""
        async with self.database.keep() as connection:
            erasures = await ledger.every(connection, self.database.agent)
        home, agent = self.settings.home, self.database.agent
        try:
            await asyncio.to_thread(ledger_file.write, home, agent, erasures)
        except OSError as problem:  # the erasure is done; only its copy is missing
            log.warning("no copy of the ledger in CONFIDE_HOME: %s", problem.strerror)

    def _replaying(self, connection: Connection, now: datetime) -> Replaying:
        return Replaying(
            connection, self.database, self.embedder.embed_documents,
            self.settings.history_messages, now,
        )  # fmt: skip

    def _undo(self) -> timedelta:
        return timedelta(hours=self.settings.undo_hours)


def _told_of(counts: dict[str, int], actor: Actor) -> dict[str, int]:
    """A person is told of memories, messages and files they gave; how often others agreed or were
    told is those others' own."""
    if actor.entity is None:
        return counts
    return {name: count for name, count in counts.items() if name in OWN_COUNTS}


def _named(target: Target) -> str:
    """How a request says what should be erased; `Erasures.named` reads it."""
    for kind in ("memory", "person", "source", "place"):
        if (name := getattr(target, kind)) is not None:
            return f"{kind} {name}"
    raise AssertionError("nobody asks for everything")


def _voice(target: Target, actor: Actor) -> str | None:
    """Who does not want it known; none: whoever's it is."""
    return target.person or (str(actor.entity) if actor.entity is not None else None)


def _name(actor: Actor) -> str:
    return str(actor.entity) if actor.entity is not None else actor.kind.value
