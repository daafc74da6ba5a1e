"""Run the leak test: plant, let the town live, ask after every act, compare with the oracle."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import UTC, datetime
from random import Random
from typing import Any, Final

from confide.actor import operator_as
from confide.leaktest.canaries import AGENT, NAMESPACES, Canary, Nursery
from confide.leaktest.cast import PEOPLE, SISTER, STRANGER
from confide.leaktest.oracle import Oracle
from confide.leaktest.report import Report
from confide.leaktest.rooms import DIRECT, OF_ONE, ROOMS, THOUGHT, Room
from confide.leaktest.stage import Stage, is_lived_in
from confide.leaktest.story import story
from confide.leaktest.surfaces import (
    TOP_K,
    Exported,
    Library,
    Mentions,
    OwnList,
    Planter,
    Recheck,
    Surface,
)
from confide.leaktest.town import Question, Town
from confide.memories import Confide

#: Settings under which only the rule can withhold: no threshold, no budget, no small answer.
SETTINGS: Final[dict[str, Any]] = {
    "top_k": TOP_K,
    "similarity": -1.0,
    "context_tokens": 1_000_000,
    "enabled": True,
    "broadcast": "allow",  # what is for everyone has to be told, to see where it is
    "pool_size": 4,
}
AT_ONCE: Final = 3  # questions of different audiences in flight


@dataclass(frozen=True, slots=True)
class Size:
    """How much is asked."""

    towns: int
    askers: int  # who ask in each room
    density: float  # which part of what could be said is
    thoughts: float  # how often the agent alone is asked, out of one
    paths: int  # by which each question is asked, drawn anew each time; 9: by all


SIZES: Final = {
    "quick": Size(towns=1, askers=1, density=0.4, thoughts=0.2, paths=1),
    "full": Size(towns=4, askers=2, density=0.5, thoughts=0.5, paths=9),
}
ACTS: Final = 19
THOUGHT_OF: Final = 2  # canaries that the agent alone, who is told them all, is asked for
NOT_BY_THIS_PATH: Final = "this path tells only what is one's own"
Surfaces = Callable[[Library], Sequence[Surface]]
Opener = Callable[..., AbstractAsyncContextManager[Confide]]
Step = Callable[[str], None]


def own_surfaces(library: Library) -> list[Surface]:
    """Every path of the library by which a memory reaches somebody."""
    return [
        library,
        Recheck(library),
        OwnList(library),
        Mentions(library),
        Exported(library),
    ]


class Clock:
    """The town's time. It starts now, so that other processes agree until it is moved."""

    def __init__(self) -> None:
        self.town = Town(datetime.now(UTC))

    def __call__(self) -> datetime:
        return self.town.now


