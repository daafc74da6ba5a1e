"""What is remembered of oneself (S22): in a reply that only the asker can see."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from confide.errors import NotFound
from confide.means import Part
from confide.model import Entity, Kind, Scope, clean_text
from confide.privacy.disclosure import disclose
from confide.recall.audience import only_seen_by, tell_to
from confide.recall.search import Wanted, search
from confide.store import memories as stored
from confide.store.memory import Memory, read_memory
from confide.store.queries import query


@dataclass(frozen=True, slots=True)
class Seen:
    """A memory with the words that led to it, as far as they may be told."""

    memory: Memory
    evidence: Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Count:
    """How many of one's own memories have a level and kind, and when the last one changed."""

    scope: Scope
    kind: Kind
    memories: int
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class Stats:
    counts: tuple[Count, ...]
    mentions: int  # what others said about them and they may hear


class Mine(Part):
    """`confide.mine`: one's own memories, and what others said about oneself."""

    async def search(self, who: Entity, question: str, *, limit: int = 20) -> Sequence[Memory]:
        """One's own memories that fit a question, best first."""
        question = clean_text(question, "question")
        vector = await self.embedder.embed_query(question)
        got = await search(
            self.database,
            only_seen_by(who),
            self.clock(),
            question,
            vector,
            Wanted(top_k=4 * limit),
        )
        told = disclose([one.memory for one in got.found], got.audience, got.world).told
        return [one for one in told if who in (one.owner, one.speaker)][:limit]

    async def view(self, who: Entity, memory_id: uuid.UUID, *, space: str | None = None) -> Seen:
        """One memory that is theirs or about them."""
        async with tell_to(self.database, only_seen_by(who, space=space), self.clock()) as telling:
            found = await stored.told(telling, [memory_id])
            told = disclose(found, telling.audience, telling.world).told
            words = await stored.evidence(telling, [one.id for one in told])
        for one in told:
            if who in (one.owner, one.speaker, *one.subjects):
                return Seen(one, words.get(one.id, ()))
        raise NotFound("there is no such memory")

    async def mentions(
        self, who: Entity, *, space: str | None = None, limit: int = 50, offset: int = 0
    ) -> Sequence[Memory]:
        """What others said about oneself, where one may hear it: what is public in a space, when
        it is asked for there."""
        async with tell_to(self.database, only_seen_by(who, space=space), self.clock()) as telling:
            rows = await telling.connection.fetch(
                query("rights", "mentions"), str(who), limit, offset
            )
            found = [read_memory(row, telling.world.agent) for row in rows]
        return disclose(found, telling.audience, telling.world).told

    async def stats(self, who: Entity, *, space: str | None = None) -> Stats:
        """Counts of what one may hear; what is withheld is not counted."""
        async with tell_to(self.database, only_seen_by(who, space=space), self.clock()) as telling:
            rows = await telling.connection.fetch(query("rights", "stats"), str(who))
            mentions = await telling.connection.fetchval(query("rights", "mentioned"), str(who))
        counts = (
            Count(Scope(row["scope"]), Kind(row["kind"]), row["memories"], row["updated_at"])
            for row in rows
        )
        return Stats(tuple(counts), mentions)
