"""First contact with a PostgreSQL: the database, the extension and the four roles."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import asyncpg

from confide.errors import StorageProblem, StoreTooOld, StoreUnavailable
from confide.store.connection import Connection, is_pooled
from confide.store.layout import explaining
from confide.store.queries import sql_file
from confide.store.troubles import EMBEDDED, SERVER, explained, reaching

if TYPE_CHECKING:
    from confide.store.embedded import Server


DATABASE: Final = "confide"
LOGIN: Final = "confide_login"  # may take each of the roles, and has no rights of its own
ROLES: Final = ("confide_migrate", "confide_keep", "confide_tell")
LEAST_POSTGRES: Final = 160000
LEAST_PGVECTOR: Final = (0, 8, 0)


async def provision_embedded(server: Server, home: Path) -> dict[str, Any]:
    """Prepare the embedded server and return how to connect without being its superuser."""
    with explaining(home):
        password = _password(home)
    superuser = {
        "host": server.host,
        "port": server.port,
        "user": server.superuser,
        "password": server.password,
    }
    login = superuser | {"database": DATABASE, "user": LOGIN, "password": password}
    with explained(EMBEDDED):
        if not await _is_ready(login):
            await _make_database(superuser, password)
    return login


async def _make_database(superuser: dict[str, Any], password: str) -> None:
    with reaching(EMBEDDED):
        admin = await asyncpg.connect(database="postgres", **superuser)
    try:
        # One at a time: two programs may meet an empty server at once.
        await admin.execute("SELECT pg_advisory_lock(723001)")
        if not await admin.fetchval("SELECT 1 FROM pg_database WHERE datname = $1", DATABASE):
            await admin.execute(f"CREATE DATABASE {DATABASE}")
        inside = await asyncpg.connect(database=DATABASE, **superuser)
        try:
            await inside.execute("CREATE EXTENSION IF NOT EXISTS vector")
            await inside.execute(sql_file("provision.sql"))
            await _make_login(inside, password)
        finally:
            await inside.close()
    finally:
        await admin.close()


async def _is_ready(login: dict[str, Any]) -> bool:
    """A finished login exists; whatever is missing is made again."""
    try:
        connection = await asyncpg.connect(**login)
    except (asyncpg.PostgresError, OSError):
        return False
    await connection.close()
    return True


async def _make_login(connection: Connection, password: str) -> None:
    async with connection.transaction():
        if not await connection.fetchval("SELECT 1 FROM pg_roles WHERE rolname = $1", LOGIN):
            await connection.execute(f"CREATE ROLE {LOGIN} LOGIN NOINHERIT")
        # The password is made of letters and digits, so quoting cannot go wrong.
        await connection.execute(f"ALTER ROLE {LOGIN} PASSWORD '{password}'")
        for role in ROLES:
            await connection.execute(f"GRANT {role} TO {LOGIN} WITH INHERIT FALSE, SET TRUE")


def _password(home: Path) -> str:
    path = home / "login.password"
    if not path.exists():
        made = home / f"login.password.{secrets.token_hex(4)}"
        made.touch(mode=0o600)
        made.write_text(secrets.token_hex(24))
        try:
            path.hardlink_to(made)
        except FileExistsError:
            pass  # another process was first; its password counts
        finally:
            made.unlink()
    return path.read_text().strip()


async def provision_server(url: str, *, makes: bool) -> bool:
    """On a server that somebody else runs: check its versions; `makes` the roles too, if we may.

    Returns whether a pooler stands before it.
    """
    with reaching(SERVER):
        connection = await asyncpg.connect(url, timeout=10, statement_cache_size=0)
    try:
        with explained(SERVER):
            async with connection.transaction():  # a pooler may change servers between two
                await _demand_versions(connection)
                await _demand_primary(connection)
                pooled = await is_pooled(connection)
            if not makes:
                return pooled
            async with connection.transaction():
                await connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
                await _make_roles(connection)
    except asyncpg.InsufficientPrivilegeError as problem:
        raise StoreUnavailable(
            "CONFIDE_DATABASE_URL: this user may not create the extension or the roles; ask an"
            " administrator to run what `confide db provision-sql --user NAME` prints",
            field=SERVER,
        ) from problem
    finally:
        await connection.close()
    return pooled


async def _demand_primary(connection: Connection) -> None:
    if await connection.fetchval("SELECT pg_is_in_recovery()"):
        raise StorageProblem(
            "CONFIDE_DATABASE_URL: this is a standby, where nothing can be written: name the primary"
            " here, and the standby in CONFIDE_REPLICA_URLS, where it answers recalls",
            field=SERVER,
        )


async def _make_roles(connection: Connection) -> None:
    missing = await connection.fetchval(
        "SELECT count(*) < 4 FROM pg_roles WHERE rolname = ANY ($1)", ["confide_owner", *ROLES]
    )
    if missing:
        await connection.execute(sql_file("provision.sql"))
    for role in ROLES:
        may_take = await connection.fetchval("SELECT pg_has_role(current_user, $1, 'SET')", role)
        if not may_take:
            await connection.execute(f"GRANT {role} TO CURRENT_USER WITH INHERIT FALSE, SET TRUE")


async def _demand_versions(connection: Connection) -> None:
    version = int(await connection.fetchval("SHOW server_version_num"))
    if version < LEAST_POSTGRES:
        raise StoreTooOld(
            f"CONFIDE_DATABASE_URL: the server is PostgreSQL {version // 10000}; 16 or newer is needed",
            field=SERVER,
        )
    offered = await connection.fetchval(
        "SELECT COALESCE(installed_version, default_version) FROM pg_available_extensions"
        " WHERE name = 'vector'"
    )
    if offered is None:
        raise StoreTooOld(
            "CONFIDE_DATABASE_URL: the server has no pgvector; install 0.8 or newer", field=SERVER
        )
    if tuple(int(part) for part in offered.split(".")) < LEAST_PGVECTOR:
        raise StoreTooOld(
            f"CONFIDE_DATABASE_URL: pgvector is {offered}; 0.8 or newer is needed"
            " (ALTER EXTENSION vector UPDATE)",
            field=SERVER,
        )
