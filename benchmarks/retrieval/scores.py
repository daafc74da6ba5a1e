"""How retrieval is scored and shown."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

CUTOFFS = (5, 10, 20)
Hits = list[tuple[int, str, list[float]]]  # conversation, category, recall at each cutoff


def mean(hits: Hits, keep: Callable[[int, str], bool] = lambda number, category: True) -> str:
    chosen = [recall for number, category, recall in hits if keep(number, category)]
    return " / ".join(f"{100 * value:.1f}" for value in np.mean(chosen, axis=0))


def show(name: str, hits: Hits) -> None:
    print(f"\n{name}, recall@{'/'.join(map(str, CUTOFFS))}")
    print(f"  all        {mean(hits)}")
    if len({number for number, _, _ in hits}) > 1:
        print(f"  even       {mean(hits, lambda n, _: n % 2 == 0)}")
        print(f"  odd        {mean(hits, lambda n, _: n % 2 == 1)}")
    for category in sorted({category for _, category, _ in hits}):
        print(f"  {category:10} {mean(hits, lambda _, c, wanted=category: c == wanted)}")
