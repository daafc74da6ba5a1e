"""The leak test with what people say learned through `observe` instead of `remember`."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence
from pathlib import Path

import pytest

from confide import Confide
from confide.leaktest import run as leaktest
from confide.leaktest.canaries import AGENT, Canary
from confide.leaktest.rooms import BY_KEY
from confide.leaktest.surfaces import Library
from confide.model import Entity, Fact, Message
from confide.store import memories
from confide.store.queries import query

_ids = itertools.count()


class Scripted:
    """Answers what the canary says of itself, as a good extractor would."""

    version = "scripted-1"

    def __init__(self, canary: Canary) -> None:
        self.canary = canary

    def extract(self, messages: Sequence[Message]) -> list[Fact]:
        said = next(one for one in reversed(messages) if one.text == self.canary.sentence)
        return [
            Fact(
                text=said.text,
                snippet=said.text,
                message_id=said.id,
                speaker=said.speaker,
                kind=self.canary.kind,
                confidence=0.6 if self.canary.is_doubtful else 1.0,
                subjects=tuple(f"@{Entity.parse(one).id}" for one in self.canary.about),
                sensitivity=self.canary.sensitivity,
                is_portable=self.canary.is_portable,
            )
        ]


class Overheard(Library):
    """What is said plainly in a room is observed there; grants and namespaces are still stated."""

    observed = 0

    async def remember(self, canary: Canary) -> str:
        special = (canary.source, canary.access, canary.namespace, canary.hours, canary.scope)
        if canary.by == AGENT or any(special) or not await self._knows(canary):
            return await super().remember(canary)
        who = self.speech.who(canary.by)
        message = Message(
            id=f"canary-{next(_ids)}",
            place=self.speech.said_in(canary),
            speaker=who,
            text=canary.sentence,
            said_at=(canary.said_at if canary.days_late else None) or self.clock(),
            is_confidential=canary.is_confidential,
        )
        assert (await self.confide.observe(message)).is_new
        await self.confide.learning.make_due()
        assert await self.confide.learning.worker(extractor=Scripted(canary)).drain() == 1
        Overheard.observed += 1
        return await self._adopt(canary)

    async def _knows(self, canary: Canary) -> bool:
        """Whether everyone it is about is in the room; a stranger's name means somebody else."""
        agent, place = (
            self.confide.database.agent,
            self.speech.place(BY_KEY[canary.room], canary.by),
        )
        async with self.confide.database.keep() as connection:
            row = await connection.fetchrow(query("places", "current"), agent, place.id)
            if row is None:
                return not canary.about - {canary.by}
            rows = await connection.fetch(query("places", "members"), agent, row["id"])
        return canary.about <= {one["entity"] for one in rows} | {canary.by}

    async def _adopt(self, canary: Canary) -> str:
        agent, me = self.confide.database.agent, self.confide.database.agent_entity
        async with self.confide.database.keep() as connection:
            id = await connection.fetchval(
                "SELECT id FROM confide.memory WHERE text = $1", canary.sentence
            )
            memory = await memories.kept(connection, agent, id, me)
        assert memory is not None
        assert memory.sensitivity == canary.sensitivity
        self.kept[canary.code] = memory
        return str(id)


@pytest.mark.slow
@pytest.mark.req("B4", "S11", "S13")
async def test_what_is_learned_by_listening_leaks_nowhere_and_is_told_where_it_may(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leaktest, "Library", Overheard)
    report = await leaktest.run(functools.partial(Confide.open, home), "quick", seed=20_260_302)
    assert Overheard.observed > 50
    wrong = [str(one) for one in report.fields()["failures"]][:3]
    assert (report.fields()["leaks"], report.fields()["wrongly_withheld"]) == (0, 0), wrong
