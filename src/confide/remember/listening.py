"""The verbs of learning: what platforms call when something was said, and what workers do with it."""

from __future__ import annotations

import asyncio
import contextlib
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import datetime
from typing import TYPE_CHECKING, Final

from confide.means import Means, Part
from confide.model import Entity, Message, Place
from confide.providers.builtin import BuiltinExtractor
from confide.providers.choosing import language_model
from confide.remember import unlearn
from confide.remember.learn import Extractor, Learning, Step, no_step
from confide.remember.observe import Observed, Observing
from confide.remember.triggers import Triggers
from confide.remember.worker import Worker
from confide.store import sessions
from confide.store.attesting import attest_place
from confide.store.queries import query

if TYPE_CHECKING:
    pass

#: A short command is over before learning begins, and does not wait for it.
PAUSE_FIRST: Final = 2.0


class Listening(Part):
    """Messages in, memories out."""

    def __init__(self, means: Means, *beside: Callable[[], Awaitable[int]]) -> None:
        super().__init__(means)
        self._require_enabled = means.require_enabled
        self._other_work = beside
        self._observing: Observing | None = None
        self._worker: Worker | None = None

    async def observe(self, message: Message, *, batch: uuid.UUID | None = None) -> Observed:
        """Keep what was said, with the label of its place at this moment; learning comes later.

        `batch`: the file it came in, see `confide.sources`.
        """
        self._require_enabled()
        if self._observing is None:
            self._observing = Observing(self.database, Triggers.of(self.settings))
        observed = await self._observing.observe(message, self.clock(), batch)
        if observed.is_due and self._worker is not None:
            self._worker.wake()
        return observed

    async def edited(
        self,
        message_id: str,
        text: str,
        *,
        platform: str = "local",
        said_at: datetime | None = None,
    ) -> bool:
        """A message reads differently now; false if it was never kept."""
        self._require_enabled()
        now = self.clock()
        done = await unlearn.edit(
            self.database, self.embedder, platform, message_id, text, said_at or now, now
        )
        if done and self._worker is not None:
            self._worker.wake()
        return done

    async def deleted(self, message_id: str, *, platform: str = "local") -> bool:
        """A message was deleted; what was learned from it alone is erased. Works also when off."""
        return await unlearn.delete(
            self.database, self.embedder, platform, message_id, self.clock()
        )

    async def listen(self, place: Place, *, is_on: bool = True) -> None:
        """Keep all that is said in a place, not only what is said to the agent. Announce it there."""
        async with self.database.keep(by="platform", doing="listen", at=self.clock()) as connection:
            await attest_place(connection, self.database, place, self.clock())
            await connection.execute(
                query("messages", "listen"), self.database.agent, place.id, is_on
            )

    async def off_the_record(self, who: Entity, place: Place) -> None:
        """From now on nothing of `who` is read or written in `place` (B8)."""
        async with self.database.keep(
            by="platform", doing="off the record", at=self.clock()
        ) as connection:
            await connection.execute(
                query("messages", "go_off_record"),
                self.database.agent, str(who), place.id, self.clock(),
            )  # fmt: skip

    async def on_the_record(self, who: Entity, place: Place) -> None:
        """Back to normal; what was said meanwhile stays unknown."""
        async with self.database.keep(
            by="platform", doing="on the record", at=self.clock()
        ) as connection:
            await connection.execute(
                query("messages", "go_on_record"), self.database.agent, str(who), place.id
            )

    def worker(self, *, extractor: Extractor | None = None, step: Step = no_step) -> Worker:
        """Something that learns from what is due; several may run at once."""
        return Worker(
            Learning(
                database=self.database,
                settings=self.settings,
                extractor=extractor or self._extractor(),
                screen=self.screen,
                embedder=self.embedder,
                clock=self.clock,
                step=step,
            ),
            beside=self._beside,
        )

    def _extractor(self) -> Extractor:
        if not self.settings.extraction:
            from confide.remember.extracting import NoFacts

            return NoFacts()
        model = language_model(self.settings)
        if model is None:
            return BuiltinExtractor()
        from confide.providers.llm.extractor import ModelExtractor
        from confide.remember.extracting import CarefulExtractor

        return CarefulExtractor(
            model=ModelExtractor(model),
            model_name=model.name,
            leaving=self.leaving,
            purse=self.spending,
        )

    async def learn(self, *, is_everything: bool = False) -> int:
        """Learn from all that is due, and with `is_everything` from all that was said."""
        self._require_enabled()
        worker = self.worker()
        await worker.sweep()
        if is_everything:
            await self.make_due()
        count = await worker.drain()
        await worker.beside()
        return count

    async def _beside(self) -> None:
        for work in self._other_work:
            await work()

    async def make_due(self) -> None:
        """All that was said is to be learned from now."""
        async with self.database.keep() as connection:
            await sessions.make_due(connection, self.database.agent, self.clock())

    async def left(self) -> int:
        """How many messages of due sessions nothing was learned from yet."""
        async with self.database.keep() as connection:
            return await sessions.left(connection, self.database.agent)

    async def sessions(self, limit: int = 50) -> list[sessions.Sitting]:
        async with self.database.keep() as connection:
            return await sessions.listed(connection, self.database.agent, limit)

    async def jobs(self, limit: int = 50) -> list[sessions.Job]:
        """What is due, being learned from, or given up, with the reason and without content."""
        async with self.database.keep() as connection:
            return await sessions.jobs(connection, self.database.agent, limit)

    async def retry(self, job_id: uuid.UUID | None = None) -> int:
        """Try given-up jobs once more."""
        async with self.database.keep() as connection:
            return await sessions.again(connection, self.database.agent, job_id)

    @contextlib.asynccontextmanager
    async def beside(self) -> AsyncIterator[None]:
        """Learn in this process for as long as it is open, unless the settings say otherwise."""
        if not (self.settings.learn and self.settings.enabled):
            yield
            return
        self._worker = self.worker()
        task = asyncio.create_task(self._worker.run(pause_first=PAUSE_FIRST))
        try:
            yield
        finally:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task
