"""The verbs of learning: what platforms call when something was said, and what workers do with it."""

from __future__ import annotations

import asyncio
import contextlib
import uuid
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Annotated, Final, Literal

from confide.actor import Actor
from confide.declare import (
    Door,
    Group,
    HeldPlatform,
    Limit,
    Note,
    Self,
    Text,
    Where,
    Zoned,
    verb,
)
from confide.errors import InvalidInput
from confide.language.confidence import asks_for_nothing_else
from confide.model import Entity, Message
from confide.privacy.acting import Act, CallerKind
from confide.providers.builtin import BuiltinExtractor
from confide.providers.choosing import language_model
from confide.remember import unlearn
from confide.remember.adding import Added, Adding
from confide.remember.learn import Extractor, Learning, Step, no_step
from confide.remember.observe import Observed, Observing
from confide.remember.triggers import Triggers
from confide.remember.turns import Exchange
from confide.remember.worker import Worker
from confide.store import sessions, turns
from confide.store.attesting import attest_place
from confide.store.queries import query
from confide.store.sessions import Job, Sitting

#: A short command is over before learning begins, and does not wait for it.
PAUSE_FIRST: Final = 2.0
#: A token asks; it neither says nor takes back what was said.
OBSERVERS: Final = (CallerKind.PLATFORM, CallerKind.PERSONAL)
MessageId = Annotated[str, 200]
#: When what was said is learned from.
Learn = Literal["now", "later"]


