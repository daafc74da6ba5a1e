"""`ConfideClient`: what `Confide` does here, a server does elsewhere. Thin: it decides nothing."""

from __future__ import annotations

import uuid
from collections.abc import AsyncGenerator, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, Unpack

from confide.actor import Actor
from confide.client import parsing, writing
from confide.client.access import RemoteAccess
from confide.client.consents import RemoteConsents
from confide.client.door import Door, Self, acting
from confide.client.elsewhere import Elsewhere
from confide.client.group import Elsewhere as NotOffered
from confide.client.group import not_offered
from confide.client.imports import RemoteImports
from confide.client.learning import RemoteLearning
from confide.client.mine import RemoteMine
from confide.errors import ConfideError
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
from confide.keep.reporting import Reports
from confide.keep.reviewing import Reviewing
from confide.keep.rights import Rights
from confide.keep.trail import Trail
from confide.means import Clock, system_clock
from confide.model import Entity, Manner, Namespace, Place, Status
from confide.privacy.policy import Audience, Decision
from confide.reading import Further, Name, as_audience, as_statement, read_entity
from confide.recall.audience_tokens import AudienceTokens
from confide.recall.context import Context, Said, Told
from confide.recall.explain import Explanation
from confide.recall.manner import manner_of
from confide.recall.rechecking import left_of
from confide.recall.why import Basis
from confide.remember.keep import Remembered
from confide.remember.statement import Statement
from confide.store.memory import Memory
from confide.verbs.browser import Browser
from confide.verbs.claims import Claims
from confide.verbs.console import ConsoleVerbs
from confide.verbs.people import People
from confide.verbs.places import Places
from confide.verbs.reach import Reaches
from confide.verbs.spaces import Rules
from confide.verbs.talking import Talking

if TYPE_CHECKING:
    import httpx

PAGE: Final = 100


