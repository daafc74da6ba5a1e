"""What was measured beside what has to be reached."""

from __future__ import annotations

from collections.abc import Iterable
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
