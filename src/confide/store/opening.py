"""Open the store: the embedded PostgreSQL, or the one that CONFIDE_DATABASE_URL names."""

from __future__ import annotations

import asyncio
from typing import Any, cast

from confide.config import Settings
from confide.errors import InvalidInput
from confide.store import embedded, migrate
from confide.store.checks import demand_safety
from confide.store.connection import Connection
from confide.store.database import Database, connect_pool
from confide.store.provision import provision_embedded, provision_server
from confide.store.replicas import Replicas
from confide.store.troubles import explained, setting_of


async def open_database(settings: Settings, *, migrates: bool | None = None) -> Database:
    """Start or join the server, and check that its schema is this program's and enforces the rule.

    The embedded database is migrated by whoever opens it. A server's is only if `migrates` or
    CONFIDE_AUTO_MIGRATE says so: other programs may be using it.
    """
    migrates = settings.auto_migrate if migrates is None else migrates
    if settings.replicas and settings.database_url is None:
        raise InvalidInput("CONFIDE_REPLICA_URLS", "needs CONFIDE_DATABASE_URL, their primary")
    lease: embedded.Lease | None = None
    try:
        if settings.database_url is None:
            lease = await asyncio.to_thread(
                embedded.start, settings.home, idle_seconds=settings.idle_minutes * 60
            )
            connect: dict[str, Any] = await provision_embedded(lease.server, settings.home)
        else:
            connect = {"dsn": settings.database_url.get_secret_value()}
            pooled = await provision_server(connect["dsn"], makes=migrates)
            if pooled or settings.transaction_pooling:
                # What is prepared on one server connection is unknown to the next; or worse, is
                # another program's statement of the same name.
                connect["statement_cache_size"] = 0
        await migrate.migrate(connect, applies=migrates or lease is not None)
        pool = await connect_pool(connect, settings.pool_size)
        try:
            with explained(setting_of(connect)):
                async with pool.acquire() as connection, connection.transaction():
                    await demand_safety(cast(Connection, connection))
        except BaseException:
            pool.terminate()
            raise
    except BaseException:
        if lease is not None:
            await asyncio.to_thread(lease.release)
        raise
    database = Database(pool, settings.agent, lease)
    if settings.replicas:
        await _ask_standbys(database, settings)
    return database


async def _ask_standbys(database: Database, settings: Settings) -> None:
    replicas = Replicas(
        database,
        settings.replicas,
        lag=settings.replica_seconds,
        size=settings.pool_size,
        is_pooled=settings.transaction_pooling,
    )
    try:
        await replicas.open()
    except BaseException:
        await database.close()
        raise
    database.replicas = replicas
