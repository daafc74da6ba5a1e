"""What was measured beside what has to be reached."""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from collections.abc import Awaitable, Callable, Iterable
from typing import NamedTuple


class Bar(NamedTuple):
    """One thing to reach, and what the run showed."""

    name: str
    wanted: str
    measured: str
    is_met: bool

    def __str__(self) -> str:
        return f"{self.name}: {self.measured} (wanted {self.wanted}) {self.verdict}"

    @property
    def verdict(self) -> str:
        return "ok" if self.is_met else "**missed**"


def lines(bars: Iterable[Bar]) -> list[str]:
    return [f"- {bar}" for bar in bars]


def run_at_size(
    about: str | None, measure: Callable[[int, int], Awaitable[bool]], most_seconds: float
) -> None:
    """A benchmark over so many memories of so many people, which fails above its bar."""

    async def measured(memories: int, people: int) -> bool:
        return await measure(memories, people)

    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--memories", type=int, default=100_000)
    parser.add_argument("--people", type=int, default=500)
    given = parser.parse_args()
    print(f"load {os.getloadavg()[0]:.1f}")
    if not asyncio.run(measured(given.memories, given.people)):
        sys.exit(f"slower than it may be: {most_seconds:g} s")
