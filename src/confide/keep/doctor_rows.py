"""The doctor on rows: what is missing, left over, orphaned or stuck."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from confide.declare import Door
from confide.keep.erasing import Erasures
from confide.keep.findings import Notes, Problem, Progress
from confide.means import Part
from confide.store import indexing, people
from confide.store.encoding import read_entity
from confide.store.memory import Memory, read_memory
from confide.store.queries import query
from confide.store.terms import TERMS_VERSION

if TYPE_CHECKING:
    from confide.providers.embedder import Vector
    from confide.store.connection import Connection

AT_ONCE: Final = 500
ALL: Final = 2**31
STUCK_FOR: Final = timedelta(days=1)
UPKEEP: Final = timedelta(days=2)  # what upkeep does every day is not wrong before that
UNFINISHED: Final = Problem(
    "leftovers.forgotten", "forgotten days ago, cannot come back, and still there", "erase them"
)
WORDS: Final = Problem(
    "words.missing", "cannot be found by words or meaning", "write and embed their words"
)
NAMES: Final = Problem(
    "names.missing", "cannot be found by what they are called", "write the words of their names"
)


class Rows(NamedTuple):
    """A problem that one query finds and, where it can be mended so, another one ends."""

    problem: Problem
    find: str
    given: tuple[Any, ...] = ()
    mend: tuple[str, str] | None = None  # noun and name of a query
    mend_given: tuple[Any, ...] = ()


class RowChecks(Part):
    """Each check is a question to the database; none reads anybody's words but to embed them."""

    def __init__(self, door: Door) -> None:
        super().__init__(door.means)
        self._erasures = Erasures(door)

    async def look(self, notes: Notes, progress: Progress, *, is_fixing: bool) -> None:
        checks = self._checks()
        for n, check in enumerate(checks):
            await self._one(check, notes, is_fixing=is_fixing)
            progress("rows", n + 1, len(checks) + 1)
        await self._missing(WORDS, "words_missing", (self.clock(), TERMS_VERSION), notes)
        if is_fixing:
            notes.fixed(WORDS, await self._index())
        await self._missing(NAMES, "names_missing", (TERMS_VERSION,), notes)
        if is_fixing:
            notes.fixed(NAMES, await self._name())
        progress("words", len(checks) + 1, len(checks) + 1)
        await self._unfinished(notes, is_fixing=is_fixing)

    def _checks(self) -> Sequence[Rows]:
        now, days = self.clock(), timedelta(days=1)
        raw = now - self.settings.raw_days_learned * days, now - self.settings.raw_days * days
        return (
            Rows(
                Problem("orphans.successor", "replaced by a memory that is gone",
                        "they stay replaced"),
                "successor_missing", (), ("doctor", "mend_successors"),
            ),
            Rows(
                Problem("orphans.place", "said in a place that is unknown; told to the agent alone"),
                "place_missing",
            ),
            Rows(
                Problem("orphans.identity", "count as one person, and nobody confirmed it",
                        "make them two again"),
                "one_without_proof", (), ("doctor", "make_two"),
            ),
            Rows(
                Problem("orphans.participant", "have a role in a context they are not in",
                        "end the role"),
                "participant_missing", (), ("doctor", "drop_participants"),
            ),
            Rows(
                Problem("leftovers.expired", "expired days ago and not put away", "archive them"),
                "expired", (now - UPKEEP,), ("upkeep", "archive_expired"), (now, ALL),
            ),
            Rows(
                Problem("leftovers.messages", "raw messages that should be gone", "purge them"),
                "raw", raw, ("messages", "purge"), (*raw, now),
            ),
            Rows(
                Problem("leftovers.answers", "answers of an extractor that were applied",
                        "drop them"),
                "answers", (), ("doctor", "drop_answers"),
            ),
            Rows(
                Problem("jobs.failed", "conversations that were given up", "try them again"),
                "jobs_failed", (), ("sessions", "again"), (None,),
            ),
            Rows(
                Problem("jobs.stuck", "conversations that wait for more than a day; run a worker"),
                "jobs_stuck", (now - STUCK_FOR,),
            ),
            Rows(
                Problem("jobs.miscounted", "count other messages than there are", "count again"),
                "jobs_miscounted", (), ("doctor", "recount"),
            ),
            Rows(
                Problem("requests.overdue", "requests that should have been answered"),
                "requests_overdue", (now,),
            ),
        )  # fmt: skip

    async def _one(self, check: Rows, notes: Notes, *, is_fixing: bool) -> None:
        agent = self.database.agent
        async with self.database.keep(doing="doctor", at=self.clock()) as connection:
            rows = await connection.fetch(query("doctor", check.find), agent, *check.given)
            notes.found(check.problem, (row["id"] for row in rows))
            if is_fixing and rows and check.mend is not None:
                done = await connection.execute(query(*check.mend), agent, *check.mend_given)
                notes.fixed(check.problem, int(done.split()[-1]))

    async def _missing(
        self, problem: Problem, find: str, given: tuple[Any, ...], notes: Notes
    ) -> None:
        async with self.database.keep() as connection:
            rows = await connection.fetch(query("doctor", find), self.database.agent, *given)
        notes.found(problem, (row["id"] for row in rows))

    async def _unfinished(self, notes: Notes, *, is_fixing: bool) -> None:
        ended = self.clock() - timedelta(hours=self.settings.undo_hours) - UPKEEP
        await self._missing(UNFINISHED, "unfinished", (ended,), notes)
        if is_fixing:
            notes.fixed(UNFINISHED, await self._erasures.finish())

    async def _index(self) -> int:
        """No transaction is open while the vectors are made."""
        done = 0
        while True:
            async with self.database.keep() as connection:
                rows = await connection.fetch(
                    query("doctor", "unindexed"),
                    self.database.agent, self.clock(), TERMS_VERSION, AT_ONCE,
                )  # fmt: skip
            if not rows:
                return done
            found = [read_memory(row, self.database.agent_entity) for row in rows]
            vectors = await self.embedder.embed_documents([one.text for one in found])
            async with self.database.keep(doing="doctor", at=self.clock()) as connection:
                await self._write_words(connection, found, vectors)
            done += len(found)

    async def _name(self) -> int:
        done, agent = 0, self.database.agent
        while True:
            async with self.database.keep(doing="doctor", at=self.clock()) as connection:
                rows = await connection.fetch(
                    query("doctor", "unnamed"), agent, TERMS_VERSION, AT_ONCE
                )
                for row in rows:
                    who, called = read_entity(row["entity"]), row["display_name"]
                    await people.name(connection, agent, who, called, row["updated_at"])
            if not rows:
                return done
            done += len(rows)

    async def _write_words(
        self, connection: Connection, found: Sequence[Memory], vectors: Sequence[Vector]
    ) -> None:
        agent, indexer, ids = self.database.agent, indexing.Indexer(), [one.id for one in found]
        await connection.execute(query("doctor", "drop_old_words"), agent, ids, TERMS_VERSION)
        rows = (row for one in found for row in indexer.rows(one.id, one.text, one.origin))
        await indexing.index(connection, agent, rows, dict(zip(ids, vectors, strict=True)))
