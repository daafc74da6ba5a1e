"""Hot standbys that answer recalls. Nothing read on one leaves before the primary has agreed.

Each answer says how far its standby saw: the lease of this program, which only the primary renews, and
how many narrowing writes. The primary compares both when the telling is logged (`confide.may_be_told`).
So a standby that lags, follows a former primary, or was asked by a program that slept is never
believed, and no write waits for one.
"""

from __future__ import annotations

import asyncio
import json
import logging
import uuid
from collections.abc import AsyncGenerator, Iterable
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final, cast

import asyncpg

from confide.errors import StoreError, UnsafeStore
from confide.privacy.policy import Audience
from confide.store.checks import demand_safety
from confide.store.connection import Connection, is_pooled
from confide.store.database import ENTER, Database, PlaceUnattested, Telling, connect_pool
from confide.store.queries import query
from confide.store.troubles import SERVER, reaching

log = logging.getLogger(__name__)

LOOK_SECONDS: Final = 1.0  # between two looks at each standby
PATIENCE: Final = 2.0  # seconds that a standby may take before the primary is asked instead
SETTING: Final = "CONFIDE_REPLICA_URLS"
#: A standby that is away, that stops a long question because of what it has to replay, or that
#: lacks what the primary has just got.
TROUBLE: Final = (
    StoreError,
    PlaceUnattested,
    asyncpg.PostgresError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
    OSError,
    TimeoutError,
)


class AskPrimary(Exception):
    """A standby could not answer this."""


async def narrowed(connection: Connection) -> None:
    """For a transaction that `Database.keep` did not begin: less may be told after it."""
    await connection.execute("SELECT confide.narrow(true)")


class Standby(Database):
    """One of them. It is asked in single transactions, so a pooler may stand before several."""

    def __init__(self, pool: asyncpg.Pool, agent: str, reader: uuid.UUID) -> None:
        super().__init__(pool, agent)
        self._reader = reader
        self.is_fit = False
        self.busy = 0

    @asynccontextmanager
    async def tell(
        self, audience: Audience, now: datetime, enter: str = ENTER, *args: Any
    ) -> AsyncGenerator[Telling, None]:
        """As `Database` does, saying how far this standby sees in the same snapshot."""
        self.busy += 1
        try:
            async with (
                asyncio.timeout(PATIENCE),
                super().tell(audience, now, enter, *args) as telling,
            ):
                read_at = await telling.connection.fetchval(
                    query("replicas", "read_at"), self.agent, self._reader
                )
                if read_at is None:
                    raise AskPrimary
                yield replace(telling, read_at=read_at)
        except PlaceUnattested:
            raise AskPrimary from None
        except TROUBLE as trouble:
            self.give_up(trouble)
            raise AskPrimary from trouble
        finally:
            self.busy -= 1

    async def look(self, lease: dict[str, Any], lag: float) -> None:
        """Whether it keeps up with its primary, by that primary's clock."""
        async with asyncio.timeout(PATIENCE), self._borrowed(writes=False) as connection:
            found = await connection.fetchval(
                query("replicas", "read_at"), self.agent, self._reader
            )
        seen: dict[str, Any] = json.loads(found) if found else {}
        oldest = datetime.fromisoformat(lease["renewed_at"]) - timedelta(seconds=lag)
        self.is_fit = (
            seen.get("history") == lease["history"]
            and datetime.fromisoformat(seen["renewed_at"]) > oldest
        )

    def give_up(self, trouble: Exception) -> None:
        """Until the next look."""
        if self.is_fit:
            log.warning("replica.unfit %s", type(trouble).__name__)
        self.is_fit = False

    @asynccontextmanager
    async def _borrowed(self, *, writes: bool = False) -> AsyncGenerator[Connection, None]:
        async with super()._borrowed(writes=writes) as connection:
            try:
                yield connection
            except BaseException:
                # To cancel a question politely, somebody has to be there who answers.
                connection.terminate()
                raise

    async def close(self) -> None:
        self._pool.terminate()


class Replicas:
    """All of them, and the lease that this program has from the primary."""

    def __init__(
        self, primary: Database, urls: Iterable[str], *, lag: float, size: int, is_pooled: bool
    ) -> None:
        self._primary = primary
        self._reader = uuid.uuid4()
        self._size = size
        self._is_pooled = is_pooled
        self._standbys: dict[str, Standby | None] = dict.fromkeys(urls)
        self._watching: asyncio.Task[None] | None = None
        self.lag = lag

    async def open(self) -> None:
        """One that cannot be reached is tried again later; one that is unsafe is refused."""
        for url in self._standbys:
            try:
                self._standbys[url] = await self._connected(url)
            except UnsafeStore as unsafe:
                await self.close()
                raise UnsafeStore(f"{SETTING}: {unsafe}") from unsafe
            except TROUBLE as trouble:
                log.warning("replica.away %s", type(trouble).__name__)
        self._watching = asyncio.create_task(self._watch())

    def fittest(self) -> Standby | None:
        """The least busy of those that keep up."""
        fit = [one for one in self._standbys.values() if one is not None and one.is_fit]
        return min(fit, key=lambda one: one.busy, default=None)

    async def close(self) -> None:
        if self._watching is not None:
            self._watching.cancel()
            with suppress(asyncio.CancelledError):
                await self._watching
        for standby in filter(None, self._standbys.values()):
            await standby.close()

    async def _watch(self) -> None:
        while True:
            try:
                lease = await self._renewed()
            except TROUBLE as trouble:
                for standby in filter(None, self._standbys.values()):
                    standby.give_up(trouble)
            else:
                await asyncio.gather(*(self._look(url, lease) for url in list(self._standbys)))
            await asyncio.sleep(LOOK_SECONDS)

    async def _renewed(self) -> dict[str, Any]:
        renewed = await self._primary.keep_at_once(
            query("replicas", "renew_lease"), self._reader, patience=PATIENCE
        )
        return json.loads(renewed)

    async def _look(self, url: str, lease: dict[str, Any]) -> None:
        standby = self._standbys[url]
        try:
            if standby is None:
                self._standbys[url] = standby = await self._connected(url)
            await standby.look(lease, self.lag)
        except UnsafeStore as unsafe:
            log.error("replica.unsafe, not asked again: %s", unsafe)
            del self._standbys[url]
        except TROUBLE as trouble:
            if standby is not None:
                standby.give_up(trouble)

    async def _connected(self, url: str) -> Standby:
        """It is not provisioned, only checked: it has what its primary has."""
        connect: dict[str, Any] = {"dsn": url}
        if self._is_pooled or await _is_behind_pooler(url):
            connect["statement_cache_size"] = 0  # as for the primary
        pool = await connect_pool(connect, self._size)
        try:
            async with pool.acquire() as connection, connection.transaction(readonly=True):
                await demand_safety(cast(Connection, connection))
        except BaseException:
            pool.terminate()
            raise
        return Standby(pool, self._primary.agent, self._reader)


async def _is_behind_pooler(url: str) -> bool:
    with reaching(SERVER):
        connection = await asyncpg.connect(url, timeout=5, statement_cache_size=0)
    try:
        return await is_pooled(connection)
    finally:
        connection.terminate()
