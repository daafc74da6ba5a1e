"""A person's rights over what is remembered of them (S21, S22)."""

from __future__ import annotations

import uuid

from confide.actor import Actor
from confide.errors import InvalidInput, NotFound
from confide.keep import opting
from confide.keep.correcting import NO_SUCH_MEMORY, Corrected, Correcting, only
from confide.keep.erasing import Erasures
from confide.keep.exporting import Export, export
from confide.keep.forgetting import Erased
from confide.keep.history import Version, history
from confide.means import Means, Part
from confide.model import Entity, clean_text
from confide.store import memories


class Rights(Part):
    """Every person has them, whoever runs the agent, and also when it is switched off."""

    def __init__(self, means: Means) -> None:
        super().__init__(means)
        self._correcting = Correcting(means)
        self._erasures = Erasures(means)

    async def opt_out(self, who: Entity, *, actor: Actor, is_global_only: bool = False) -> None:
        """Stop keeping and telling what is theirs, or only what follows them everywhere."""
        await opting.opt_out(
            self.database, who, actor, self.clock(),
            is_global_only=is_global_only, history=self.settings.history_messages,
        )  # fmt: skip

    async def opt_in(self, who: Entity, *, actor: Actor) -> None:
        await opting.opt_in(self.database, who, actor, self.clock())

    async def state(self, who: Entity) -> opting.PrivacyState:
        return await opting.state(self.database, who)

    async def correct(self, memory_id: uuid.UUID, text: str, *, actor: Actor) -> Corrected:
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
        wording = await self._correcting.word(memory, text)
        return await self._correcting.replace(memory_id, wording, actor.entity)

    async def delete(self, who: Entity, *, actor: Actor, now: bool = False) -> Erased:
        """Forget all that is theirs; for a day it can be restored, unless `now` erases it."""
        return await self._erasures.person(who, actor=actor, now=now)

    async def history(self, memory_id: uuid.UUID, *, actor: Actor) -> tuple[Version, ...]:
        """What a memory said before it was corrected or replaced, oldest first."""
        return await history(self.database, memory_id, actor, self.clock())

    async def export(self, who: Entity, *, actor: Actor, source: str | None = None) -> Export:
        """All that is kept of `who` and may be told to them alone, as files for them; with
        `source` only what came from a platform or a file, or was told by somebody."""
        if actor.entity != who:
            raise InvalidInput("actor", f"only {who} can ask for it")
        named = clean_text(source, "source") if source is not None else None
        return await export(self.database, who, self.clock(), named)
