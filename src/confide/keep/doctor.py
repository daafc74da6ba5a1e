"""The doctor (A15): looks at everything that is kept, says what is wrong, and mends what it can.

It says how many and where, never what is said. A second look after mending finds nothing to mend.
"""

from __future__ import annotations

from dataclasses import dataclass

from confide.keep.doctor_indexes import IndexChecks
from confide.keep.doctor_labels import Contradictions, Labels
from confide.keep.doctor_rows import RowChecks
from confide.keep.findings import Finding, Notes, Progress, in_silence
from confide.means import Means, Part


@dataclass(frozen=True, slots=True, kw_only=True)
class Examination:
    """What was looked at and found."""

    memories: int
    findings: tuple[Finding, ...]

    @property
    def is_well(self) -> bool:
        return not any(finding.left for finding in self.findings)


class Doctor(Part):
    """`confide.doctor`: for the operator, who sees ids and counts."""

    def __init__(self, means: Means, contradictions: Contradictions) -> None:
        super().__init__(means)
        self._contradictions = contradictions
        self._rows = RowChecks(means)
        self._indexes = IndexChecks(means)

    async def examine(self, *, progress: Progress = in_silence) -> Examination:
        """Say what is wrong, and change nothing."""
        return await self._look(progress, is_fixing=False)

    async def mend(self, *, progress: Progress = in_silence) -> Examination:
        """The same, and put right what can be. Nothing is told to more people by that."""
        return await self._look(progress, is_fixing=True)

    async def _look(self, progress: Progress, *, is_fixing: bool) -> Examination:
        notes = Notes()
        labels = Labels(self.database, self.clock(), self._contradictions, is_fixing, notes)
        memories = await labels.look(progress)
        await self._rows.look(notes, progress, is_fixing=is_fixing)
        await self._indexes.look(notes, progress, is_fixing=is_fixing)
        return Examination(memories=memories, findings=notes.findings())
