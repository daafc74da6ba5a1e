"""The same questions through the product: stored in bulk, asked with `recall`, under every rule."""

from __future__ import annotations

import asyncio
import re
import tempfile
import time
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

from benchmarks.retrieval.searchers import window_start
from benchmarks.retrieval.sets import Conversation, Question
from confide import Confide, audience, statement
from confide.model import Entity, Place, PlaceKind
from confide.privacy.policy import Audience
from confide.remember.keep import Remembered
from confide.store import embedded

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
CUTOFFS = (5, 10, 20)
Hits = list[tuple[int, str, list[float]]]


@dataclass
class Stored:
    """A conversation in a store: which memory each turn became."""

    conversation: Conversation
    turns: dict[UUID, set[int]] = field(default_factory=lambda: defaultdict(set))

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
async def opened(home: Path, agent: str) -> AsyncIterator[Store]:
    async with AsyncExitStack() as stack:
        by_cutoff = {
            k: await stack.enter_async_context(
                Confide.open(home, clock=lambda: NOW, agent=agent, top_k=k, context_tokens=100_000)
            )
            for k in CUTOFFS
        }
        yield Store(by_cutoff, Entity("si", agent))


async def measure(store: Store, stored: Stored, *, in_room: bool) -> tuple[Hits, int]:
    """Which part of its evidence each question finds, and how many forbidden memories came along."""
    hits: Hits = []
    forbidden = 0
    for question in stored.conversation.questions:
        found: list[float] = []
        for confide in store.by_cutoff.values():
            who = store.alone()
            if in_room:
                who = audience(stored.asker(question), stored.room)
            told = (await confide.recall(question.text, who)).memories
            forbidden += sum(one.memory.id not in stored.turns for one in told)
            turns = set[int]().union(*(stored.turns[one.memory.id] for one in told))
            found.append(len(question.evidence & turns) / len(question.evidence))
        hits.append((stored.conversation.number, question.category, found))
    return hits, forbidden


async def silence(store: Store, who: Audience, questions: list[str]) -> list[bool]:
    """Whether each question about nothing that is known finds nothing."""
    confide = store.by_cutoff[CUTOFFS[0]]
    return [not (await confide.recall(question, who)).memories for question in questions]
