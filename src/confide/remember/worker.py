"""The worker: takes due sessions one after another, learns from them, and sweeps now and then."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import uuid
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final

from confide.errors import ConfideError, InvalidInput, ModelUnavailable
from confide.remember.learn import ExtractionFailed, Learning
from confide.remember.triggers import sweep
from confide.store import sessions
from confide.store.colliding import COLLISION
from confide.store.sessions import DATABASE_TROUBLE, Fenced, Taken

log = logging.getLogger("confide.learn")

MOST_ATTEMPTS: Final = 5
#: More patience where nobody said what went wrong: it may have been the machine or the database.
MOST_DEATHS: Final = 20
SHORT_PAUSE: Final = timedelta(milliseconds=100)
LONGEST_PAUSE: Final = timedelta(minutes=10)
#: Seconds between two looks whether another worker has finished.
HELD: Final = 0.05


async def nothing_beside() -> None:
    """There is no other work."""


@dataclass
class Worker:
    """Several may run, in several processes; each session is held by one of them at a time."""

    learning: Learning
    beside: Callable[[], Awaitable[object]] = nothing_beside
    _wake: asyncio.Event = field(default_factory=asyncio.Event)

    def wake(self) -> None:
        """Something is due."""
        self._wake.set()

    async def run(self, *, pause_first: float = 0.0) -> None:
        """Work until cancelled. A database that is away is waited for."""
        trouble = 0
        await asyncio.sleep(pause_first)
        while True:
            try:
                await self.sweep()
                await self.drain()
                await self.beside()
                trouble = 0
            except DATABASE_TROUBLE as problem:
                trouble += 1
                log.warning("learning waits for the database: %s", type(problem).__name__)
            self._wake.clear()
            wait = min(2.0**trouble, 30.0) if trouble else self.learning.settings.sweep_seconds
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._wake.wait(), timeout=wait)

    async def sweep(self) -> None:
        await sweep(self.learning.database, self.learning.settings, self.learning.clock())

    async def drain(self) -> int:
        """Learn from every session that is due and free; returns from how many messages."""
        count = 0
        while (taken := await self._take()) is not None:
            try:
                count += await self._learn(taken)
            except ModelUnavailable:
                break  # the others would only wait for it too
        return count

    async def learn_now(self, session_id: uuid.UUID) -> None:
        """Learn from one session, due or not. Whoever is at it already finishes first."""
        agent, database = self.learning.database.agent, self.learning.database
        lease = timedelta(seconds=self.learning.settings.lease_seconds)
        while True:
            async with database.keep() as connection:
                now = self.learning.clock()
                taken = await sessions.take_one(connection, agent, session_id, lease, now)
            if taken is not None:
                with contextlib.suppress(ModelUnavailable):  # the worker tries again later
                    await self._learn(taken)
            async with database.keep() as connection:
                if not await sessions.is_held(connection, agent, session_id):
                    return
            await asyncio.sleep(HELD)

    async def _take(self) -> Taken | None:
        self.learning.step("before taking")
        lease = timedelta(seconds=self.learning.settings.lease_seconds)
        async with self.learning.database.keep() as connection:
            return await sessions.take(connection, self.learning.database.agent, lease)

    async def _learn(self, taken: Taken) -> int:
        if taken.attempts > MOST_DEATHS:
            # Whoever tried before did not live to say what went wrong.
            await self._give_up(taken, "the worker died each time it tried")
            return 0
        renewing = asyncio.create_task(self._renew(taken))
        try:
            return await self.learning.learn_from(taken)
        except Fenced:
            log.info("session %s is held by another worker now", taken.id)
        except DATABASE_TROUBLE:
            raise
        except ModelUnavailable as away:
            await self._wait_for_model(taken, timedelta(seconds=away.retry_after))
            raise
        except Exception as problem:  # noqa: BLE001 - a session that cannot be learned from must not stop the others
            await self._failed(taken, problem)
        finally:
            renewing.cancel()
        return 0

    async def _renew(self, taken: Taken) -> None:
        lease = timedelta(seconds=self.learning.settings.lease_seconds)
        while True:
            await asyncio.sleep(lease.total_seconds() / 3)
            with contextlib.suppress(*DATABASE_TROUBLE):
                async with self.learning.database.keep() as connection:
                    await sessions.renew(connection, self.learning.database.agent, taken, lease)

    async def _wait_for_model(self, taken: Taken, asked_for: timedelta) -> None:
        """However long a provider is away, its sessions are not given up."""
        pause = min(timedelta(seconds=6 * self.learning.settings.retry_seconds), LONGEST_PAUSE)
        pause = max(pause, asked_for)
        log.warning("session %s waits for the language model, again in %s", taken.id, pause)
        async with self.learning.database.keep() as connection:
            await sessions.wait_for_model(connection, self.learning.database.agent, taken, pause)

    async def _failed(self, taken: Taken, problem: Exception) -> None:
        """Try again later. The reason has no content: an error's own words may quote a message."""
        reason = reason_of(problem)
        if taken.attempts >= MOST_ATTEMPTS:
            await self._give_up(taken, reason)
            return
        base = timedelta(seconds=self.learning.settings.retry_seconds)
        pause = min(base * 2 ** (taken.attempts - 1), LONGEST_PAUSE)
        if isinstance(problem, COLLISION):
            pause = min(pause, SHORT_PAUSE)
        log.warning("session %s failed (%s), again in %s", taken.id, reason, pause)
        async with self.learning.database.keep() as connection:
            await sessions.retry_later(connection, self.learning.database.agent, taken, pause, None)

    async def _give_up(self, taken: Taken, reason: str) -> None:
        log.error("session %s is given up: %s", taken.id, reason)
        async with self.learning.database.keep() as connection:
            await sessions.retry_later(
                connection, self.learning.database.agent, taken, timedelta(0), reason
            )


def reason_of(problem: Exception) -> str:
    """What may be shown of an error: our own words, or only what kind it was."""
    if isinstance(problem, InvalidInput):
        return f"{type(problem).__name__} in {problem.field}"
    if isinstance(problem, ExtractionFailed | ConfideError):
        return str(problem) if isinstance(problem, ExtractionFailed) else type(problem).__name__
    return f"the store raised {type(problem).__name__}"
