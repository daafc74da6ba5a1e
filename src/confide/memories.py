"""The front door. Each verb is its flow as a list of calls; nothing here decides."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from confide.actor import Actor, operator_as
from confide.config import Settings, read_settings
from confide.errors import ConfideError, NotFound
from confide.keep.agreeing import Consents
from confide.keep.auditing import Access
from confide.keep.backups import Backups
from confide.keep.contexts import Contexts
from confide.keep.data_requests import DataRequests
from confide.keep.doctor import Doctor
from confide.keep.embedding import Vectors
from confide.keep.erasing import Erasures
from confide.keep.fading import Fading
from confide.keep.forgetting import Forgotten
from confide.keep.gc import Upkeep
from confide.keep.generalizing import Insights
from confide.keep.keys import Keys
from confide.keep.operating import Watch
from confide.keep.people import People
from confide.keep.reporting import Reports
from confide.keep.reviewing import Reviewing
from confide.keep.rights import Rights
from confide.keep.sources import Sources
from confide.keep.stacks import Stacks
from confide.keep.trail import Trail
from confide.keep.world import Surroundings
from confide.means import Clock, Means, system_clock
from confide.model import Entity, Message, clean_text, memory_id_of, register_namespaces
from confide.privacy.disclosure import disclose
from confide.privacy.policy import Audience
from confide.providers.wordllama import WordLlamaEmbedder, embed
from confide.recall import explain as explaining
from confide.recall import why as asking_why
from confide.recall.audience import only_seen_by, tell_to
from confide.recall.audience_tokens import AudienceTokens
from confide.recall.context import Context, Prompted, all_of
from confide.recall.mine import Mine
from confide.recall.rechecking import Heard, left_of
from confide.recall.search import Wanted, search
from confide.recall.writing import write_context
from confide.remember.contradictions import contradictions
from confide.remember.drafting import FIRST, LITTLE, MANY, draft_all, draft_batches
from confide.remember.keep import Desk, Draft, Remembered, keep_all, keep_statement
from confide.remember.listening import Listening
from confide.remember.merging import Merging
from confide.remember.observe import Observed
from confide.remember.settling import settle
from confide.remember.statement import Statement
from confide.screen import Screen
from confide.screen.leaving import Leaving
from confide.spending import Spending
from confide.store import memories as stored
from confide.store.database import Database, require_audience
from confide.store.memory import Memory
from confide.store.opening import open_database
from confide.store.replicas import AskPrimary
from confide.store.sessions import DATABASE_TROUBLE


class Confide:
    """An agent's memory that knows who is listening."""

    def __init__(self, means: Means) -> None:
        self.means = means
        self.database, self.settings = means.database, means.settings
        self.trail = Trail(means)
        self.world = Surroundings(means)
        self.vectors = Vectors(means)
        self.merging = Merging(means)
        self.erasure = Erasures(means)
        self.backups = Backups(means)
        self.upkeep = Upkeep(means, self.erasure)
        self.learning = Listening(
            means,
            self.merging.merge,
            self.vectors.drain_backlog,
            self.erasure.finish,
            self.upkeep.daily,
            self.trail.seal,
        )
        self.sources = Sources(means, self.learning.observe)
        self.consents = Consents(means)
        self.rights = Rights(means)
        self.review = Reviewing(means, settle)
        self.fading = Fading(means)
        self.data_requests = DataRequests(means)
        self.mine = Mine(means)
        self.doctor = Doctor(means, contradictions)
        self.reports = Reports(means)
        self.watch = Watch(means)
        self.contexts = Contexts(means)
        self.people = People(means)
        self.access = Access(means)
        self.insights = Insights(means)
        self.stacks = Stacks(means)
        self.keys = Keys(means)
        self.tokens = AudienceTokens(means)
        self.spending = means.spending
        self._wanted = Wanted(top_k=self.settings.top_k, similarity=self.settings.similarity)

    @classmethod
    @asynccontextmanager
    async def open(
        cls, home: Path | str | None = None, *, clock: Clock = system_clock, **settings: Any
    ) -> AsyncIterator[Confide]:
        """Open the embedded database in `home`, or whatever the settings name."""
        given = settings | ({"home": Path(home)} if home is not None else {})
        read = read_settings(**given)
        register_namespaces(read.namespaces)
        database = await open_database(read)
        try:
            confide = cls(_means(database, read, clock))
            async with confide.learning.beside():
                yield confide
            with suppress(*DATABASE_TROUBLE):
                await confide.trail.seal()
        finally:
            await database.close()

    async def remember(self, statement: Statement, *, actor: Actor | None = None) -> Remembered:
        """Keep what somebody said, for those who may hear it. `actor`: who says that they did."""
        self.means.require_enabled()
        (draft,) = await self._drafted([statement])
        if isinstance(draft, ConfideError):
            raise draft
        return await keep_statement(self._desk(actor), draft)

    async def remember_all(
        self, statements: Sequence[Statement]
    ) -> list[Remembered | ConfideError]:
        """Keep many in order, as if one by one, thousands a second. Where one is refused, the
        list holds the reason instead, and the others are kept."""
        self.means.require_enabled()
        results: list[Remembered | ConfideError] = []
        async for drafted, look_ahead in draft_batches(self._drafted, statements):
            drafts = [one for one in drafted if isinstance(one, Draft)]
            desk = replace(self._desk(), meanwhile=look_ahead)
            kept = iter(await keep_all(desk, drafts))
            results += [next(kept) if isinstance(one, Draft) else one for one in drafted]
            if len(results) == FIRST:
                await self.database.refresh_statistics(known_until=MANY)
        if len(results) >= MANY:
            await self.database.refresh_statistics(known_until=LITTLE * len(results))
        return results

    async def observe(self, message: Message) -> Observed:
        """Keep what was said, with the label of its place at this moment; learning comes later."""
        return await self.learning.observe(message)

    async def recall(self, question: str, audience: Audience) -> Context:
        """Answer `question` with what everyone in `audience` may hear."""
        return await self.recall_for(question, audience, all_of)

    async def recall_for(self, question: str, audience: Audience, prompted: Prompted) -> Context:
        """The same for who puts only some of it into a prompt: the access log says which."""
        self.means.require_enabled()
        require_audience(audience)
        question, now = clean_text(question, "question"), self.means.clock()
        vector = await self.means.embedder.embed_query(question)
        sharp = await self.vectors.sharpened(question, audience.asker, audience.place)
        for asked in self.database.to_ask():
            with suppress(AskPrimary):
                found = await search(asked, audience, now, question, vector, self._wanted, sharp)
                context = write_context(question, found, self.settings.context_tokens)
                if await self._log(context, prompted, found.read_at):
                    return context
        raise AssertionError("unreachable: what the primary itself read may be told")

    async def recheck(self, context: Context, audience: Audience) -> Context:
        """What of `context` may still be said, now that `audience` will see it (B7): memories, and
        the words behind each of them."""
        heard, known = await self._still([one.memory.id for one in context.memories], audience)
        return replace(
            context,
            audience=known,
            now=self.means.clock(),
            memories=tuple(
                left_of(one, heard[one.memory.id])
                for one in context.memories
                if one.memory.id in heard
            ),
        )

    async def still_told(self, memory_ids: Sequence[uuid.UUID], audience: Audience) -> Heard:
        """Which of these `audience` may be told now, each with the words behind it that it may hear;
        for callers that know them by id."""
        heard, _ = await self._still(memory_ids, audience)
        return heard

    async def explain(
        self, memory_id: uuid.UUID, audience: Audience, *, actor: Actor | None = None
    ) -> explaining.Explanation:
        """Whether `audience` is told a memory, and why, without its content."""
        require_audience(audience)
        id, by = memory_id_of(memory_id), actor or operator_as()
        return await explaining.explain(self.database, id, audience, by, self.means.clock())

    async def why(self, audience: Audience) -> asking_why.Basis:
        """What the last answer to this asker in this place was based on."""
        require_audience(audience)
        return await asking_why.why(self.database, audience, self.means.clock())

    async def tellings(
        self, memory_id: uuid.UUID, *, actor: Actor, limit: int = 20
    ) -> list[asking_why.Telling]:
        """When and where a memory was told, for its owner; nobody who asked is named."""
        return await asking_why.tellings(self.database, memory_id_of(memory_id), actor, limit)

    async def memories(
        self,
        owner: Entity,
        *,
        scope: str | None = None,
        limit: int = 50,
        offset: int = 0,
        audience: Audience | None = None,
    ) -> Sequence[Memory]:
        """A person's own memories, newest first: in a reply only they can see, or to `audience`."""
        now = self.means.clock()
        async with tell_to(self.database, audience or only_seen_by(owner), now) as telling:
            found = await stored.own(telling, owner, scope, limit, offset)
        return disclose(found, telling.audience, telling.world).told

    async def forget(self, memory_id: uuid.UUID, *, actor: Actor, now: bool = False) -> Forgotten:
        """Never tell it again; with `now` it is gone at once and everywhere."""
        id = memory_id_of(memory_id)
        done = await self.erasure.memory(id, actor=actor, now=now)
        return Forgotten(
            memory_id=id,
            is_erased=done.is_erased,
            undo_until=done.undo_until,
            verified=done.found,
        )

    async def restore(self, memory_id: uuid.UUID, *, actor: Actor) -> None:
        """Undo a `forget` that was not `now`, or bring back what was archived."""
        id = memory_id_of(memory_id)
        try:
            await self.erasure.restore(id, actor=actor)
        except NotFound:
            await self.fading.restore(id, actor=actor)

    async def _still(self, ids: Sequence[uuid.UUID], audience: Audience) -> tuple[Heard, Audience]:
        require_audience(audience)
        async with tell_to(self.database, audience, self.means.clock()) as telling:
            found = await stored.told(telling, ids)
            told = disclose(found, telling.audience, telling.world).told
            words = await stored.evidence(telling, [one.id for one in told])
        return {one.id: words.get(one.id, ()) for one in told}, telling.audience

    async def _log(self, context: Context, prompted: Prompted, read_at: str | None) -> bool:
        """On the primary, which says whether what a standby read may still be told."""
        ids = [told.memory.id for told in context.memories]
        read = await prompted(context)
        return await stored.log_tellings(
            self.database, ids, context.audience, context.now, prompted=read, read_at=read_at
        )

    async def _drafted(self, statements: Sequence[Statement]) -> list[Draft | ConfideError]:
        return await draft_all(
            self.means.screen, self.means.embedder, statements, self.settings.approve_from
        )

    def _desk(self, actor: Actor | None = None) -> Desk:
        return Desk(
            database=self.database,
            settings=self.settings,
            now=self.means.clock(),
            new_id=self.means.new_id,
            actor=actor,
        )


def _means(database: Database, settings: Settings, clock: Clock) -> Means:
    screen = Screen(embed)
    return Means(
        database=database,
        settings=settings,
        clock=clock,
        embedder=WordLlamaEmbedder(),
        screen=screen,
        leaving=Leaving(screen, settings.external_models),
        spending=Spending(database, settings, clock),
    )
