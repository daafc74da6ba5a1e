"""Upkeep (A15, A16): put away what ended or is one too many, and clear what was put away long ago.

Nothing is erased in the run that finds it. It is archived or marked first, and goes when a run a
month later finds it still there; so a clock that is wrong for an hour erases nothing.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Any, Final

from confide.actor import Actor
from confide.declare import Door, Group, Note, Source, verb
from confide.privacy.acting import Act
from confide.store import messages, trail
from confide.store.colliding import tried_again
from confide.store.queries import query

if TYPE_CHECKING:
    from confide.keep.erasing import Erasures

log = logging.getLogger(__name__)

BATCH: Final = 2_000
AT_START: Final = timedelta(hours=1)
DAILY: Final = timedelta(days=1)
LONG_AGO: Final = timedelta(days=700_000)
Progress = Callable[[str, int], None]


def no_progress(_part: str, _done: int) -> None:
    """Nobody is watching."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Collected:
    """What a run did, or would do. It carries no content."""

    expired: int = 0  # archived because their time was over
    over_quota: int = 0  # archived because their owner has too many
    cleared: int = 0  # erased: archived or replaced long ago
    tellings: int = 0  # taken out of the access log
    raw_messages: int = 0  # whose words were purged
    erasures: int = 0  # that can be undone no longer, and were finished

    @property
    def is_nothing(self) -> bool:
        return not any(getattr(self, field.name) for field in fields(self))


class Upkeep(Group):
    """Clears away in small transactions: stopping it anywhere does no harm, and doing it again no more."""

    def __init__(self, door: Door, erasures: Erasures | None = None) -> None:
        super().__init__(door)
        self._erasures = erasures
        self._has_run = False

    async def preview(self) -> Collected:
        """What `gc` would do now, in numbers."""
        return await self.gc(preview=True)

    async def _preview(self) -> Collected:
        now, agent = self.clock(), self.database.agent
        async with self.database.keep() as connection:
            row = await connection.fetchrow(
                query("upkeep", "preview"),
                agent, now, self._archived_before(now), self._past_before(now),
                now - timedelta(days=self.settings.access_log_days), *self._raw_before(now),
                now - timedelta(hours=self.settings.undo_hours),
            )  # fmt: skip
            owners: list[Any] = []
            if self.settings.max_entries:
                owners = await connection.fetch(
                    query("upkeep", "over_quota"), agent, self.settings.max_entries, now
                )
        assert row is not None  # counts always come
        return Collected(over_quota=sum(one["memories"] for one in owners), **dict(row))

    @verb(Act.TEND, "POST /gc", once=True, long=True)
    async def gc(
        self,
        *,
        preview: Annotated[bool, Note("Only say what would be done.")] = False,
        actor: Actor | None = None,
        progress: Annotated[Progress, Source.HERE] = no_progress,
    ) -> Collected:
        """Archive what ended or is over the quota, and clear what was archived long ago. A hundred
        runs at one moment do what one does."""
        before = await self._preview()
        if preview:
            return before
        now = self.clock()
        run = _Run(self, actor, now, progress)
        expired = await run.batches("expired", "archive_expired")
        over = await self._over_quota(run, now)
        if self.settings.history_days is not None:
            await run.batches("marked", "mark_past", self._past_before(now))
        cleared = await run.batches(
            "cleared", "clear", self._past_before(now), moment=self._archived_before(now)
        )
        log_ends = now - timedelta(days=self.settings.access_log_days)
        tellings = await run.batches("tellings", "clear_tellings", moment=log_ends)
        await run.batches("questions", "clear_questions", moment=log_ends)
        if tellings:
            async with self.database.keep() as connection:
                await trail.record(
                    connection, self.database.agent, actor=actor or "agent", doing="gc",
                    what="access log", action="cleared", now=now,
                )  # fmt: skip
        async with self.database.keep(doing="gc", at=now) as connection:
            await messages.purge(connection, self.database.agent, *self._raw_before(now), now)
        done = Collected(
            expired=expired,
            over_quota=over,
            cleared=cleared,
            tellings=tellings,
            raw_messages=before.raw_messages,
            erasures=await self._erasures.finish() if self._erasures else 0,
        )
        if not done.is_nothing:
            log.info("gc %s", done)
        return done

    async def daily(self) -> int:
        """At start and once a day, by one of all programs; returns how many memories it touched."""
        if not self.settings.auto_gc:
            return 0
        now = self.clock()
        pause = DAILY if self._has_run else AT_START
        self._has_run = True
        async with self.database.keep() as connection:
            claimed = await connection.fetchval(
                query("upkeep", "claim"), self.database.agent, now, now - pause
            )
        if claimed is None:
            return 0
        done = await self.gc()
        return done.expired + done.over_quota + done.cleared

    async def _over_quota(self, run: _Run, now: datetime) -> int:
        most = self.settings.max_entries
        if not most:
            return 0
        async with self.database.keep() as connection:
            rows = await connection.fetch(
                query("upkeep", "over_quota"), self.database.agent, most, None
            )
        owners = [row["owner"] for row in rows]
        return await run.batches("over quota", "archive_over_quota", owners, most) if owners else 0

    def _archived_before(self, now: datetime) -> datetime:
        return now - timedelta(days=self.settings.archive_days)

    def _past_before(self, now: datetime) -> datetime:
        days = self.settings.history_days
        return now - (LONG_AGO if days is None else timedelta(days=days))

    def _raw_before(self, now: datetime) -> tuple[datetime, datetime]:
        return (
            now - timedelta(days=self.settings.raw_days_learned),
            now - timedelta(days=self.settings.raw_days),
        )


class _Run:
    """One run: the same statement again and again, a batch a transaction, until nothing is left."""

    def __init__(
        self, upkeep: Upkeep, actor: Actor | None, now: datetime, progress: Progress
    ) -> None:
        self._database = upkeep.database
        self._actor = actor
        self._now = now
        self._progress = progress

    async def batches(
        self, part: str, name: str, *more: object, moment: datetime | None = None
    ) -> int:
        count = 0
        while done := await self._batch(name, moment or self._now, *more):
            count += done
            self._progress(part, count)
        return count

    @tried_again
    async def _batch(self, name: str, moment: datetime, *more: object) -> int:
        async with self._database.keep(by=self._actor, doing="gc", at=self._now) as connection:
            done = await connection.execute(
                query("upkeep", name), self._database.agent, moment, BATCH, *more
            )
        return int(done.split()[-1])
