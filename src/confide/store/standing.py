"""How far a database's schema is, and bringing it to this program's version."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import asyncpg

from confide.store import embedded, migrate
from confide.store.opening import open_database
from confide.store.provision import provision_embedded
from confide.store.queries import query
from confide.store.troubles import SERVER, explained, reaching

if TYPE_CHECKING:
    from confide.config import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    postgres: str
    pgvector: str | None  # None: the extension is not created yet
    size_bytes: int
    applied: tuple[str, ...]
    missing: tuple[str, ...]
    is_current: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class BroughtUp:
    migrations: tuple[str, ...]
    applied: tuple[str, ...]


async def look(url: str) -> Standing:
    """Changes nothing, also in a database that was never prepared."""
    lacking = await migrate.missing({"dsn": url, "statement_cache_size": 0})
    with reaching(SERVER):
        connection = await asyncpg.connect(url, timeout=10, statement_cache_size=0)
    try:
        with explained(SERVER):
            async with connection.transaction():
                server = await connection.fetchrow(query("status", "server"))
                is_new = (
                    await connection.fetchval("SELECT to_regclass('confide.migration')") is None
                )
                rows = [] if is_new else await connection.fetch(query("status", "migrations"))
    finally:
        await connection.close()
    assert server is not None  # one row always comes
    return Standing(
        **dict(server),
        applied=tuple(row["name"] for row in rows),
        missing=tuple(lacking or ()),
        is_current=lacking is None,
    )


async def pending(settings: Settings) -> list[str] | None:
    """What `bring_up_to_date` would apply; None: nothing, and the functions are this program's."""
    if settings.database_url is not None:
        url = settings.database_url.get_secret_value()
        return await migrate.missing({"dsn": url, "statement_cache_size": 0})
    lease = await asyncio.to_thread(embedded.start, settings.home, idle_seconds=60)
    try:
        connect: dict[str, Any] = await provision_embedded(lease.server, settings.home)
        return await migrate.missing(connect)
    finally:
        await asyncio.to_thread(lease.release)


async def bring_up_to_date(settings: Settings) -> BroughtUp:
    """Roles, extension and every missing migration; safe to run twice and from two machines."""
    before = set[str]()
    if settings.database_url is not None:
        before = set((await look(settings.database_url.get_secret_value())).applied)
    database = await open_database(settings, migrates=True)
    try:
        async with database.keep() as connection:
            rows = await connection.fetch(query("status", "migrations"))
    finally:
        await database.close()
    names = tuple(row["name"] for row in rows)
    is_server = settings.database_url is not None
    applied = tuple(name for name in names if name not in before) if is_server else ()
    return BroughtUp(migrations=names, applied=applied)
