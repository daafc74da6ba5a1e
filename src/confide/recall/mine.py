"""What is remembered of oneself (S22): in a reply that only the asker can see."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from confide.errors import NotFound
from confide.means import Part
from confide.model import Entity, Kind, Namespace, Scope, clean_text, shown
from confide.privacy.disclosure import disclose
from confide.privacy.policy import Audience
from confide.recall.audience import only_seen_by, tell_to
from confide.recall.search import Wanted, search
from confide.store import memories as stored
from confide.store.encoding import read_entity
from confide.store.memory import Memory, read_memory
from confide.store.names import names_for, with_names
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

    async def listed(
        self, who: Entity, heard: Audience, *, scope: str | None, limit: int, offset: int
    ) -> Sequence[Memory]:
        """What is theirs and `heard` may hear, newest first."""
        async with tell_to(self.database, heard, self.clock()) as telling:
            found = await stored.own(telling, who, scope, limit, offset)
        told = disclose(found, telling.audience, telling.world).told
        return await with_names(self.database, telling.audience.asker, told)

    async def search(
        self, who: Entity, question: str, *, namespace: Namespace | None = None, limit: int = 20
    ) -> Sequence[Memory]:
        """One's own memories that fit a question, best first. `namespace`: with those of a
        workspace and what it lies in (P2); none: of no workspace."""
        question = clean_text(question, "question")
        vector = await self.embedder.embed_query(question)
        got = await search(
            self.database,
            only_seen_by(who, namespace),
            self.clock(),
            question,
            vector,
            Wanted(top_k=4 * limit),
        )
        told = disclose([one.memory for one in got.found], got.audience, got.world).told
        own = [one for one in told if who in (one.owner, one.speaker)][:limit]
        return await with_names(self.database, who, own)

    async def view(
        self,
        who: Entity,
        memory_id: uuid.UUID,
        *,
        space: str | None = None,
        namespace: Namespace | None = None,
    ) -> Seen:
        """One memory that is theirs or about them."""
        heard = only_seen_by(who, namespace, space)
        async with tell_to(self.database, heard, self.clock()) as telling:
            found = await stored.told(telling, [memory_id])
            told = disclose(found, telling.audience, telling.world).told
            words = await stored.evidence(telling, [one.id for one in told])
        for one in told:
            if who in (one.owner, one.speaker, *one.subjects):
                (named,) = await with_names(self.database, who, [one])
                return Seen(named, await self._said_by(who, words.get(one.id, ())))
        raise NotFound("there is no such memory")

    async def mentions(
        self, who: Entity, *, space: str | None = None, limit: int = 50, offset: int = 0
    ) -> Sequence[Memory]:
        """What others said about oneself, where one may hear it: what is public in a space, when
        it is asked for there. Workspaces are their owner's, so there is nothing of others in them."""
        async with tell_to(self.database, only_seen_by(who, space=space), self.clock()) as telling:
            rows = await telling.connection.fetch(
                query("rights", "mentions"), str(who), limit, offset
            )
            found = [read_memory(row, telling.world.agent) for row in rows]
        told = disclose(found, telling.audience, telling.world).told
        return await with_names(self.database, who, told)

    async def _said_by(
        self, who: Entity, words: Sequence[tuple[str, str]]
    ) -> Sequence[tuple[str, str]]:
        """Evidence, with people whom only the asker knows by name."""
        speakers = {by: read_entity(by) for by, _ in words if by}
        names = await names_for(self.database, who, speakers.values())
        return [
            (names.get(speakers[by], shown(speakers[by])) if by else by, text) for by, text in words
        ]

    async def stats(
        self, who: Entity, *, space: str | None = None, namespace: Namespace | None = None
    ) -> Stats:
        """Counts of what one may hear; what is withheld is not counted."""
        heard = only_seen_by(who, namespace, space)
        async with tell_to(self.database, heard, self.clock()) as telling:
            rows = await telling.connection.fetch(query("rights", "stats"), str(who))
            mentions = await telling.connection.fetchval(query("rights", "mentioned"), str(who))
        counts = (
            Count(Scope(row["scope"]), Kind(row["kind"]), row["memories"], row["updated_at"])
            for row in rows
        )
        return Stats(tuple(counts), mentions)
