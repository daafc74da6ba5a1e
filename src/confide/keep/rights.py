"""A person's rights over what is remembered of them (S21, S22)."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from confide.actor import Actor
from confide.declare import Door, Group, Note, Self, Text, verb
from confide.errors import InvalidInput, NotFound
from confide.keep import opting
from confide.keep.correcting import NO_SUCH_MEMORY, Corrected, Correcting, only
from confide.keep.erasing import Erasures
from confide.keep.exporting import Export, export
from confide.keep.forgetting import Erased
from confide.keep.history import Version, history
from confide.keep.keys import OF_PEOPLE
from confide.keep.requesting import Asked, allow
from confide.model import Entity, Namespace, clean_text
from confide.privacy.acting import Act, Relation
from confide.store import keys, memories
from confide.store.consents import About


@dataclass(frozen=True, slots=True, kw_only=True)
class Privacy:
    """What somebody decided about their own memories."""

    entity: Entity
    is_opted_out: bool
    is_global_only: bool
    since: datetime | None
    are_connections_open: bool  # personal keys also tell what was learned elsewhere


class Rights(Group):
    """Every person has them, whoever runs the agent, and also when it is switched off."""

    def __init__(self, door: Door) -> None:
        super().__init__(door)
        self._erasures = Erasures(door)

    @property
    def _correcting(self) -> Correcting:
        return Correcting(self.door.means)

    @verb(Act.OPT_OUT, "POST /privacy/opt-out", once=True)
    async def opt_out(
        self,
        who: Self,
        *,
        actor: Actor,
        is_global_only: Annotated[bool, Note("Only what follows one everywhere.")] = False,
    ) -> None:
        """Stop keeping and telling what is theirs, or only what follows them everywhere."""
        await opting.opt_out(
            self.database, who, actor, self.clock(),
            is_global_only=is_global_only, history=self.settings.history_messages,
        )  # fmt: skip

    @verb(Act.OPT_IN, "POST /privacy/opt-in", once=True, only=OF_PEOPLE)
    async def opt_in(self, who: Self, *, actor: Actor) -> None:
        """Be remembered again."""
        await opting.opt_in(self.database, who, actor, self.clock())

    async def require_on_record(self, who: Entity, place_id: str, actor: Actor) -> None:
        """Going back on the record is like opting in: a key only asks for it."""
        asked = Asked(grantor=who, target=place_id)
        await allow(self.database, Act.OPT_IN, actor, Relation.OWNER, asked, self.clock())

    @verb(Act.READ_OWN, "GET /privacy", only=OF_PEOPLE)
    async def state(self, who: Self) -> Privacy:
        """What somebody decided about their own memories."""
        found = await opting.state(self.database, who)
        async with self.database.keep() as connection:
            is_open = await keys.is_opened(connection, self.database.agent, who)
        return Privacy(
            entity=who,
            is_opted_out=found.is_opted_out,
            is_global_only=found.is_global_only,
            since=found.since,
            are_connections_open=is_open,
        )

    @verb(Act.CORRECT, "POST /memories/{memory_id}/correct", once=True, alone=True, only=OF_PEOPLE)
    async def correct(self, memory_id: uuid.UUID, text: Text, *, actor: Actor) -> Corrected:
        """Say it right. The old words stay as history, and are told to nobody any more."""
        if actor.entity is None:
            raise InvalidInput("actor", "people correct what is theirs; say who it is")
        database, now = self.database, self.clock()
        async with database.keep() as connection:
            memory = await memories.kept(
                connection, database.agent, memory_id, database.agent_entity
            )
        if memory is None or memory.owner != actor.entity:
            raise NotFound(NO_SUCH_MEMORY)
        async with database.tell(only(actor.entity, memory.origin.namespace), now) as telling:
            if not await memories.told(telling, [memory_id]):
                raise NotFound(NO_SUCH_MEMORY)
        said_here = memory.origin.place is not None and memory.origin.place.id == actor.connection
        act = Act.CORRECT_HERE if said_here else Act.CORRECT
        asked = Asked(
            grantor=actor.entity, about=About(memory_id=memory_id), words=clean_text(text)
        )
        wording = await self._correcting.word(memory, text)
        await allow(database, act, actor, Relation.OWNER, asked, now)
        return await self._correcting.replace(memory_id, wording, actor.entity)

    async def delete(self, who: Entity, *, actor: Actor, now: bool = False) -> Erased:
        """Forget all that is theirs; for a day it can be restored, unless `now` erases it."""
        return await self._erasures.person(who, actor=actor, now=now)

    @verb(
        Act.READ_OWN,
        "GET /memories/{memory_id}/history",
        alone=True,
        only=OF_PEOPLE,
        answers="versions",
    )
    async def history(self, memory_id: uuid.UUID, *, actor: Actor) -> tuple[Version, ...]:
        """What a memory said before it was corrected or replaced, oldest first."""
        return await history(self.database, memory_id, actor, self.clock())

    @verb(Act.READ_OWN, "GET /export", alone=True, only=OF_PEOPLE)
    async def export(
        self,
        who: Self,
        *,
        actor: Actor,
        source: Annotated[
            str | None, Note("Only what came from this platform, file or person.")
        ] = None,
        namespace: Namespace | None = None,
    ) -> Export:
        """All that is kept of `who` and may be told to them alone, as files for them; with
        `source` only what came from a platform or a file, or was told by somebody; with
        `namespace` only what is in it and what it lies in."""
        if actor.entity != who:
            raise InvalidInput("actor", f"only {who} can ask for it")
        named = clean_text(source, "source") if source is not None else None
        return await export(self.database, who, self.clock(), named, namespace)
