"""Connections. Text is read only inside `tell`, rows are written only inside `keep`."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

import asyncpg

from confide.errors import InvalidInput
from confide.model import Entity
from confide.privacy.policy import Audience, World
from confide.store.connection import Connection
from confide.store.encoding import read_audience, read_world, write_audience
from confide.store.troubles import EMBEDDED, SERVER, explained, gone, reaching, setting_of

if TYPE_CHECKING:
    from confide.store.embedded import Lease
    from confide.store.replicas import Replicas


# Roles are set for one transaction only, so that nothing of it survives into the next one.
# Planning a search takes longer than a small one, and no plan here depends on what is asked.
# A plan made while a table is small would read the whole of it ever after, foreign keys too.
_PLANNING: Final = "SET LOCAL jit = off; SET LOCAL enable_seqscan = off"
BEGIN_TELLING: Final = (
    "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL ROLE confide_tell;"
    f" {_PLANNING}; SET LOCAL plan_cache_mode = force_generic_plan"
)
BEGIN_KEEPING: Final = f"BEGIN; SET LOCAL ROLE confide_keep; {_PLANNING}"
BEGIN_NOTING: Final = f"{BEGIN_KEEPING}; SET LOCAL synchronous_commit = off"
BEGIN_TENDING: Final = "BEGIN; SET LOCAL ROLE confide_migrate; SET LOCAL ROLE confide_owner"
BEGIN_COPYING: Final = (
    "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL TIME ZONE 'UTC';"
    " SET LOCAL DateStyle = 'ISO'; SET LOCAL ROLE confide_migrate; SET LOCAL ROLE confide_owner"
)
ENTER: Final = "SELECT confide.enter($1, $2::jsonb, $3) AS seen"
# Standbys are asked only as long as they have seen every write after which less may be told.
COMMIT_NARROWING: Final = "SELECT confide.narrow(true); COMMIT"
COMMIT_ADDING: Final = "SELECT confide.narrow(false); COMMIT"


class PlaceUnattested(Exception):
    """The platform says something new about a place; it has to be kept before anything is told."""


@dataclass(frozen=True, slots=True)
class Telling:
    """One audience's transaction: whatever is selected here, that audience may hear."""

    connection: Connection
    world: World
    audience: Audience  # in the place as it is known now
    entered: Mapping[str, Any]  # what the statement said that entered
    read_at: str | None = None  # how far a standby sees, if this is one


@dataclass(frozen=True, slots=True)
class PoolUse:
    most: int
    open: int
    in_use: int


def require_audience(audience: object) -> None:
    """There is no default: whoever forgets it is told so, and nothing else."""
    if not isinstance(audience, Audience):
        raise InvalidInput(
            "audience", "is missing; say who will see the answer: audience(asker, place)"
        )


