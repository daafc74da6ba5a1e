"""The doctor (A15): looks at everything that is kept, says what is wrong, and mends what it can.

It says how many and where, never what is said. A second look after mending finds nothing to mend.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from confide.declare import Door, Group, Source, verb
from confide.keep.doctor_indexes import IndexChecks
from confide.keep.doctor_labels import Contradictions, Labels
from confide.keep.doctor_rows import RowChecks
from confide.keep.findings import Finding, Notes, Progress, in_silence
from confide.privacy.acting import Act

Shown = Annotated[Progress, Source.HERE]


@dataclass(frozen=True, slots=True, kw_only=True)
class Examination:
    """What was looked at and found."""

    ALSO: ClassVar = ("is_well",)

    memories: int
    findings: tuple[Finding, ...]

    @property
    def is_well(self) -> bool:
        return not any(finding.left for finding in self.findings)


class Doctor(Group):
    """`confide.doctor`: for the operator, who sees ids and counts."""

    def __init__(self, door: Door, contradictions: Contradictions | None = None) -> None:
        super().__init__(door)
        self._contradictions = contradictions

    @verb(Act.TEND, "GET /doctor", long=True)
    async def examine(self, *, progress: Shown = in_silence) -> Examination:
        """Say what is wrong with what is kept, by ids and counts, and change nothing."""
        return await self._look(progress, is_fixing=False)

    @verb(Act.TEND, "POST /doctor/mend", once=True, long=True)
    async def mend(self, *, progress: Shown = in_silence) -> Examination:
        """Put right what can be. Nothing is told to more people by that."""
        return await self._look(progress, is_fixing=True)

    async def _look(self, progress: Progress, *, is_fixing: bool) -> Examination:
        notes, means = Notes(), self.door.means
        assert self._contradictions is not None, "whoever opened the store looks for them"
        labels = Labels(self.database, self.clock(), self._contradictions, is_fixing, notes)
        memories = await labels.look(progress)
        await RowChecks(self.door).look(notes, progress, is_fixing=is_fixing)
        await IndexChecks(means).look(notes, progress, is_fixing=is_fixing)
        return Examination(memories=memories, findings=notes.findings())
