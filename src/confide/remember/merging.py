"""Merging by a language model (S8): two memories that say nearly the same become one, beside learning.

Only within the identical label, kind and namespace. No transaction is open while the model is asked;
its answer is written down before it is applied, and applied once. The parts stay behind the merged
memory: if one of them goes, the others hold again in their own words (store/sql/merging.sql).
"""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from confide.errors import ConfideError, UnusableAnswer
from confide.means import Means, Part
from confide.model import Sensitivity, Status
from confide.providers.choosing import merging_model
from confide.providers.usage import Tokens
from confide.remember.fidelity import why_not
from confide.store import memories, merging
from confide.store.colliding import tried_again
from confide.store.memory import Memory, read_memory
from confide.store.merging import Answered, Pair
from confide.store.queries import query

if TYPE_CHECKING:
    from confide.providers.llm.merger import ModelMerger
    from confide.store.connection import Connection

log = logging.getLogger("confide.models")
#: What is older was looked at when it was new, or was there before a model was configured.
RECENT: Final = timedelta(days=7)
AT_ONCE: Final = 20
NEAREST: Final = 3
#: Lines of dialogue that a model is shown of two memories.
MOST_LINES: Final = 12
#: Whoever asked and was not heard of for so long is taken for dead.
CLAIM: Final = timedelta(minutes=10)
MERGED: Final = "merged"
TAKEN: Final = "somebody else asks"


