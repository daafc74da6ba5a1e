"""The same questions through the product: stored in bulk, asked with `recall`, under every rule."""

from __future__ import annotations

import asyncio
import re
import tempfile
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

from benchmarks.retrieval.scores import CUTOFFS, Hits
from benchmarks.retrieval.searchers import window_start
from benchmarks.retrieval.sets import Conversation, Question
from confide import Confide, audience, statement
from confide.model import Entity, Place, PlaceKind
from confide.privacy.policy import Audience
from confide.remember.keep import Remembered
from confide.store import embedded

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
AT_ONCE = 4  # questions
Asked = dict[str, list[str]]  # questions that nothing known answers, by what they are about


@dataclass
class Stored:
    """A conversation in a store: which memory each turn became."""

    conversation: Conversation
    turns: dict[UUID, set[int]] = field(default_factory=lambda: defaultdict(set))
    is_asked_alone: bool = False  # in a direct chat, not in the room

    @property
    def room(self) -> str:
        return f"group:room{self.conversation.number}"

    def person(self, name: str) -> str:
        # In one store there may be two Johns; a number keeps them apart and is no part of a name.
        return f"human:{re.sub(r'[^a-z]', '', name.lower())}.{self.conversation.number}"

    def asker(self, question: Question) -> str:
        """Who is asked about asks; a question that names nobody is asked by the first speaker."""
        names = list(dict.fromkeys(turn.speaker for turn in self.conversation.turns))
        named = (name for name in names if name in question.text)
        return self.person(next(named, self.conversation.asker or names[0]))

    def audience(self, asker: str) -> Audience:
        return audience(asker, "dm" if self.is_asked_alone else self.room)


@dataclass
class Store:
    """One agent's memory, opened once for each cutoff."""

    by_cutoff: dict[int, Confide]
    me: Entity
    seconds: float = 0.0
    count: int = 0

    def alone(self) -> Audience:
        """The agent by itself, which may reason over all it holds."""
        place = Place(id="thought", kind=PlaceKind.THOUGHT)
        return Audience(asker=self.me, place=place, viewers=frozenset({self.me}))

    async def keep(self, conversation: Conversation) -> Stored:
        stored = Stored(conversation)
        people = {stored.person(turn.speaker) for turn in conversation.turns}
        said = []
        for i, turn in enumerate(conversation.turns):
            start = window_start(conversation.turns, i)
            said.append(
                statement(
                    turn.text, by=stored.person(turn.speaker), place=stored.room, present=people,
                    before=tuple(said[start:i]), said_at=NOW,
                )
            )  # fmt: skip
        began = time.perf_counter()
        kept = await self.by_cutoff[CUTOFFS[-1]].remember_all(said)
        self.seconds += time.perf_counter() - began
        self.count += len(said)
        for i, one in enumerate(kept):
            if isinstance(one, Remembered):
                stored.turns[one.id].add(i)
        return stored


@asynccontextmanager
async def server() -> AsyncIterator[Path]:
    with tempfile.TemporaryDirectory(prefix="confide-bench-") as folder:
        home = Path(folder)
        lease = await asyncio.to_thread(embedded.start, home, idle_seconds=60)
        try:
            yield home
        finally:
            await asyncio.to_thread(lease.release)
            await asyncio.to_thread(embedded.stop, home)


@asynccontextmanager
async def opened(home: Path, name: str, **settings: Any) -> AsyncIterator[Store]:
    """An empty memory: nobody has had this agent before."""
    agent = f"{name}{uuid4().hex[:8]}"
    async with AsyncExitStack() as stack:
        by_cutoff = {
            k: await stack.enter_async_context(
                Confide.open(home, clock=lambda: NOW, agent=agent, top_k=k, **settings)
            )
            for k in CUTOFFS
        }
        yield Store(by_cutoff, Entity("si", agent))


