"""What the leak test found: the matrix, the leaks, and what was wrongly withheld."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from confide.leaktest.beside import Found
from confide.leaktest.canaries import Canary
from confide.leaktest.rooms import BY_KEY
from confide.leaktest.town import Question


@dataclass(slots=True)
class Cell:
    """Said in one kind of room, asked for in another."""

    asked: int = 0
    told: int = 0
    leaks: int = 0
    withheld: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """A decision that the oracle does not share, with all that it takes to look into it."""

    is_leak: bool
    surface: str
    act: str
    why: str
    canary: Canary
    question: Question

    @property
    def is_between_people(self) -> bool:
        """Whoever asked neither said it nor is who it is about; otherwise it was the wrong place."""
        canary = self.canary
        return self.question.asker not in {canary.by, canary.source, *canary.about}

    def fields(self) -> dict[str, Any]:
        canary, question = self.canary, self.question
        return {
            "what": "leak" if self.is_leak else "wrongly withheld",
            "surface": self.surface,
            "after": self.act,
            "oracle": self.why,
            "memory": canary.memory_id,
            "text": canary.sentence,
            "said_in": canary.place,
            "by": canary.by,
            "source": canary.source,
            "about": sorted(canary.about),
            "were_there": sorted(canary.there),
            "level": canary.level.name.lower(),
            "sensitivity": canary.sensitivity.value,
            "kind": canary.kind.value,
            "access": list(canary.access),
            "consent": sorted(canary.consent),
            "namespace": canary.namespace,
            "portable": canary.is_portable,
            "asker": question.asker,
            "asked_in": question.room.key,
            "asked_for_namespace": question.namespace,
        }


@dataclass(slots=True, kw_only=True)
class Report:
    """Grows while the test runs."""

    size: str
    seed: int
    seconds: float = 0.0
    canaries: int = 0
    questions: dict[str, int] = field(default_factory=dict[str, int])  # by surface
    decisions: dict[str, int] = field(default_factory=dict[str, int])
    cells: dict[tuple[str, str], Cell] = field(default_factory=dict[tuple[str, str], Cell])
    failures: list[Failure] = field(default_factory=list[Failure])
    probes: dict[str, Found] = field(default_factory=dict[str, Found])  # beside recall, widening

    def count_question(self, surface: str) -> None:
        self.questions[surface] = self.questions.get(surface, 0) + 1

    def decided(
        self,
        surface: str,
        act: str,
        canary: Canary,
        question: Question,
        told: bool,
        why: str | None,
    ) -> None:
        """`why`: the oracle's reason to withhold it, None if it must be told."""
        self.decisions[surface] = self.decisions.get(surface, 0) + 1
        at = BY_KEY[canary.room].title, question.room.title
        cell = self.cells.setdefault(at, Cell())
        cell.asked += 1
        cell.told += told
        if told == (why is None):
            return
        cell.leaks += told
        cell.withheld += not told
        self.failures.append(
            Failure(
                is_leak=told,
                surface=surface,
                act=act,
                why=why or "everyone who reads it there may hear it",
                canary=canary,
                question=question,
            )
        )

    @property
    def leaks(self) -> list[Failure]:
        return [failure for failure in self.failures if failure.is_leak]

    @property
    def withheld(self) -> list[Failure]:
        return [failure for failure in self.failures if not failure.is_leak]

    @property
    def total(self) -> int:
        return sum(self.decisions.values())

    @property
    def told(self) -> int:
        return sum(cell.told for cell in self.cells.values())

    @property
    def passed(self) -> bool:
        """A test in which nothing was asked or nothing told has shown nothing."""
        return not self.failures and self.told > 0 and not self.probed

    @property
    def probed(self) -> list[str]:
        """What gave something away beside recall, or let others hear more."""
        return [leak for found in self.probes.values() for leak in found.leaks]

    def fields(self) -> dict[str, Any]:
        return {
            "size": self.size,
            "seed": self.seed,
            "passed": self.passed,
            "seconds": round(self.seconds, 1),
            "canaries": self.canaries,
            "questions": self.questions,
            "decisions": self.decisions,
            "told": self.told,
            "leaks": len(self.leaks) + len(self.probed),
            "probes": {
                name: {"asked": found.asked, "leaks": found.leaks}
                for name, found in self.probes.items()
            },
            "wrongly_withheld": len(self.withheld),
            "matrix": [
                {
                    "said_in": said,
                    "asked_in": asked,
                    "asked": cell.asked,
                    "told": cell.told,
                    "leaks": cell.leaks,
                    "wrongly_withheld": cell.withheld,
                }
                for (said, asked), cell in sorted(self.cells.items())
            ],
            "failures": [failure.fields() for failure in self.failures],
        }