class Listening(Group, called="learning"):
    """Messages in, memories out."""

    def __init__(
        self,
        door: Door,
        *beside: Callable[[], Awaitable[int]],
        ask_back: Callable[[Entity, str, Actor], Awaitable[None]] | None = None,
        name: Callable[[Entity, str], Awaitable[None]] | None = None,
    ) -> None:
        super().__init__(door)
        self._other_work = beside
        self._ask_back = ask_back  # whether somebody may go back on the record by themselves
        self._name = name  # what somebody is called
        self._observing: Observing | None = None
        self._worker: Worker | None = None

    async def observe(
        self, message: Message, *, batch: uuid.UUID | None = None, learn: Learn = "later"
    ) -> Observed:
        """Keep what was said, with the label of its place at this moment. Learning comes later,
        unless `learn` is "now": then `learned` of the answer names the memories.

        `batch`: the file it came in, see `confide.sources`.
        """
        if learn not in ("now", "later"):
            raise InvalidInput("learn", f"{learn!r} is none of now, later")
        self.door.means.require_enabled()
        if self._observing is None:
            self._observing = Observing(self.database, Triggers.of(self.settings))
        observed = await self._observing.observe(message, self.clock(), batch)
        if observed.is_kept and not message.is_from_agent and asks_for_nothing_else(message.text):
            # "This stays between us" is about what they have just said.
            await unlearn.take_into_confidence(
                self.database, self.embedder, message.platform, message.id, self.clock()
            )
        if observed.is_due and self._worker is not None:
            self._worker.wake()
        if learn == "now" and observed.is_kept and not message.is_from_agent:
            return replace(observed, learned=await self._learned_from(message))
        return observed

    async def add(self, exchange: Exchange, *, platform: str = "local") -> Added:
        """Observe a list of messages and learn from what is new in it, before this returns (B16)."""
        self.door.means.require_enabled()
        adding = Adding(
            database=self.database, observe=self.observe, learn=self._learn_now, now=self.clock()
        )
        added = await adding.add(exchange, platform=platform)
        if self._name is not None:
            for who, name in exchange.names.items():
                await self._name(who, name)
        return added

    async def _learn_now(self, sessions: Sequence[uuid.UUID]) -> None:
        worker = self._worker or self.worker()
        for one in sessions:
            await worker.learn_now(one)

    async def _learned_from(self, message: Message) -> tuple[uuid.UUID, ...]:
        said = self.database.agent, message.platform, [message.id]
        async with self.database.keep() as connection:
            waiting = await turns.sessions_of(connection, *said)
        await self._learn_now(waiting)
        async with self.database.keep() as connection:
            return tuple(one.memory_id for one in await turns.learned_from(connection, *said))

    @verb(
        Act.REMEMBER,
        "PUT /messages/{message_id:path}",
        once=True,
        only=OBSERVERS,
        answers="was_kept",
    )
    async def edited(
        self,
        message_id: MessageId,
        text: Text,
        *,
        platform: HeldPlatform = "local",
        at: Zoned | None = None,
    ) -> bool:
        """A message reads differently now; what was learned from it is learned again. False if it
        was never kept."""
        self.door.means.require_enabled()
        now = self.clock()
        done = await unlearn.edit(
            self.database, self.embedder, platform, message_id, text, at or now, now
        )
        if done and self._worker is not None:
            self._worker.wake()
        return done

    @verb(
        Act.FORGET,
        "DELETE /messages/{message_id:path}",
        once=True,
        only=OBSERVERS,
        answers="was_kept",
    )
    async def deleted(self, message_id: MessageId, *, platform: HeldPlatform = "local") -> bool:
        """A message was deleted; what was learned from it alone is erased. Works also when off."""
        return await unlearn.delete(
            self.database, self.embedder, platform, message_id, self.clock()
        )

    @verb(Act.ATTEST, "POST /messages/listen", once=True)
    async def listen(self, place: Where, *, is_on: bool = True) -> None:
        """Keep all that is said in a place, not only what is said to the agent. Announce it there."""
        async with self.database.keep(by="platform", doing="listen", at=self.clock()) as connection:
            await attest_place(connection, self.database, place, self.clock())
            await connection.execute(
                query("messages", "listen"), self.database.agent, place.id, is_on
            )

    @verb(Act.OPT_OUT, "POST /privacy/off-record", once=True)
    async def off_the_record(self, who: Self, place: Where) -> None:
        """From now on nothing of `who` is read or written in `place`."""
        async with self.database.keep(
            by="platform", doing="off the record", at=self.clock()
        ) as connection:
            await connection.execute(
                query("messages", "go_off_record"),
                self.database.agent, str(who), place.id, self.clock(),
            )  # fmt: skip

    @verb(Act.OPT_IN, "POST /privacy/on-record", once=True, only=OBSERVERS)
    async def on_the_record(self, who: Self, place: Where, *, actor: Actor | None = None) -> None:
        """Back to normal; what was said meanwhile stays unknown. It is like opting in: a key only
        asks for it."""
        if actor is not None and self._ask_back is not None:
            await self._ask_back(who, place.id, actor)
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

    @verb(Act.TEND, "POST /jobs/learn", once=True, long=True, answers="messages")
    async def learn(
        self,
        *,
        is_everything: Annotated[bool, Note("Also from conversations that still go on.")] = False,
    ) -> int:
        """Learn from what is due now, beside the worker that does it anyway."""
        self.door.means.require_enabled()
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

    @verb(Act.READ_NUMBERS, "GET /jobs/left", only=(CallerKind.ADMIN,), answers="messages")
    async def left(self) -> int:
        """How many messages of due sessions nothing was learned from yet."""
        async with self.database.keep() as connection:
            return await sessions.left(connection, self.database.agent)

    @verb(Act.READ_NUMBERS, "GET /sessions", only=(CallerKind.ADMIN,), answers="sessions")
    async def sessions(self, limit: Limit = 50) -> list[Sitting]:
        """The newest sessions: numbers and times."""
        async with self.database.keep() as connection:
            return await sessions.listed(connection, self.database.agent, limit)

    @verb(Act.READ_NUMBERS, "GET /jobs", only=(CallerKind.ADMIN,), answers="jobs")
    async def jobs(self, limit: Limit = 50) -> list[Job]:
        """What is due, being learned from, or given up, with the reason and without content."""
        async with self.database.keep() as connection:
            return await sessions.jobs(connection, self.database.agent, limit)

    @verb(Act.TEND, "POST /jobs/retry", once=True, answers="jobs")
    async def retry(
        self,
        job: Annotated[uuid.UUID | None, Note("Left out: every job that was given up.")] = None,
    ) -> int:
        """Try given-up jobs once more; how many there are."""
        async with self.database.keep() as connection:
            return await sessions.again(connection, self.database.agent, job)

    @contextlib.asynccontextmanager
    async def beside(self) -> AsyncGenerator[None, None]:
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
