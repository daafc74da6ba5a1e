"""How retrieval is scored and shown, and what has to be reached."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

import numpy as np

from benchmarks.bars import Bar

CUTOFFS = (5, 10, 20)
Hits = list[tuple[int, str, list[float]]]  # conversation, category, recall at each cutoff
Chosen = Callable[[int, str], bool]

#: Recall at the first two cutoffs, in percent.
WANTED: Final = (61.0, 70.0)
MORE_THAN_BM25: Final = 12.0  # points, on conversations nothing was tuned on
APART: Final = 0.5  # points between a store for each conversation and one for all
SILENT: Final = 90.0


def means(hits: Hits, keep: Chosen = lambda number, category: True) -> list[float]:
    """Recall at each cutoff, in percent."""
    chosen = [recall for number, category, recall in hits if keep(number, category)]
    return [100 * float(value) for value in np.mean(chosen, axis=0)]


def odd(number: int, category: str) -> bool:
    return number % 2 == 1


def in_percent(answers: Sequence[bool]) -> float:
    return 100 * sum(answers) / len(answers)


def show(name: str, hits: Hits) -> None:
    def written(keep: Chosen = lambda number, category: True) -> str:
        return " / ".join(f"{value:.1f}" for value in means(hits, keep))

    print(f"\n{name}, recall@{'/'.join(map(str, CUTOFFS[: len(hits[0][2])]))}")
    print(f"  all        {written()}")
    if len({number for number, _, _ in hits}) > 1:
        print(f"  even       {written(lambda n, c: not odd(n, c))}")
        print(f"  odd        {written(odd)}")
    for category in sorted({category for _, category, _ in hits}):
        print(f"  {category:10} {written(lambda _, c, wanted=category: c == wanted)}")


def found_enough(alone: Hits, bm25: Hits) -> list[Bar]:
    """What the agent alone has to find, in all and beside plain BM25."""
    of_all = zip(CUTOFFS, means(alone), WANTED, strict=False)
    bars = [
        Bar(f"recall@{k}", f"at least {wanted:.0f}", f"{value:.1f}", value >= wanted)
        for k, value, wanted in of_all
    ]
    for k, ours, theirs in zip(CUTOFFS[:2], means(alone, odd), means(bm25, odd), strict=False):
        more = ours - theirs
        wanted = f"at least {MORE_THAN_BM25:.0f} points"
        name = f"more than BM25 on the odd conversations @{k}"
        bars.append(Bar(name, wanted, f"{more:.1f} points", more >= MORE_THAN_BM25))
    return bars


def kept_apart(in_rooms: Hits, together: Hits, forbidden: int) -> list[Bar]:
    """One store for all must tell what a store for each tells, and nothing of another room."""
    pairs = zip(CUTOFFS, means(in_rooms), means(together), strict=False)
    bars = [
        Bar(
            f"one store and separate stores @{k}", f"at most {APART} points apart",
            f"{abs(one - each):.2f} points", abs(one - each) <= APART,
        )
        for k, each, one in pairs
    ]  # fmt: skip
    return [*bars, Bar("forbidden memories told", "0", str(forbidden), forbidden == 0)]


def quiet_enough(silent: Mapping[str, Sequence[bool]]) -> list[Bar]:
    return [
        Bar(
            f"silent about {about}", f"at least {SILENT:.0f} %", f"{in_percent(answers):.1f} %",
            in_percent(answers) >= SILENT,
        )
        for about, answers in silent.items()
    ]  # fmt: skip
