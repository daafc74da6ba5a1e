"""Run the leak test: plant, let the town live, ask after every act, compare with the oracle."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from random import Random
from typing import Any, Final

from confide.leaktest.canaries import AGENT, NAMESPACES, Canary, Nursery
from confide.leaktest.cast import PEOPLE, SISTER, STRANGER
from confide.leaktest.oracle import why_withheld
from confide.leaktest.report import Report
from confide.leaktest.rooms import DIRECT, REPLY, ROOMS, THOUGHT, Room
from confide.leaktest.stage import Stage, is_lived_in
from confide.leaktest.story import story
from confide.leaktest.surfaces import TOP_K, Library, OwnList, Recheck, Surface
from confide.leaktest.town import Question, Town
from confide.memories import Confide

#: Settings under which only the rule can withhold: no threshold, no budget, no small answer.
SETTINGS: Final[dict[str, Any]] = {
    "top_k": TOP_K,
    "similarity": -1.0,
    "context_tokens": 1_000_000,
    "enabled": True,
    "pool_size": 4,
}
AT_ONCE: Final = 3  # questions of different audiences in flight


@dataclass(frozen=True, slots=True)
class Size:
    """How much is asked."""

    towns: int
    askers: int  # who ask in each room
    thoughts: int  # of the agent alone, one canary each
    shell: int  # questions over the command line, after each act before time is moved


SIZES: Final = {
    "quick": Size(towns=1, askers=1, thoughts=3, shell=2),
    "full": Size(towns=8, askers=3, thoughts=10, shell=4),
}
ACTS: Final = 14
Surfaces = Callable[[Library], Sequence[Surface]]
Step = Callable[[str], None]


def own_surfaces(library: Library) -> list[Surface]:
    """Every path of the library by which a memory reaches somebody."""
    return [library, Recheck(library), OwnList(library)]


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
        stage = Stage(self.town, library, self.random)
        async for act in story(stage, Nursery(self.random)):
            await asyncio.gather(
                *(
                    self._ask(surface, question, act)
                    for question in self._questions()
                    for surface in surfaces
                    if surface.can_ask(question)
                )
            )
            self.step(act)
        self.report.canaries += len(self.town.canaries)

    def _questions(self) -> Iterator[Question]:
        for room in ROOMS:
            yield from (Question(asker, room) for asker in self._askers(room))
        for who in (*PEOPLE, SISTER, STRANGER):
            yield Question(who, DIRECT)
            yield Question(who, REPLY)
        for namespace in NAMESPACES:
            yield Question(PEOPLE[0], DIRECT, namespace)
        yield Question(PEOPLE[1], DIRECT, NAMESPACES[0])
        yield Question(PEOPLE[0], _room("laptop"), NAMESPACES[0])
        yield Question(AGENT, THOUGHT)

    def _askers(self, room: Room) -> list[str]:
        """Asking in a room makes one known to be in it, so only those who are ask there."""
        if not is_lived_in(room):
            return [room.of or self.random.choice(PEOPLE)]
        inside = sorted(self.town.inside(room))
        return self.random.sample(inside, min(self.size.askers, len(inside)))

    async def _ask(self, surface: Surface, question: Question, act: str) -> None:
        """Compare one answer with the oracle, canary by canary."""
        judged = {
            canary.code: why_withheld(canary, question, self.town)
            if surface.could_tell(canary, question)
            else "this path tells nobody else's"
            for canary in self.town.canaries
        }
        wanted = self._wanted(question)
        told = await self._recall(surface, self.random.choice(wanted).question, question)
        missing = [c for c in wanted if c.code not in told and judged[c.code] is None]
        is_whole = surface.limit is None or len(told) < surface.limit
        for canary in missing if is_whole else [c for c in wanted if c.code not in told]:
            told |= await self._recall(surface, canary.question, question)
        for canary in self.town.canaries:
            if canary in wanted or canary.code in told:
                why = judged[canary.code]
                self.report.decided(surface.name, act, canary, question, canary.code in told, why)

    def _wanted(self, question: Question) -> list[Canary]:
        """The canaries asked for: all, but for the agent alone, who is told them all, a few."""
        if question.asker == AGENT:
            return self.random.sample(self.town.canaries, self.size.thoughts)
        return self.town.canaries

    async def _recall(self, surface: Surface, words: str, question: Question) -> frozenset[str]:
        async with self._gate:
            self.report.count_question(surface.name)
            return await surface.recall(words, question)


def _room(key: str) -> Room:
    return next(room for room in ROOMS if room.key == key)


async def run(
    open_confide: Callable[..., Any],
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
        agent = f"leaktest-{seed % 10**8}-{n}"
        async with open_confide(clock=trial.clock, agent=agent, **SETTINGS) as confide:
            assert isinstance(confide, Confide)
            library = Library(confide, trial.clock)
            await trial.run(library, surfaces(library))
    report.seconds = time.monotonic() - started
    return report
