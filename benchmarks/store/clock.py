"""Time several ways of doing a thing by turns, so that a busy machine slows all of them alike."""

from __future__ import annotations

import statistics
import time
from collections.abc import Awaitable, Callable, Mapping

Way = Callable[[], Awaitable[object]]


async def by_turns(ways: Mapping[str, Way], rounds: int) -> dict[str, float]:
    """The median of each in milliseconds. The first rounds warm up and do not count."""
    seen: dict[str, list[float]] = {name: [] for name in ways}
    for turn in range(-7, rounds):
        for name, way in ways.items():
            start = time.perf_counter()
            await way()
            if turn >= 0:
                seen[name].append((time.perf_counter() - start) * 1000)
    return {name: statistics.median(times) for name, times in seen.items()}