async def measure(
    store: Store, stored: Stored, *, asked_for: Sequence[int] = ()
) -> tuple[Hits, int]:
    """Which part of its evidence each question finds, and how many forbidden memories came along.

    The agent alone is told the best twenty, of which the first are counted. People ask for each
    cutoff in `asked_for`, since that decides how much of one author is told in company.
    """
    limit = asyncio.Semaphore(AT_ONCE)

    async def ask(question: Question) -> tuple[list[float], int]:
        async with limit:
            if not asked_for:
                return await _ask_alone(store, stored, question)
            who = stored.audience(stored.asker(question))
            found, forbidden = list[float](), 0
            for k in asked_for:
                told = await _told(store, k, question, who)
                forbidden += sum(id not in stored.turns for id in told)
                found.append(_part(stored, question, told))
            return found, forbidden

    answers = await asyncio.gather(*(ask(q) for q in stored.conversation.questions))
    hits = [
        (stored.conversation.number, question.category, found)
        for question, (found, _) in zip(stored.conversation.questions, answers, strict=True)
    ]
    return hits, sum(forbidden for _, forbidden in answers)


async def _ask_alone(store: Store, stored: Stored, question: Question) -> tuple[list[float], int]:
    told = await _told(store, CUTOFFS[-1], question, store.alone())
    return [_part(stored, question, told[:k]) for k in CUTOFFS], 0


async def _told(store: Store, k: int, question: Question, who: Audience) -> list[UUID]:
    context = await store.by_cutoff[k].recall(question.text, who)
    return [one.memory.id for one in context.everything][:k]


def _part(stored: Stored, question: Question, told: list[UUID]) -> float:
    turns = set[int]().union(*(stored.turns.get(id, set()) for id in told))
    return len(question.evidence & turns) / len(question.evidence)


async def silence(store: Store, who: Audience, questions: list[str]) -> list[bool]:
    """Whether each question about nothing that is known finds nothing."""
    confide = store.by_cutoff[CUTOFFS[0]]
    answers = await asyncio.gather(*(confide.recall(question, who) for question in questions))
    return [not answer.memories for answer in answers]


@dataclass
class Measured:
    """What the product found, and what it must not have."""

    alone: Hits = field(default_factory=list)  # a store for each conversation, the agent alone
    in_rooms: Hits = field(default_factory=list)  # the same, asked by one of the two
    together: Hits = field(default_factory=list)  # all in one store, asked in each room
    forbidden: int = 0
    silent: dict[str, list[bool]] = field(default_factory=lambda: defaultdict(list))
    a_second: float = 0.0  # memories stored in bulk


async def friends(
    home: Path, conversations: list[Conversation], unknown: Callable[[Conversation], Asked]
) -> Measured:
    """A store for each conversation, then all in one."""
    found = Measured()
    for conversation in conversations:
        async with opened(home, f"only{conversation.number}", context_tokens=100_000) as store:
            stored = await store.keep(conversation)
            found.alone += (await measure(store, stored))[0]
            found.in_rooms += (await measure(store, stored, asked_for=CUTOFFS[:2]))[0]
            for about, questions in unknown(conversation).items():
                found.silent[about] += await silence(store, store.alone(), questions)
    async with opened(home, "all", context_tokens=100_000) as store:
        everything = [await store.keep(conversation) for conversation in conversations]
        found.a_second = store.count / store.seconds
        for stored in everything:
            hits, leaked = await measure(store, stored, asked_for=CUTOFFS[:2])
            found.together += hits
            found.forbidden += leaked
    return found


async def assistant(home: Path, chats: Conversation, unknown: Asked) -> Measured:
    """Long chats with an assistant, in a context of the usual size; who had them asks alone."""
    found = Measured()
    async with opened(home, "chats") as store:
        stored = replace(await store.keep(chats), is_asked_alone=True)
        found.alone, _ = await measure(store, stored)
        found.in_rooms, found.forbidden = await measure(store, stored, asked_for=CUTOFFS)
        who = stored.audience(stored.person(chats.asker))
        for about, questions in unknown.items():
            found.silent[about] += await silence(store, who, questions)
    return found
