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

from confide.actor import Actor
from confide.errors import NotFound
from confide.keep import forgetting
from confide.keep.forgetting import Erased, is_operator
from confide.keep.people import alone
from confide.means import Part
from confide.model import Entity, Place, clean_text
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


class Erasures(Part):
    """Forgetting one memory, a person, a place, a source, or everything."""

    async def memory(self, id: uuid.UUID, *, actor: Actor, now: bool = False) -> Erased:
        """One memory, the versions it replaced, and the insights made from it."""
        return await self._erase(Target(memory=id), actor, now)

    async def person(self, who: Entity, *, actor: Actor, now: bool = False) -> Erased:
        """What somebody owns, said or contributed, and what they can hear others told about them.

        Who runs the agent erases all that was told about them, also what they cannot hear.
        """
        return await self._erase(await self.of_person(who, actor), actor, now)

    async def place(self, place: Place, *, actor: Actor, now: bool = False) -> Erased:
        """What was said in a place and the threads inside it."""
        return await self._erase(self.of_place(place, actor), actor, now)

    async def source(self, source: str, *, actor: Actor, now: bool = False) -> Erased:
        """What came from a platform or a file, or was told by somebody; a person's own only."""
        return await self._erase(self.of_source(source, actor), actor, now)

    async def everything(self, *, actor: Actor, now: bool = False) -> Erased:
        """All that this agent keeps. People's wishes not to be remembered stay."""
        forgetting.require_operator(actor, "everything")
        return await self._erase(Target(), actor, now)

    async def preview(self, target: Target, *, actor: Actor) -> dict[str, int]:
        """How much an erasure would take. Nothing is changed, and no content shown."""
        async with self.database.keep() as connection:
            await self._require_right(connection, target, actor)
            found = await Erasing(connection, self.database, target, self.clock()).find()
            counts = await connection.fetchrow(
                query("erasing", "tellings_of"), self.database.agent, found.memories
            )
        went = {"memories": len(found.memories), "messages": len(found.messages + found.sources)}
        return went | dict(counts)

    @tried_again
    async def restore(self, id: uuid.UUID, *, actor: Actor) -> int:
        """Undo an erasure by its id, or that of one memory; how many memories came back."""
        now, agent = self.clock(), self.database.agent
        async with self.database.keep(by=actor, doing="restore", at=now) as connection:
            act = await ledger.one(connection, agent, id)
            if act is None or act.erased_at <= now - self._undo():
                raise NotFound("there is no such memory")
            keys = {key.id: key for key in await ledger.every_key(connection, agent)}
            is_theirs = keys[act.key_id].of("actor", _name(actor)) == act.actor
            if not is_theirs and not is_operator(actor):
                raise NotFound("there is no such memory")
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
        if is_operator(actor):
            return Target(person=str(who), is_about_too=True)
        async with self.database.tell(alone(who), self.clock()) as telling:
            rows = await telling.connection.fetch(query("erasing", "about_told"), str(who))
        return Target(person=str(who), about=tuple(row["id"] for row in rows))

    def of_place(self, place: Place, actor: Actor) -> Target:
        if actor.entity is None or place != direct(actor.entity):
            forgetting.require_operator(actor, "a place")
        return Target(place=place.id)

    def of_source(self, source: str, actor: Actor) -> Target:
        whose = None if is_operator(actor) else str(actor.entity)
        named = clean_text(source, "source")
        return Target(source=str(read_batch_id(named) or named), whose=whose)

    async def _erase(self, target: Target, actor: Actor, now: bool) -> Erased:
        at = self.clock()
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
            await self._require_right(connection, target, actor)
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
        return Erased(id=act.id, undo_until=undo_until, counts=counts), found

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

    async def _require_right(self, connection: Connection, target: Target, actor: Actor) -> None:
        if target.memory is not None:
            await forgetting.require_right(connection, self.database, target.memory, actor)
        elif target.person is not None:
            who = Entity.parse(target.person)
            await forgetting.require_self(connection, self.database, who, actor)
        elif target.source is not None and target.whose is None:
            forgetting.require_operator(actor, "everybody's memories of a source")
        elif target.kind == "all":
            forgetting.require_operator(actor, "everything")

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


def _voice(target: Target, actor: Actor) -> str | None:
    """Who does not want it known; none: whoever's it is."""
    return target.person or (str(actor.entity) if actor.entity is not None else None)


def _name(actor: Actor) -> str:
    return str(actor.entity) if actor.entity is not None else actor.kind.value
