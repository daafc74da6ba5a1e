"""Whether time tells what is hidden: `python -m benchmarks.timing`.

The same question is asked of two stores by turns, 2,000 times: one holds what may be told, the other
thousands of hidden memories beside it. A rank test says whether the one is slower. As a control the
second store is asked through a shortcut that returns early; the test has to find that.
"""

from __future__ import annotations

import argparse
import asyncio
import math
import random
import shutil
import tempfile
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.bars import Bar
from benchmarks.sentences import NOW, QUESTION, sentence
from confide import Confide, audience, statement
from confide.privacy.policy import Audience
from confide.recall.search import Wanted, search
from confide.store import embedded

PLACE = "public:general@guild"
Ask = Callable[[], Awaitable[object]]


@dataclass(frozen=True)
class Compared:
    """Medians in milliseconds, and how surprising their difference is if there is none."""

    few: float
    many: float
    z: float

    @property
    def is_found(self) -> bool:
        return abs(self.z) > 3.29  # one run in a thousand by chance

    def __str__(self) -> str:
        verdict = "different" if self.is_found else "no difference found"
        return f"{self.few:.3f} ms / {self.many:.3f} ms, z = {self.z:+.2f}: {verdict}"


def signed_rank(differences: np.ndarray) -> float:
    """Wilcoxon's signed-rank statistic as a standard normal; pairs share the noise of their moment."""
    kept = differences[differences != 0]
    n = len(kept)
    ranks = np.argsort(np.argsort(np.abs(kept))) + 1
    positive = float(ranks[kept > 0].sum())
    spread = math.sqrt(n * (n + 1) * (2 * n + 1) / 24)
    return (positive - n * (n + 1) / 4) / spread


async def compare(few: Ask, many: Ask, pairs: int) -> Compared:
    times = np.zeros((pairs, 2))
    chance = random.Random(4)
    for n in range(-50, pairs):
        order = [(0, few), (1, many)]
        chance.shuffle(order)
        for column, ask in order:
            began = time.perf_counter()
            await ask()
            if n >= 0:
                times[n, column] = (time.perf_counter() - began) * 1000
    medians = np.median(times, axis=0)
    return Compared(medians[0], medians[1], signed_rank(times[:, 1] - times[:, 0]))


async def fill(confide: Confide, told: int, hidden: int) -> None:
    chance = random.Random(1)
    await confide.remember_all(
        [statement(sentence(chance, n), by=f"human:p{n % 7}", place=PLACE) for n in range(told)]
    )
    await confide.remember_all(
        [
            statement(
                f"{sentence(chance, n)} {QUESTION}", by=f"human:p{n % 7}", place=f"group:g{n % 50}"
            )
            for n in range(hidden)
        ]
    )


async def run(told: int, hidden: int, pairs: int) -> tuple[Compared, Compared]:
    home = Path(tempfile.mkdtemp(prefix="confide-timing-"))
    lease = await asyncio.to_thread(embedded.start, home, idle_seconds=60)
    who = audience("human:eve", PLACE)
    try:
        for agent, out_of_sight in (("few", 0), ("many", hidden)):
            async with Confide.open(home, clock=lambda: NOW, agent=agent) as confide:
                await fill(confide, told, out_of_sight)
                await confide.database.refresh_statistics()
        # Opened anew, so that no connection remembers how much it wrote.
        async with (
            Confide.open(home, clock=lambda: NOW, agent="few") as few,
            Confide.open(home, clock=lambda: NOW, agent="many") as many,
        ):
            same = await compare(_ask(few, who), _ask(many, who), pairs)
            early = await compare(_ask(few, who), _ask_early(many, who), pairs)
    finally:
        await asyncio.to_thread(lease.release)
        await asyncio.to_thread(embedded.stop, home)
        shutil.rmtree(home, ignore_errors=True)
    return same, early


def _ask(confide: Confide, who: Audience) -> Ask:
    return lambda: confide.recall(QUESTION, who)


def _ask_early(confide: Confide, who: Audience) -> Ask:
    """As if finding a hidden memory were reason to return before the answer is written and logged."""

    async def ask() -> None:
        vector = await confide.means.embedder.embed_query(QUESTION)
        await search(confide.database, who, NOW, QUESTION, vector, Wanted())

    return ask


def main() -> None:
    parse = argparse.ArgumentParser(prog="python -m benchmarks.timing", description=__doc__)
    parse.add_argument("--told", type=int, default=300)
    parse.add_argument("--hidden", type=int, default=5000)
    parse.add_argument("--pairs", type=int, default=2000)
    given = parse.parse_args()
    same, early = asyncio.run(run(given.told, given.hidden, given.pairs))
    print(Bar("hidden memories", "no difference", str(same), not same.is_found))
    print(Bar("control: an early return", "different", str(early), early.is_found))


if __name__ == "__main__":
    main()
