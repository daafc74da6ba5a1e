"""Bring the schema up to date, one migration after another, one program at a time."""

from __future__ import annotations

import hashlib
from typing import Any, Final

import asyncpg

from confide.errors import StoreTooNew, StoreTooOld
from confide.store.connection import Connection
from confide.store.queries import migration_files, sql_file
from confide.store.rehash import rehash
from confide.store.troubles import explained, reaching, setting_of

LOCK: Final = 723002
#: After it the hashes of memories are of something else.
REHASHED: Final = "_duplicates.sql"
HEAD: Final = """
CREATE SCHEMA IF NOT EXISTS confide;
GRANT USAGE ON SCHEMA confide TO PUBLIC;
CREATE TABLE IF NOT EXISTS confide.migration (
    number integer PRIMARY KEY,
    name text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE IF NOT EXISTS confide.policy_version (digest text PRIMARY KEY);
GRANT SELECT ON confide.migration, confide.policy_version TO PUBLIC;
"""


async def migrate(connect: dict[str, Any], *, applies: bool = True) -> list[str]:
    """Apply what is missing, or demand that nothing is; returns the names of what was applied."""
    setting = setting_of(connect)
    with reaching(setting):
        connection = await asyncpg.connect(**connect)
    try:
        with explained(setting):
            return await _migrate(connection, applies)
    finally:
        await connection.close()


async def missing(connect: dict[str, Any]) -> list[str] | None:
    """The migrations that are not applied yet; None: the schema is this program's. Changes nothing."""
    with reaching(setting_of(connect)):
        connection = await asyncpg.connect(**connect)
    try:
        with explained(setting_of(connect)):
            async with connection.transaction():
                return await _missing(connection)
    finally:
        await connection.close()


async def _missing(connection: Connection) -> list[str] | None:
    if await _is_current(connection):
        return None
    is_new = await connection.fetchval("SELECT to_regclass('confide.migration')") is None
    done = set[int]() if is_new else await applied(connection)
    return [name for number, name, _ in migration_files() if number not in done]


async def _migrate(connection: Connection, applies: bool) -> list[str]:
    async with connection.transaction():  # a pooler may change servers between two
        if await _is_current(connection):
            return []
        if not applies:
            raise _not_migrated(await _missing(connection) or [])
    async with connection.transaction():
        await connection.execute("SELECT pg_advisory_xact_lock($1)", LOCK)
        await connection.execute("SET LOCAL ROLE confide_migrate; SET LOCAL ROLE confide_owner")
        await connection.execute("SET LOCAL client_min_messages = warning")
        await connection.execute(HEAD)
        return await _apply_missing(connection)


def _not_migrated(names: list[str]) -> StoreTooOld:
    lacks = f"lacks {len(names)} migrations" if names else "has the functions of another version"
    return StoreTooOld(
        f"CONFIDE_DATABASE_URL: the database {lacks} of this program; back it up, then run"
        " `confide db migrate`",
        field="CONFIDE_DATABASE_URL",
    )


async def _apply_missing(connection: Connection) -> list[str]:
    done = await applied(connection)
    _refuse_newer(done)
    names: list[str] = []
    for number, name, text in migration_files():
        if number not in done:
            await connection.execute(text)
            await connection.execute(
                "INSERT INTO confide.migration (number, name) VALUES ($1, $2)", number, name
            )
            names.append(name)
    await connection.execute(policy_text())
    await connection.execute("DELETE FROM confide.policy_version")
    await connection.execute("INSERT INTO confide.policy_version VALUES ($1)", policy_digest())
    if any(name.endswith(REHASHED) for name in names):
        await rehash(connection)
    return names


async def _is_current(connection: Connection) -> bool:
    """Nothing to do: the usual case, answered without a lock."""
    if await connection.fetchval("SELECT to_regclass('confide.policy_version')") is None:
        return False
    done = await applied(connection)
    _refuse_newer(done)
    digest = await connection.fetchval("SELECT digest FROM confide.policy_version")
    return done == {number for number, _, _ in migration_files()} and digest == policy_digest()


async def applied(connection: Connection) -> set[int]:
    return {row[0] for row in await connection.fetch("SELECT number FROM confide.migration")}


def _refuse_newer(done: set[int]) -> None:
    known = {number for number, _, _ in migration_files()}
    if done - known:
        raise StoreTooNew(
            f"the database has migration {max(done)}, this program knows {max(known)};"
            " update confide, or point CONFIDE_DATABASE_URL or CONFIDE_HOME elsewhere"
        )


def policy_text() -> str:
    """Everything that is stated anew rather than migrated: functions, row-level security, rights."""
    files = (
        "policy.sql", "recalling.sql", "telling.sql", "observing.sql",
        "remembering.sql", "merging.sql", "trail.sql", "fading.sql", "replicas.sql",
    )  # fmt: skip
    return "".join(sql_file(name) for name in files)


def policy_digest() -> str:
    return hashlib.sha256(policy_text().encode()).hexdigest()
