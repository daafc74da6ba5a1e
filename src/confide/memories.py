"""The front door. Each verb is its flow as a list of calls; nothing here decides."""

from __future__ import annotations

import uuid
from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, Unpack

from confide.actor import Actor, operator_as
from confide.config import read_settings
from confide.door.here import Here
from confide.errors import ConfideError, NotFound
from confide.keep.agreeing import Consents
from confide.keep.answering import NOTHING_TO_DO, Answering, Deed
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
from confide.keep.imports import Imports
from confide.keep.keys import Keys
from confide.keep.operating import Watch
from confide.keep.opting import ONLY_GLOBAL
from confide.keep.reporting import Reports
from confide.keep.requesting import Asked, Request, Wish
from confide.keep.reviewing import Reviewing
from confide.keep.rights import Rights
from confide.keep.sources import Sources
from confide.keep.stacks import Stacks
from confide.keep.trail import Trail
from confide.means import Clock, Means, system_clock
from confide.model import (
    Entity,
    Manner,
    Namespace,
    Place,
    PlaceKind,
    Scope,
    clean_text,
    memory_id_of,
    register_namespaces,
)
from confide.privacy.acting import Act
from confide.privacy.disclosure import disclose
from confide.privacy.places import direct
from confide.privacy.policy import Audience
from confide.reading import Further, Name, as_audience, as_statement
from confide.recall import explain as explaining
from confide.recall import manner as asked_for
from confide.recall import why as asking_why
from confide.recall.audience import only_seen_by, tell_to
from confide.recall.audience_tokens import AudienceTokens
from confide.recall.context import Context, Prompted, all_of
from confide.recall.mine import Mine
from confide.recall.rechecking import Heard, left_of
from confide.recall.search import Wanted, search
from confide.recall.telling import log
from confide.recall.writing import write_context
from confide.remember.contradictions import contradictions
from confide.remember.drafting import FIRST, LITTLE, MANY, draft_all, draft_batches
from confide.remember.keep import Desk, Draft, Remembered, keep_all, keep_statement
from confide.remember.listening import Listening
from confide.remember.merging import Merging
from confide.remember.permitting import Permitted, looked_at_first, permitted, program_as
from confide.remember.settling import settle
from confide.remember.statement import Statement
from confide.store import memories as stored
from confide.store.consents import About
from confide.store.database import require_audience
from confide.store.memory import Memory
from confide.store.opening import open_database
from confide.store.renewing import renew_ids
from confide.store.replicas import AskPrimary
from confide.store.sessions import DATABASE_TROUBLE
from confide.verbs.claims import Claims
from confide.verbs.console import ConsoleVerbs
from confide.verbs.people import People
from confide.verbs.places import Places
from confide.verbs.spaces import Rules
from confide.verbs.talking import Talking

LONGEST_QUESTION: Final = 4000  # characters that are searched for


