"""What the doctor finds: how many, where, and what would mend it. Never what they say."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

EXAMPLES: Final = 5
Progress = Callable[[str, int, int], None]  # what is looked at, how far, of how many


def in_silence(_what: str, _done: int, _all: int) -> None:
    """Nobody watches."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that can be wrong. Without a remedy a person has to look at it."""

    name: str
    says: str
    remedy: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    name: str
    says: str
    remedy: str | None
    count: int
    examples: tuple[str, ...]  # a few ids
    fixed: int = 0

    @property
    def left(self) -> int:
        return self.count - self.fixed


class Notes:
    """Collects what is found while looking."""

    def __init__(self) -> None:
        self._problems: dict[str, Problem] = {}
        self._count: Counter[str] = Counter()
        self._fixed: Counter[str] = Counter()
        self._examples: dict[str, list[str]] = defaultdict(list)

    def found(self, problem: Problem, ids: Iterable[object]) -> None:
        for id in ids:
            self._problems[problem.name] = problem
            self._count[problem.name] += 1
            if len(self._examples[problem.name]) < EXAMPLES:
                self._examples[problem.name].append(str(id))

    def fixed(self, problem: Problem, count: int) -> None:
        self._fixed[problem.name] += count

    def findings(self) -> tuple[Finding, ...]:
        return tuple(
            Finding(
                name=problem.name,
                says=problem.says,
                remedy=problem.remedy,
                count=self._count[name],
                examples=tuple(self._examples[name]),
                fixed=min(self._fixed[name], self._count[name]),
            )
            for name, problem in sorted(self._problems.items())
        )
