"""What a database says when it fails, as an error that names the setting and the fix.

Collisions are left as they are: whoever wrote tries again. So is what only a mistake of ours raises.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import Any, Final

import asyncpg

from confide.errors import StorageProblem, StoreError, StoreUnavailable

EMBEDDED: Final = "CONFIDE_HOME"
SERVER: Final = "CONFIDE_DATABASE_URL"

#: The server is away, or leaves, or takes nobody more.
_AWAY: Final = (
    asyncpg.PostgresConnectionError,
    asyncpg.CannotConnectNowError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    asyncpg.InternalClientError,
)
#: What an address that leads nowhere can raise, besides what PostgreSQL itself says.
_UNREACHED: Final = (
    OSError,
    ValueError,
    OverflowError,
    asyncpg.PostgresError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
)
_FULL: Final = {
    EMBEDDED: "the disk is full: free some space; what was kept before is safe",
    SERVER: "the server's disk is full: free some space there; what was kept before is safe",
}
_READ_ONLY: Final = {
    EMBEDDED: "the database is read-only: turn default_transaction_read_only off",
    SERVER: "the database is read-only: name the primary instead of a copy of it, or turn"
    " default_transaction_read_only off",
}
_BUSY: Final = {
    EMBEDDED: "the database has no memory or connections left: end other programs that use it",
    SERVER: "the server has no memory or connections left: lower CONFIDE_POOL_SIZE, or give it more",
}
_GONE: Final = {
    EMBEDDED: "the database stopped answering: open the memory again, which starts it;"
    " `confide db status` says whether it runs",
    SERVER: "the database stopped answering: check that the server runs, and try again",
}
_CONNECT: Final = {
    EMBEDDED: "open the memory again, which starts the database; `confide db status` says whether"
    " it runs",
    SERVER: "check that the server runs and that the address, user and password are right",
}


def setting_of(connect: Mapping[str, Any]) -> str:
    """The setting by which a database was chosen that is connected to like this."""
    return SERVER if "dsn" in connect else EMBEDDED


@contextmanager
def explained(setting: str, *, writes: bool = True) -> Generator[None, None, None]:
    """Around whatever is asked of a database that was reached."""
    try:
        yield
    except (asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError) as problem:
        said = _in_words(problem, setting, writes)
        if said is None:
            raise
        raise said from problem


@contextmanager
def reaching(setting: str) -> Generator[None, None, None]:
    """Around connecting, where anything that fails means that nobody is there."""
    try:
        yield
    except _UNREACHED as problem:
        said = None
        if isinstance(problem, asyncpg.InsufficientResourcesError):
            said = _in_words(problem, setting)
        reason = f"cannot connect ({type(problem).__name__}): {_CONNECT[setting]}"
        raise said or _problem(StoreUnavailable, setting, reason) from problem


def gone(setting: str) -> StoreError:
    """For what was waited for in vain."""
    return _problem(StoreUnavailable, setting, _GONE[setting])


def _in_words(problem: Exception, setting: str, writes: bool = True) -> StoreError | None:
    if isinstance(problem, asyncpg.DiskFullError):
        return _problem(StorageProblem, setting, _FULL[setting])
    # Writing where we only ever read is our own mistake, whatever the database allows.
    if isinstance(problem, asyncpg.ReadOnlySQLTransactionError) and writes:
        return _problem(StorageProblem, setting, _READ_ONLY[setting])
    if isinstance(problem, asyncpg.InsufficientResourcesError):
        return _problem(StoreUnavailable, setting, _BUSY[setting])
    if isinstance(problem, _AWAY) or _is_closed(problem):
        return gone(setting)
    return None


def _is_closed(problem: Exception) -> bool:
    """The same class tells of a wrong call, which a database that is away does not explain."""
    ways = ("closed", "closing", "released back to the pool")  # as a lost connection is, at once
    return isinstance(problem, asyncpg.InterfaceError) and any(way in str(problem) for way in ways)


def _problem(kind: type[StoreError], setting: str, words: str) -> StoreError:
    return kind(f"{setting}: {words}", field=setting)
