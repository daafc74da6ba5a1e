"""Steps 2 to 6 of learning, for one session that somebody holds.

read → extract → journal → resolve and screen → embed → apply. No transaction is open while anything
slow runs. Whatever dies in between, the next one goes on from the journal; what was found under an
older fence is never applied.
"""

from __future__ import annotations

import asyncio
import inspect
import math
import uuid
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final, Protocol, runtime_checkable

from confide.errors import InvalidInput, ModelUnavailable
from confide.model import Entity, Fact, Message, clean_text
from confide.remember.apply import Applying
from confide.remember.judge import Judged, judge
from confide.remember.requests import asked_for
from confide.store import journal, messages, sessions
from confide.store.indexing import Before
from confide.store.journal import Entry, Found
from confide.store.messages import Heard
from confide.store.queries import query

if TYPE_CHECKING:
    from confide.config import Settings
    from confide.providers.embedder import Embedder, Vector
    from confide.screen import Screen
    from confide.store.database import Database
    from confide.store.sessions import Taken

#: Messages that are learned from in one go; more are several goes.
AT_ONCE: Final = 50
#: Each step says its name before it goes on, so that a test can stop the world there.
Step = Callable[[str], None]


def no_step(_name: str) -> None:
    """Nobody is watching."""


class ExtractionFailed(Exception):
    """The extractor raised. Only what kind of error it was is kept: its words may quote a message."""


class Extractor(Protocol):
    """Finds facts in messages: the built-in one at once, a language model after a while."""

    @property
    def version(self) -> str: ...

    def extract(self, messages: Sequence[Message]) -> list[Fact] | Awaitable[list[Fact]]: ...


@runtime_checkable
class Attentive(Protocol):
    """An extractor that wants to know whose session it is, and which messages are new."""

    def attending(self, speaker: Entity, wanted: Collection[str]) -> Extractor: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Learning:
    """All that learning needs. `step` is called with the name of each step."""

    database: Database
    settings: Settings
    extractor: Extractor
    screen: Screen
    embedder: Embedder
    clock: Callable[[], datetime]
    step: Step = no_step

    async def learn_from(self, taken: Taken) -> int:
        """Learn all that is left in a session; returns from how many messages."""
        count = 0
        while True:
            self.step("taken")
            heard, around, entry = await self._read(taken)
            self.step("read")
            if entry is None and not heard:
                await self._finish(taken)
                return count
            if entry is None:
                entry = await self._extract(taken, heard, around)
            await self._apply(taken, entry, heard, around)
            count += len(heard)

    async def _read(self, taken: Taken) -> tuple[list[Heard], list[Heard], Entry | None]:
        agent, history = self.database.agent, self.settings.history_messages
        async with self.database.keep() as connection:
            entry = await journal.open_entry(connection, agent, taken.id)
            if entry is not None and entry.extractor != self.extractor.version:
                await sessions.demand(connection, agent, taken)
                await journal.discard(connection, agent, taken.id)
                entry = None
            await messages.drop_unwanted(connection, agent, taken.id, self.clock())
            span = {"first": entry.first, "last": entry.last} if entry else {}
            heard = await messages.unlearned(connection, agent, taken.id, limit=AT_ONCE, **span)
            if not heard:
                return [], [], entry
            around = await messages.around(connection, agent, heard, history + len(heard))
        return heard, around, entry

    async def _extract(
        self, taken: Taken, heard: Sequence[Heard], around: Sequence[Heard]
    ) -> Entry:
        """What the session's person said; the others' turns are read only to understand it."""
        # In an import "remember that …" was said to somebody else.
        requests = {one.message.id: [] if one.is_imported else asked_for(one) for one in heard}
        own = {one.message.id for one in heard if not requests[one.message.id]}
        turns = [one.message for one in around]
        facts = await self._facts(self._attending(taken, own), turns) if own else []
        self.step("extracted")
        found = [Found(fact) for fact in facts if fact.message_id in own and _is_writable(fact)]
        found += [one for wished in requests.values() for one in wished]
        entry = Entry(
            uuid.uuid4(), heard[0].seq, heard[-1].seq, self.extractor.version, tuple(found)
        )
        async with self.database.keep() as connection:
            await sessions.demand(connection, self.database.agent, taken)
            await journal.write(connection, self.database.agent, taken.id, entry, self.clock())
            self.step("journal written")
        self.step("journaled")
        return entry

    def _attending(self, taken: Taken, own: Collection[str]) -> Extractor:
        if isinstance(self.extractor, Attentive):
            return self.extractor.attending(taken.speaker, own)
        return self.extractor

    async def _facts(self, extractor: Extractor, turns: Sequence[Message]) -> list[Fact]:
        try:
            # In a thread, so that a long text keeps nobody else waiting.
            answer = await asyncio.to_thread(extractor.extract, turns)
            return await answer if inspect.isawaitable(answer) else answer
        except ModelUnavailable:
            raise  # nothing is wrong with the messages; they wait
        except Exception as problem:  # noqa: BLE001 - extractors are anybody's
            name = type(problem).__name__
            raise ExtractionFailed(f"the extractor raised {name}") from None

    async def _apply(
        self, taken: Taken, entry: Entry, heard: Sequence[Heard], around: Sequence[Heard]
    ) -> None:
        by_id = {one.message.id: one for one in heard}
        beside = {one.message.id: one for one in around}
        made = await asyncio.to_thread(
            judge, self.screen, self.settings, entry.found, by_id, beside
        )
        self.step("screened")
        vectors = await self.embedder.embed_documents([judged.text for judged in made])
        self.step("embedded")
        agent, now = self.database.agent, self.clock()
        async with self.database.keep(doing="learn", at=now) as connection:
            await sessions.demand(connection, agent, taken)
            self.step("fence checked")
            # One at a time per person, or two workers would both find nothing alike.
            await connection.execute(query("messages", "hold_owner"), agent, str(taken.speaker))
            applying = Applying(connection, self.database, self.settings, now)
            await self._apply_all(applying, made, vectors, around, entry.id)
            await messages.mark_learned(connection, agent, taken.id, entry.first, entry.last, now)
            self.step("messages marked")
            await journal.close(connection, agent, entry, now)
            self.step("journal closed")
            await sessions.settle(connection, agent, taken, now)
            self.step("settled")
        self.step("applied")

    async def _apply_all(
        self,
        applying: Applying,
        made: Sequence[Judged],
        vectors: Sequence[Vector],
        around: Sequence[Heard],
        journal_id: uuid.UUID,
    ) -> None:
        for judged, vector in zip(made, vectors, strict=True):
            if not await applying.may_use(judged):
                continue
            await applying.apply(judged, vector, _before(judged.heard, around), journal_id)
            self.step("memory added")

    async def _finish(self, taken: Taken) -> None:
        async with self.database.keep() as connection:
            await sessions.demand(connection, self.database.agent, taken)
            await sessions.settle(connection, self.database.agent, taken, self.clock())
            await sessions.release(connection, self.database.agent, taken)
            self.step("released")
        self.step("finished")


def _is_writable(fact: Fact) -> bool:
    """Models have been seen to answer NaN, NUL bytes and half a character."""
    try:
        clean_text(fact.text)
        clean_text(fact.snippet)
    except InvalidInput:
        return False
    return math.isfinite(fact.confidence)


def _before(heard: Heard, around: Sequence[Heard]) -> list[Before]:
    """The two messages before, by which an answer is found as well."""
    earlier = [one for one in around if one.seq < heard.seq and one.epoch == heard.epoch]
    return [Before(one.message.text, one.label_id) for one in earlier[-2:]]