class Database:
    """A pool of connections to one PostgreSQL, for one agent."""

    def __init__(self, pool: asyncpg.Pool, agent: str, lease: Lease | None = None) -> None:
        self._pool = pool
        self._lease = lease
        self.replicas: Replicas | None = None
        self._setting = SERVER if lease is None else EMBEDDED
        self.agent = agent
        self.agent_entity = Entity("si", agent)
        self.patience = 60.0  # seconds that a transaction may stay silent

    @asynccontextmanager
    async def tell(
        self, audience: Audience, now: datetime, enter: str = ENTER, *args: Any
    ) -> AsyncGenerator[Telling, None]:
        """Read as `audience`, in one snapshot. The database shows it nothing else.

        The first statement enters, and says in `seen` what was decided on.
        """
        written = write_audience(audience, self.agent_entity)
        async with self._transaction(BEGIN_TELLING) as connection:
            entered = await connection.fetchrow(enter, self.agent, written, now, *args)
            if entered is None or entered["seen"] is None:
                raise PlaceUnattested
            yield Telling(connection, *self._known(entered["seen"], audience, now), entered)

    @asynccontextmanager
    async def keep(
        self,
        *,
        by: object = None,
        doing: str | None = None,
        at: datetime | None = None,
        may_lag: bool = False,
        only_adds: bool = False,
    ) -> AsyncGenerator[Connection, None]:
        """Write, and read what the agent keeps. Never a source for an answer.

        `by` (an actor), `doing` (a verb) and `at` are what the trail says of every change made here.
        What `may_lag` is committed without waiting for the disk: only if the machine itself fails
        can its last half second be lost, and then as a whole.
        Afterwards somebody may be told less, unless it `only_adds` and the trail agrees.
        """
        begin = BEGIN_NOTING if may_lag else BEGIN_KEEPING
        said = {"agent": self.agent, "actor": by, "doing": doing, "acting_at": at}
        # In one round trip.
        settings = "; ".join(
            f"SET LOCAL confide.{name} = {_quoted(str(value))}"
            for name, value in said.items()
            if value is not None
        )
        # Whoever falls asleep inside a transaction must not hold its locks for ever.
        limit = f"SET LOCAL idle_in_transaction_session_timeout = '{self.patience:g}s'"
        end = COMMIT_ADDING if only_adds or may_lag else COMMIT_NARROWING
        async with self._transaction(f"{begin}; {settings}; {limit}", end) as connection:
            yield connection

    async def keep_at_once(self, statement: str, *args: Any, patience: float | None = None) -> Any:
        """Write in one statement, which takes the rights for that by itself and is all or nothing.

        After `patience` seconds nobody knows whether it was.
        """
        async with self._borrowed() as connection:
            try:
                async with asyncio.timeout(patience):
                    return await connection.fetchval(statement, self.agent, *args)
            except TimeoutError:
                connection.terminate()
                raise gone(self._setting) from None

    def to_ask(self) -> Iterator[Database]:
        """Whom to ask, until an answer may be told: a standby that keeps up, then this one."""
        standby = self.replicas and self.replicas.fittest()
        if standby:
            yield standby
        yield self

    @asynccontextmanager
    async def tend(self) -> AsyncGenerator[Connection, None]:
        """Look after tables and indexes as their owner, who sees no row of them."""
        async with self._transaction(BEGIN_TENDING) as connection:
            yield connection

    @asynccontextmanager
    async def snapshot(self) -> AsyncGenerator[Connection, None]:
        """All that is kept, as it is at one moment: for a copy of the whole, never for an answer."""
        async with self._transaction(BEGIN_COPYING) as connection:
            yield connection

    def pool_use(self) -> PoolUse:
        """How busy the connections of this process are."""
        size = self._pool.get_size()
        return PoolUse(self._pool.get_max_size(), size, size - self._pool.get_idle_size())

    def of(self, agent: str) -> Database:
        """The same connections for another agent, for as long as this one is open."""
        other = Database(self._pool, agent)
        other._setting = self._setting
        return other

    async def refresh_statistics(self, *, known_until: float = math.inf) -> None:
        """After much was written at once: plans made for an empty table would read too much, and
        its foreign keys are among them. Not where more rows than `known_until` are known of."""
        async with self.tend() as connection:
            known = await connection.fetchval(
                "SELECT reltuples FROM pg_class WHERE oid = 'confide.memory'::regclass"
            )
            if known <= known_until:
                await connection.execute(
                    "ANALYZE confide.memory, confide.embedding, confide.words, confide.evidence,"
                    " confide.label, confide.label_door, confide.clause, confide.clause_term"
                )

    @asynccontextmanager
    async def _transaction(
        self, begin: str, end: str = "COMMIT"
    ) -> AsyncGenerator[Connection, None]:
        async with self._borrowed(writes="READ ONLY" not in begin) as connection:
            try:
                await connection.execute(begin)
                yield connection
                await connection.execute(end)
            except BaseException:
                await _roll_back(connection)
                raise

    @asynccontextmanager
    async def _borrowed(self, *, writes: bool = True) -> AsyncGenerator[Connection, None]:
        """A connection of the pool. Whatever goes wrong with it is said in words of ours."""
        with reaching(self._setting):
            borrowed: Any = await self._pool.acquire()
        with explained(self._setting, writes=writes):
            try:
                yield borrowed
            finally:
                await self._pool.release(borrowed)

    def _known(self, seen: str, audience: Audience, now: datetime) -> tuple[World, Audience]:
        known = json.loads(seen)
        return read_world(known, self.agent_entity, now), read_audience(known, audience)

    async def close(self) -> None:
        if self.replicas is not None:
            await self.replicas.close()
        try:
            await asyncio.wait_for(self._pool.close(), timeout=10)
        except TimeoutError:
            self._pool.terminate()
        if self._lease is not None:
            await asyncio.to_thread(self._lease.release)


def _quoted(text: str) -> str:
    """Safe whatever the server makes of a backslash."""
    return "E'" + text.replace("\\", "\\\\").replace("'", "''") + "'"


async def _roll_back(connection: Connection) -> None:
    """End the transaction; a connection that cannot is thrown away with all it knew."""
    try:
        await asyncio.shield(asyncio.wait_for(connection.execute("ROLLBACK"), timeout=5))
    except (
        asyncpg.PostgresError,
        asyncpg.InterfaceError,
        asyncpg.InternalClientError,
        OSError,
        TimeoutError,
        asyncio.CancelledError,
    ):
        # A connection that broke was let go already.
        with suppress(asyncpg.InterfaceError):
            connection.terminate()


async def _let_go(connection: Any) -> None:
    """Every setting ends with its transaction, so once that ended there is nothing to reset."""
    if connection.is_in_transaction():
        connection.terminate()


async def _know_vectors(connection: Any) -> None:
    """Vectors are sent as bytes: as numbers, writing them takes longer than storing them."""
    async with connection.transaction():  # a pooler may change servers between two
        await connection.set_type_codec(
            "halfvec", schema="public", format="binary", encoder=bytes, decoder=bytes
        )


async def connect_pool(connect: dict[str, Any], size: int) -> asyncpg.Pool:
    with reaching(setting_of(connect)):
        return await asyncpg.create_pool(
            min_size=1, max_size=size, timeout=10, init=_know_vectors, reset=_let_go, **connect
        )
