"""The doctor on indexes: are they all there, used, and in step with their tables?"""

from __future__ import annotations

import re
from typing import Final

from confide.keep.findings import Notes, Problem, Progress
from confide.means import Part
from confide.store.connection import Connection
from confide.store.queries import migration_files, query
from confide.store.tending import counted_by, rebuild

INVALID: Final = Problem("indexes.invalid", "building them failed, so they are not used", "rebuild")
MISSING: Final = Problem(
    "indexes.missing", "an index of the schema is not there; ask who removed it"
)
BEHIND: Final = Problem("indexes.behind", "an index has other rows than its table", "rebuild")
UNCHECKED: Final = Problem("constraints.unchecked", "a constraint was not checked on old rows")
#: The query that counts, and the index through which it can be answered.
COUNTED: Final = (
    ("words_counted", "meaning_by_label"),
    ("memories_counted", "memory_by_label"),
)
_MADE: Final = re.compile(r"\bCREATE (?:UNIQUE )?INDEX (?:IF NOT EXISTS )?(\w+)")
_DROPPED: Final = re.compile(r"\bDROP INDEX (?:IF EXISTS )?(?:confide\.)?(\w+)")


class IndexChecks(Part):
    """Numbers and names only."""

    async def look(self, notes: Notes, progress: Progress, *, is_fixing: bool) -> None:
        async with self.database.keep() as connection:
            invalid = [
                row["id"] for row in await connection.fetch(query("doctor", "indexes_invalid"))
            ]
            there = {row["id"] for row in await connection.fetch(query("doctor", "indexes"))}
            unchecked = await connection.fetch(query("doctor", "constraints_unchecked"))
            behind = [
                index for counted, index in COUNTED
                if index in there and not await self._is_in_step(connection, counted)
            ]  # fmt: skip
        notes.found(INVALID, invalid)
        notes.found(MISSING, sorted(expected() - there))
        notes.found(BEHIND, behind)
        notes.found(UNCHECKED, (row["id"] for row in unchecked))
        if is_fixing:
            await rebuild(self.database, [*invalid, *behind])
            notes.fixed(INVALID, len(invalid))
            notes.fixed(BEHIND, len(behind))
        progress("indexes", 1, 1)

    async def _is_in_step(self, connection: Connection, counted: str) -> bool:
        """The same count, once without any index and once without the table."""
        by_table, by_index = [
            await counted_by(connection, counted, (self.database.agent,), is_by_index=is_by_index)
            for is_by_index in (False, True)
        ]
        return by_table == by_index


def expected() -> set[str]:
    """Every index that the migrations make and none of them drops again."""
    found: set[str] = set()
    for _, _, sql in migration_files():
        found |= set(_MADE.findall(sql))
        found -= set(_DROPPED.findall(sql))
    return found