class Merging(Part):
    """Asks about what is alike, and lets a sound answer stand for both."""

    def __init__(self, means: Means) -> None:
        super().__init__(means)
        self._means = means

    async def merge(self) -> int:
        """Look at what is new; returns how many memories were merged. May be stopped any time."""
        merger = self._merger()
        if merger is None or not self.settings.enabled:
            return 0
        agent, count = self.database.agent, 0
        async with self.database.keep() as connection:
            left = await merging.answered(connection, agent)
        for one in left:  # somebody died between asking and applying
            count += await self._apply(one) == MERGED
        looked: set[uuid.UUID] = set()
        while True:
            now = self.clock()
            async with self.database.keep() as connection:
                new = await merging.unseen(connection, agent, now, now - RECENT, AT_ONCE)
            if looked.issuperset(new):
                return count
            for id in new:
                looked.add(id)
                try:
                    count += await self._look_at(merger, id)
                except ConfideError as problem:
                    log.warning("merging waits: %s", type(problem).__name__)
                    return count  # what is new stays new

    async def _look_at(self, merger: ModelMerger, id: uuid.UUID) -> int:
        agent = self.database.agent
        async with self.database.keep() as connection:
            pairs = await merging.alike(
                connection, agent, id, self.clock(),
                above=self.settings.merge_similarity, limit=NEAREST,
            )  # fmt: skip
        for pair in pairs:
            outcome = await self._settle(merger, pair)
            if outcome == TAKEN:
                return 0  # whoever asks may die; then it is looked at again
            if outcome == MERGED:
                break
        else:
            outcome = None
        async with self.database.keep() as connection:
            await merging.see(connection, agent, id)
        return outcome == MERGED

    async def _settle(self, merger: ModelMerger, pair: Pair) -> str:
        kept = await self._pair(pair)
        if kept is None:
            return "one of them is gone"
        older, newer, lines = kept
        space = newer.origin.place.space if newer.origin.place else None
        texts = [older.text, newer.text, *(text for _, text in lines)]
        if not await self._may_leave(older, newer, texts):
            return "it may not leave"
        if not await self.spending.may_spend(newer.owner, space):
            return "the budget is used up"
        now = self.clock()
        async with self.database.keep() as connection:
            if not await merging.claim(connection, self.database.agent, pair, now, now - CLAIM):
                return TAKEN
        answer = await self._ask(merger, pair, older, newer, lines)
        return await self._apply(answer)

    async def _ask(
        self,
        merger: ModelMerger,
        pair: Pair,
        older: Memory,
        newer: Memory,
        lines: Sequence[tuple[uuid.UUID, str]],
    ) -> Answered:
        spent: list[Tokens] = []
        said = [text for _, text in lines]
        try:
            merged = await merger.merge(older.text, newer.text, said, spent.append)
        except UnusableAnswer:
            merged = None  # refused, cut off or unreadable: both stay
        except ConfideError:
            async with self.database.keep() as connection:
                await merging.let_go(connection, self.database.agent, pair)
            raise
        finally:
            await self._spend(merger.name, spent, newer)
        chosen = {n for n in merged.dialogue if 1 <= n <= len(lines)} if merged else set[int]()
        answer = {
            "summary": merged.summary.strip() if merged else "",
            "confidence": merged.confidence if merged else 0.0,
            "evidence": [
                str(id) for n, (id, _) in enumerate(lines, 1) if n in chosen or not chosen
            ],
        }
        async with self.database.keep() as connection:
            await merging.write_answer(connection, self.database.agent, pair, answer)
        return Answered(pair, answer)

    async def _apply(self, one: Answered) -> str:
        try:
            outcome = await self._refusal(one) or await self._write(one)
        except _KnownAlready:
            outcome = "another memory says so already"
        if outcome != MERGED:
            async with self.database.keep() as connection:
                await merging.decide(
                    connection, self.database.agent, one.pair, self.clock(), outcome
                )
        return outcome

    async def _refusal(self, one: Answered) -> str | None:
        kept = await self._pair(one.pair)
        if kept is None:
            return "one of them is gone"
        older, newer, _ = kept
        summary, confidence = one.answer["summary"], one.answer["confidence"]
        if not summary:
            return "the model did not answer"
        if confidence < self.settings.learn_approve_from:
            return "the model is in doubt"
        return await asyncio.to_thread(
            why_not, self.screen, summary, older.text, newer.text, newer.sensitivity
        )

    @tried_again
    async def _write(self, one: Answered) -> str:
        """The merged memory in the place of both, in one transaction."""
        (vector,) = await self.embedder.embed_documents([one.answer["summary"]])
        agent, pair, now = self.database.agent, one.pair, self.clock()
        async with self.database.keep(doing="merge", at=now) as connection:
            kept = await self._held(connection, pair)
            if kept is None:
                return "one of them has changed"
            older, newer = kept
            merged = _merged(older, newer, one.answer, self._means.new_id())
            merged = replace(merged, created_at=now, updated_at=now, reinforced_at=now)
            for part in pair[:2]:
                await connection.execute(
                    query("messages", "supersede"), agent, part, merged.id, now
                )
            stored = await memories.add(connection, agent, merged, vector)
            if not stored.is_new:
                raise _KnownAlready
            chosen = [uuid.UUID(id) for id in one.answer["evidence"]]
            await merging.add_parts(connection, agent, merged.id, pair[:2], chosen)
            await merging.decide(connection, agent, pair, now, MERGED)
        return MERGED

    async def _held(self, connection: Connection, pair: Pair) -> tuple[Memory, Memory] | None:
        """Both as they are now, and nobody changes them meanwhile; locked as learning does."""
        agent = self.database.agent
        known = await memories.kept(connection, agent, pair.newer, self.database.agent_entity)
        if known is None:
            return None
        await connection.execute(query("messages", "hold_owner"), agent, str(known.owner))
        rows = await connection.fetch(query("memories", "kept_many"), agent, list(pair[:2]))
        found = {row["id"]: read_memory(row, self.database.agent_entity) for row in rows}
        if len(found) < 2 or not await merging.is_open(connection, agent, pair):
            return None
        return found[pair.older], found[pair.newer]

    async def _pair(self, pair: Pair) -> tuple[Memory, Memory, list[tuple[uuid.UUID, str]]] | None:
        agent = self.database.agent
        async with self.database.keep() as connection:
            rows = await connection.fetch(query("memories", "kept_many"), agent, list(pair[:2]))
            lines = await merging.evidence(connection, agent, pair[:2], MOST_LINES)
        found = {row["id"]: read_memory(row, self.database.agent_entity) for row in rows}
        if len(found) < 2:
            return None
        return found[pair.older], found[pair.newer], lines

    async def _may_leave(self, older: Memory, newer: Memory, texts: Sequence[str]) -> bool:
        """What its owner called sensitive stays here too, whatever the words look like."""
        is_careful = self.leaving.rule != "all"
        levels = {older.sensitivity, newer.sensitivity}
        if is_careful and Sensitivity.SENSITIVE in levels:
            return False
        return await asyncio.to_thread(self.leaving.may, *texts)

    async def _spend(self, model: str, spent: Sequence[Tokens], memory: Memory) -> None:
        place = memory.origin.place
        total = Tokens(sum(one.read for one in spent), sum(one.written for one in spent))
        await self.spending.spend(
            "merge", model, total, person=memory.owner, place=place.id if place else None,
            space=place.space if place else None,
        )  # fmt: skip

    def _merger(self) -> ModelMerger | None:
        model = merging_model(self.settings)
        if model is None:
            return None
        from confide.providers.llm.merger import ModelMerger

        return ModelMerger(model)


class _KnownAlready(Exception):
    """Another memory says the same words; nothing is changed."""


def _merged(older: Memory, newer: Memory, answer: dict[str, object], id: uuid.UUID) -> Memory:
    """The newer one in other words; never surer than the surer of both."""
    surest = max(older.confidence, newer.confidence)
    return replace(
        newer,
        id=id,
        text=str(answer["summary"]),
        status=Status.APPROVED,
        confidence=min(float(str(answer["confidence"])), surest),
    )