class Confide(Talking, ConsoleVerbs):
    """An agent's memory that knows who is listening."""

    def __init__(self, means: Means) -> None:
        self.means = means
        self.database, self.settings = means.database, means.settings
        here = Here(means)
        self.trail = Trail(here)
        self.world = Places(here)
        self.vectors = Vectors(here)
        self.merging = Merging(means)
        self.erasure = Erasures(here)
        self.backups = Backups(means)
        self.upkeep = Upkeep(here, self.erasure)
        self.rules = Rules(here)
        self.rights = Rights(here)
        self.learning = Listening(
            here,
            self.merging.merge,
            self.vectors.drain_backlog,
            self.erasure.finish,
            self.upkeep.daily,
            self.rules.erase_departed,
            self.trail.seal,
            ask_back=self.rights.require_on_record,
            name=lambda who, name: self.people.name(who, name),
        )
        self.imports = Imports(means)
        self.sources = Sources(means, self.learning.observe)
        self.review = Reviewing(here, settle, means.settings.reviewing)
        self.fading = Fading(here)
        self.data_requests = DataRequests(here)
        self.mine = Mine(means)
        self.doctor = Doctor(here, contradictions)
        self.reports = Reports(here)
        self.watch, self.contexts = Watch(means), Contexts(here)
        self.people, self.claims = People(here), Claims(here)
        self._offer(here)
        self.access, self.insights, self.stacks = Access(here), Insights(here), Stacks(means)
        self.keys = Keys(here)
        self.consents = Consents(means, Answering(means, self._deeds()))
        self.tokens = AudienceTokens(here)
        self.spending = means.spending

    @classmethod
    @asynccontextmanager
    async def open(
        cls, home: Path | str | None = None, *, clock: Clock = system_clock, **settings: Any
    ) -> AsyncGenerator[Confide, None]:
        """Open the embedded database in `home`, or whatever the settings name."""
        given = settings | ({"home": Path(home)} if home is not None else {})
        read = read_settings(**given)
        register_namespaces(read.namespaces)
        database = await open_database(read)
        try:
            async with database.keep(by="upgrade", doing="renew ids", at=clock()) as connection:
                await renew_ids(connection, database, clock())
            confide = cls(Means.of(database, read, clock))
            async with confide.learning.beside():
                yield confide
            with suppress(*DATABASE_TROUBLE):
                await confide.trail.seal()
        finally:
            await database.close()

    async def remember(
        self,
        said: Statement | str,
        *,
        by: Name | None = None,
        place: Place | str | None = None,
        actor: Actor | None = None,
        **fields: Unpack[Further],
    ) -> Remembered:
        """Keep what somebody said, for those who may hear it: `remember("I keep bees",
        by="human:alice", place="dm")`, with what else `confide.statement` takes, or a
        `Statement`. `actor`: who says that they did.

        What a key may only ask for is asked: `requests` of the answer wait for the person.
        """
        self.means.require_enabled()
        statement = as_statement(said, by, place, **fields)
        who = actor or program_as(statement)
        allowed = permitted(statement, who)
        draft = await self._one_draft(statement)
        if allowed.statement is not statement:
            draft = await self._one_draft(allowed.statement)
        if self.settings.broadcast == "review":
            draft = looked_at_first(draft, who)
        done = await keep_statement(self._desk(actor), draft)
        return replace(done, requests=await self._ask_for(done, allowed, who))

    async def remember_all(
        self, statements: Sequence[Statement]
    ) -> list[Remembered | ConfideError]:
        """Keep many in order, as if one by one, thousands a second. Where one is refused, the
        list holds the reason instead, and the others are kept."""
        self.means.require_enabled()
        results: list[Remembered | ConfideError] = []
        async for drafted, look_ahead in draft_batches(self._drafted, statements):
            drafts = [self._reviewed(one) for one in drafted if isinstance(one, Draft)]
            desk = replace(self._desk(), meanwhile=look_ahead)
            kept = iter(await keep_all(desk, drafts))
            results += [next(kept) if isinstance(one, Draft) else one for one in drafted]
            if len(results) == FIRST:
                await self.database.refresh_statistics(known_until=MANY)
        if len(results) >= MANY:
            await self.database.refresh_statistics(known_until=LITTLE * len(results))
        return results

    async def recall(
        self,
        question: str,
        audience: Audience | None = None,
        *,
        asker: Name | None = None,
        place: Place | str | None = None,
        present: Iterable[Name] = (),
        namespace: Namespace | str | None = None,
        purpose: str | None = None,
        manner: Manner | str = Manner.HELPFUL,
        top_k: int | None = None,
        tokens: int | None = None,
    ) -> Context:
        """Answer `question` with what everyone who will see the answer may hear: `recall("…",
        asker="human:alice", place="dm")`, or an `Audience`.

        `manner`: "helpful" adds up to five memories that fit weakly, marked, for a model to judge;
        "certain" answers only with what is really known. `top_k` and `tokens`: how much at most,
        instead of the settings.
        """
        how = asked_for.wishes(self.settings, manner=manner, top_k=top_k, tokens=tokens)
        heard = as_audience(
            audience, asker, place, present=present, namespace=namespace, purpose=purpose
        )
        return await self.recall_for(question, heard, all_of, *how)

    async def recall_for(
        self, question: str, audience: Audience, prompted: Prompted, wanted: Wanted, budget: int
    ) -> Context:
        """The same for who puts only some of it into a prompt: the access log says which."""
        self.means.require_enabled()
        require_audience(audience)
        # A question as long as a chapter is no better understood, and finding its words takes long.
        question, now = clean_text(question, "question")[:LONGEST_QUESTION], self.means.clock()
        vector = await self.means.embedder.embed_query(question)
        sharp = await self.vectors.sharpened(question, audience.asker, audience.place)
        for asked in self.database.to_ask():
            with suppress(AskPrimary):
                found = await search(asked, audience, now, question, vector, wanted, sharp)
                context = write_context(question, found, budget)
                if await log(self.database, context, await prompted(context), found.read_at):
                    return context
        raise AssertionError("unreachable: what the primary itself read may be told")

    async def recheck(self, context: Context, audience: Audience) -> Context:
        """What of `context` may still be said, now that `audience` will see it (B7): memories, and
        the words behind each of them."""
        heard, known = await self._still([one.memory.id for one in context.everything], audience)
        told = (one for one in context.everything if one.memory.id in heard)
        left = (left_of(one, heard[one.memory.id]) for one in told)
        return replace(context.only(left), audience=known, now=self.means.clock())

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

    async def memories(
        self,
        owner: Entity,
        *,
        scope: str | None = None,
        namespace: Namespace | None = None,
        limit: int = 50,
        offset: int = 0,
        audience: Audience | None = None,
    ) -> Sequence[Memory]:
        """A person's own memories, newest first: in a reply only they can see, or to `audience`.
        With those of a `namespace` and what it lies in (P2); without one, of no workspace."""
        heard = audience or only_seen_by(owner, namespace)
        return await self.mine.listed(owner, heard, scope=scope, limit=limit, offset=offset)

    async def forget(self, memory_id: uuid.UUID, *, actor: Actor, now: bool = False) -> Forgotten:
        """Never tell it again; with `now` it is gone at once and everywhere."""
        id = memory_id_of(memory_id)
        done = await self.erasure.memory(id, actor=actor, now=now)
        return Forgotten(
            memory_id=id, is_erased=done.is_erased, undo_until=done.undo_until, verified=done.found
        )

    async def restore(self, memory_id: uuid.UUID, *, actor: Actor) -> None:
        """Undo a `forget` that was not `now`, or bring back what was archived."""
        id = memory_id_of(memory_id)
        try:
            await self.erasure.restore(id, actor=actor)
        except NotFound:
            await self.fading.restore(id, actor=actor)

    def _deeds(self) -> Mapping[Act, Deed]:
        """How each act is done that a key only asks for, once the person said yes."""
        return {
            Act.OPEN_CONNECTION: lambda r, by: self.keys.open_connections(r.grantor, actor=by),
            Act.OPT_IN: lambda r, by: self._back_in(r, by),
            Act.CONFIRM_MERGE: lambda r, by: self.people.confirm_merge(r.thing, actor=by),
            Act.CONFIRM_CLAIM: lambda r, by: self.claims.confirm(r.thing, actor=by),
            Act.RESTORE: lambda r, by: self.restore(r.thing, actor=by),
            Act.ERASE: lambda r, by: self.erasure.named(r.asked.target or "", actor=by),
            Act.FREE_OWN: lambda r, by: self.review.approve(r.thing, actor=by),
            Act.PROTECT: lambda r, by: self.fading.protect(r.thing, actor=by),
            Act.CORRECT: lambda r, by: self.rights.correct(r.thing, r.asked.words or "", actor=by),
            Act.OPEN_INSIGHT: lambda r, by: self.insights.agreed(r, by),
            Act.EVERYWHERE: lambda r, by: self._everywhere(r, by),
        }  # fmt: skip

    async def _back_in(self, request: Request, actor: Actor) -> None:
        who, target = request.grantor, request.asked.target
        if target is None:
            await self.rights.opt_in(who, actor=actor)
        elif target == ONLY_GLOBAL:
            await self.rights.opt_out(who, actor=actor, is_global_only=True)
        else:
            where = Place(id=target, kind=PlaceKind.UNKNOWN)
            await self.learning.on_the_record(who, where)

    async def _everywhere(self, request: Request, actor: Actor) -> None:
        """What they said through a connection, said again by themselves."""
        async with self.database.keep() as connection:
            agent, me = self.database.agent, self.database.agent_entity
            memory = await stored.kept(connection, agent, request.thing, me)
        if memory is None or memory.owner != actor.entity:
            raise NotFound(NOTHING_TO_DO)
        said = Statement(
            text=memory.text,
            by=memory.owner,
            place=direct(memory.owner),
            kind=memory.kind,
            scope=Scope.GLOBAL,
            confidence=memory.confidence,
        )
        await self.remember(said, actor=actor)

    async def _still(self, ids: Sequence[uuid.UUID], audience: Audience) -> tuple[Heard, Audience]:
        require_audience(audience)
        async with tell_to(self.database, audience, self.means.clock()) as telling:
            found = await stored.told(telling, ids)
            told = disclose(found, telling.audience, telling.world).told
            words = await stored.evidence(telling, [one.id for one in told])
        return {one.id: words.get(one.id, ()) for one in told}, telling.audience

    async def _ask_for(
        self, done: Remembered, allowed: Permitted, actor: Actor
    ) -> tuple[uuid.UUID, ...]:
        """What its caller may not do by themselves, asked of whoever has a say."""
        left: list[Request] = []
        for grantee in sorted(allowed.grants):
            left += await self.consents.ask_everyone(done.id, Wish(grantee=grantee), actor=actor)
        if allowed.is_everywhere:
            asked = Asked(grantor=done.memory.owner, about=About(memory_id=done.id))
            left.append(await self.consents.leave(Act.EVERYWHERE, asked, actor=actor))
        return tuple(one.id for one in left)

    def _reviewed(self, draft: Draft) -> Draft:
        is_allowed = self.settings.broadcast == "allow"
        return draft if is_allowed else looked_at_first(draft, program_as(draft.statement))

    async def _one_draft(self, statement: Statement) -> Draft:
        (draft,) = await self._drafted([statement])
        if isinstance(draft, ConfideError):
            raise draft
        return draft

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