class Trial:
    """One town, planted and asked."""

    def __init__(self, report: Report, size: Size, random: Random, step: Step) -> None:
        self.report, self.size, self.random, self.step = report, size, random, step
        self.clock = Clock()
        self.town = self.clock.town
        self._gate = asyncio.Semaphore(AT_ONCE)

    async def run(self, library: Library, surfaces: Sequence[Surface]) -> None:
        planters = [one for one in surfaces if isinstance(one, Planter)]
        stage = Stage(self.town, library, self.random, planters)
        async for act in story(stage, Nursery(self.random), self.size.density):
            asked = list(self._questions())
            await asyncio.gather(*(self._ask_all(surfaces, one, act) for one in asked))
            for surface in surfaces:
                if surface.sample is not None and not stage.has_waited:
                    await self._ask_some(surface, asked, act)
            self.step(act)
        self.report.canaries += len(self.town.canaries)

    def _questions(self) -> Iterator[Question]:
        for room in ROOMS:
            yield from (Question(asker, room) for asker in self._askers(room))
        for who in (*PEOPLE, SISTER, STRANGER):
            yield from (Question(who, room) for room in OF_ONE)
        for namespace in NAMESPACES:
            yield Question(PEOPLE[0], DIRECT, namespace)
        yield Question(PEOPLE[1], DIRECT, NAMESPACES[0])
        yield Question(PEOPLE[0], _room("laptop"), NAMESPACES[0])
        lounge = _room("lounge")
        if self.town.kind_of(lounge) is not lounge.kind:
            yield from (Question(who, lounge, is_stale=True) for who in self._askers(lounge))
        if self.random.random() < self.size.thoughts:
            yield Question(AGENT, THOUGHT)

    def _askers(self, room: Room) -> list[str]:
        """Asking in a room makes one known to be in it, so only those who are ask there."""
        if not is_lived_in(room):
            return [room.of or self.random.choice(PEOPLE)]
        inside = sorted(self.town.inside(room))
        return self.random.sample(inside, min(self.size.askers, len(inside)))

    async def _ask_all(self, surfaces: Sequence[Surface], question: Question, act: str) -> None:
        able = [s for s in surfaces if s.sample is None and s.can_ask(question)]
        right = self._right(question)
        for surface in self.random.sample(able, min(self.size.paths, len(able))):
            await self._ask(surface, question, act, right)

    async def _ask_some(self, surface: Surface, asked: Sequence[Question], act: str) -> None:
        able = [question for question in asked if surface.can_ask(question)]
        for question in self.random.sample(able, surface.sample or 0):
            await self._ask(surface, question, act, self._right(question))

    def _right(self, question: Question) -> dict[str, str | None]:
        """Why each canary must not be told; None where it must be."""
        oracle = Oracle(question, self.town)
        return {canary.code: oracle.why_withheld(canary) for canary in self.town.canaries}

    async def _ask(
        self, surface: Surface, question: Question, act: str, right: dict[str, str | None]
    ) -> None:
        """Compare one answer with what is right, canary by canary."""
        for canary in self.town.canaries:
            if not surface.could_tell(canary, question):
                right = right | {canary.code: NOT_BY_THIS_PATH}
        wanted = self._wanted(question)
        told = await self._recall(surface, self.random.choice(wanted).question, question)
        # An answer that was cut off shows nothing about what is not in it: ask for each.
        is_whole = surface.limit is None or len(told) < surface.limit
        for canary in wanted:
            if canary.code not in told and (right[canary.code] is None or not is_whole):
                told |= await self._recall(surface, canary.question, question)
        asked_for = {canary.code for canary in wanted}
        for canary in self.town.canaries:
            if canary.code in asked_for or canary.code in told:
                is_told, why = canary.code in told, right[canary.code]
                self.report.decided(surface.name, act, canary, question, is_told, why)

    def _wanted(self, question: Question) -> list[Canary]:
        """The canaries asked for: all, but for the agent alone, who is told them all, a few."""
        if question.asker == AGENT:
            return self.random.sample(self.town.canaries, THOUGHT_OF)
        return self.town.canaries

    async def _recall(self, surface: Surface, words: str, question: Question) -> frozenset[str]:
        async with self._gate:
            self.report.count_question(surface.name)
            return await surface.recall(words, question)


def _room(key: str) -> Room:
    return next(room for room in ROOMS if room.key == key)


async def run(
    open_confide: Opener,
    size: str,
    *,
    seed: int,
    surfaces: Surfaces = own_surfaces,
    step: Step = lambda act: None,
) -> Report:
    """`open_confide(clock=…, agent=…, **settings)` opens the memory that is tested."""
    report, started = Report(size=size, seed=seed), time.monotonic()
    for n in range(SIZES[size].towns):
        trial = Trial(report, SIZES[size], Random(seed + n), step)
        agent = f"leaktest-{secrets.token_hex(8)}"  # an empty memory, also when run again
        async with open_confide(clock=trial.clock, agent=agent, **SETTINGS) as confide:
            library = Library(confide, trial.clock)
            try:
                await trial.run(library, surfaces(library))
            finally:
                await erase(library, trial.town)
    report.seconds = time.monotonic() - started
    return report


async def erase(library: Library, town: Town) -> None:
    """Leave nothing that was said behind, wherever the test was run."""
    await library.confide.erasure.everything(actor=operator_as(), now=True)
    for canary in town.canaries:
        canary.is_erased = True