class ConfideClient(Talking, ConsoleVerbs):
    """An agent's memory on a server, as the key's owner may use it."""

    def __init__(self, door: Door, *, agent: str = "default", clock: Clock = system_clock) -> None:
        self._door, self._agent, self._clock = door, Entity("si", agent), clock
        elsewhere = Elsewhere(door)
        self.world = Places(elsewhere)
        self.rules = Rules(elsewhere)
        self.consents = RemoteConsents(door, clock)
        self.rights = Rights(elsewhere)
        self.data_requests = DataRequests(elsewhere)
        self.mine = RemoteMine(door, self._agent)
        self.fading = Fading(elsewhere)
        self.contexts = Contexts(elsewhere)
        self.imports = RemoteImports(door)
        self.people, self.claims = People(elsewhere), Claims(elsewhere)
        self.browser, self.reaches = Browser(elsewhere), Reaches(elsewhere)
        self._offer(elsewhere)
        self.access = RemoteAccess(door)
        self.trail = Trail(elsewhere)
        self.insights = Insights(elsewhere)
        self.learning = RemoteLearning(door)
        self.keys = Keys(elsewhere)
        self.tokens = AudienceTokens(elsewhere)
        self.review = Reviewing(elsewhere)
        self.erasure = Erasures(elsewhere)
        self.doctor = Doctor(elsewhere)
        self.upkeep = Upkeep(elsewhere)
        self.vectors = Vectors(elsewhere)
        self.reports = Reports(elsewhere)

    @classmethod
    @asynccontextmanager
    async def open(
        cls,
        url: str,
        key: str,
        *,
        agent: str = "default",
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> AsyncGenerator[ConfideClient, None]:
        """`async with ConfideClient.open("https://memory.example", key) as confide:`"""
        door = Door(url, key, transport=transport)
        try:
            yield cls(door, agent=agent)
        finally:
            await door.close()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if name in ("database", "means", "settings"):
            not_offered(f"what needs the {name}")
        return NotOffered(self._door, name)

    async def whoami(self) -> Self:
        """Whom the key speaks for."""
        return await self._door.who()

    async def remember(
        self,
        said: Statement | str,
        *,
        by: Name | None = None,
        place: Place | str | None = None,
        actor: Actor | None = None,
        **fields: Unpack[Further],
    ) -> Remembered:
        """Keep what somebody said, for those who may hear it. Who says that they did is the key."""
        statement = as_statement(said, by, place, **fields)
        sent = await writing.statement(self._door, statement)
        told = await self._door.call("POST", "/v1/memories", body=sent)
        kept = {
            **told,
            "text": statement.text,
            "owner": str(statement.by),
            "speaker": str(statement.source or statement.by),
            "type": "episodic",
            "confidence": statement.confidence,
            "said_at": (statement.said_at or self._clock()).isoformat(),
        }
        return Remembered(
            id=uuid.UUID(told["id"]),
            status=Status(told["status"]),
            waits_because=told["waits_because"],
            is_new=told["is_new"],
            requests=tuple(uuid.UUID(one) for one in told["requests"]),
            memory=parsing.memory(kept, self._agent),
        )

    async def remember_all(
        self, statements: Sequence[Statement]
    ) -> list[Remembered | ConfideError]:
        """Keep many in order. Where one is refused, the list holds the reason instead."""
        results: list[Remembered | ConfideError] = []
        for one in statements:
            try:
                results.append(await self.remember(one))
            except ConfideError as refused:
                results.append(refused)
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
        """Answer `question` with what everyone in `audience` may hear, as `Confide.recall` does."""
        heard = as_audience(
            audience, asker, place, present=present, namespace=namespace, purpose=purpose
        )
        asked = await writing.asking(self._door, heard) | {
            "question": question,
            "manner": manner_of(manner).value,
            "top_k": top_k,
            "tokens": tokens,
        }
        told = await self._door.call("POST", "/v1/recall", body=asked)
        context = Context(question=question, audience=heard, now=parsing.when(told["now"]))
        every = (*told["memories"], *told["perhaps"], *told["standing"])
        return context.only(self._told(one) for one in every)

    async def recheck(self, context: Context, audience: Audience) -> Context:
        """What of `context` may still be said, now that `audience` will see it."""
        ids = [str(one.memory.id) for one in context.everything]
        asked = await writing.asking(self._door, audience) | {"memories": ids}
        heard = (await self._door.call("POST", "/v1/recheck", body=asked))["evidence"]
        kept = (
            left_of(one, [(said["speaker"], said["text"]) for said in heard[str(one.memory.id)]])
            for one in context.everything
            if str(one.memory.id) in heard
        )
        return replace(context.only(kept), audience=audience)

    async def explain(
        self, memory_id: uuid.UUID, audience: Audience, *, actor: Actor | None = None
    ) -> Explanation:
        """Whether `audience` is told a memory, and why, without its content."""
        told = await self._door.call(
            "POST",
            "/v1/memories/{memory_id}/explain",
            names={"memory_id": memory_id},
            query=acting(actor),
            body=await writing.asking(self._door, audience),
        )
        clause = parsing.clause(told["clause"])
        return Explanation(
            memory_id=memory_id,
            audience=audience,
            decision=Decision(told["told"], told["because"], clause),
            told_by_database=told["told"],  # the server compares the two before it answers
        )

    async def why(self, audience: Audience) -> Basis:
        """What the last answer to this asker in this place was based on."""
        asked = await writing.asking(self._door, audience)
        told = await self._door.call("POST", "/v1/why", body=asked)
        found = tuple(parsing.memory(one, self._agent) for one in told["memories"])
        return Basis(
            told_at=parsing.maybe_when(told["told_at"]),
            memories=found,
            names={read_entity(one["owner"]): one["owner_name"] for one in told["memories"]},
        )

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
        """A person's own memories, newest first, as far as the key is told them."""
        if audience is not None:
            not_offered("listing for an audience")
        found: list[Memory] = []
        cursor: str | None = None
        while len(found) < offset + limit:
            page = await self._door.call(
                "GET",
                "/v1/memories",
                query={
                    "as": str(owner),
                    "scope": scope,
                    "namespace": writing.written_namespace(namespace),
                    "limit": min(PAGE, offset + limit - len(found)),
                    "cursor": cursor,
                },
            )
            found += [parsing.memory(one, self._agent) for one in page["memories"]]
            cursor = page["next"]
            if cursor is None:
                break
        return found[offset:]

    async def forget(self, memory_id: uuid.UUID, *, actor: Actor, now: bool = False) -> Forgotten:
        """Never tell it again; with `now` it is gone at once and everywhere."""
        told = await self._door.call(
            "DELETE",
            "/v1/memories/{memory_id}",
            names={"memory_id": memory_id},
            query=acting(actor) | {"now": "true" if now else None},
        )
        return Forgotten(
            memory_id=memory_id,
            is_erased=told["is_erased"],
            undo_until=parsing.maybe_when(told["undo_until"]),
            verified={},
        )

    async def restore(self, memory_id: uuid.UUID, *, actor: Actor) -> None:
        """Undo a `forget` that was not `now`."""
        await self._door.call(
            "POST",
            "/v1/memories/{memory_id}/restore",
            names={"memory_id": memory_id},
            query=acting(actor),
        )

    def _told(self, one: dict[str, Any]) -> Told:
        return Told(
            memory=parsing.memory(one, self._agent),
            relevance=one["relevance"],
            similarity=one["similarity"],
            owner_name=one["owner_name"],
            evidence=tuple(Said(speaker=e["speaker"], text=e["text"]) for e in one["evidence"]),
            shortened_to=one["shortened_to"],
            is_weak=one["is_weak"],
            is_standing=one["is_standing"],
        )
