"""A backup of the whole store: every agent's rows in one snapshot, as any role may read them.

COPY and not pg_dump: pg_dump cannot read tables under forced row-level security without rights that
a managed server gives to nobody, must be as new as the server, and copies an agent only with all.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final

from confide.store import ledger
from confide.store.backup_file import Manifest, Part, Writing
from confide.store.queries import query
from confide.store.tables import Table, read_tables

if TYPE_CHECKING:
    from confide.store.connection import Connection
    from confide.store.database import Database

#: Serve for a day or less, or count what this store did; an old backup must forge nothing.
LEFT_OUT: Final = frozenset(
    {"signing_key", "asked_once", "narrowing", "reader_lease", "sign_in_link", "browser_session"}
)
#: Told the name of each table before it is copied.
Step = Callable[[str], None]


def no_step(_name: str) -> None:
    """Nobody is watching."""


async def agents_of(database: Database) -> list[str]:
    async with database.tend() as connection:
        return [row["agent"] for row in await connection.fetch(query("tables", "agents"))]


async def ensure_keys(database: Database, now: datetime) -> None:
    """What is erased later is named in the ledger by these keys, so a backup has to know them."""
    for agent in await agents_of(database):
        async with database.of(agent).keep() as connection:
            await ledger.marks(connection, agent, now)


async def back_up(
    database: Database, path: Path | IO[bytes], program: str, now: datetime, step: Step = no_step
) -> Manifest:
    """Write every agent's rows to a new file or a stream, as they are at one moment."""
    await ensure_keys(database, now)
    with Writing(path) as file:
        async with database.snapshot() as connection:
            tables = [one for one in await read_tables(connection) if one.name not in LEFT_OUT]
            agents = [row["agent"] for row in await connection.fetch(query("tables", "agents"))]
            parts: list[Part] = []
            for agent in agents:
                await speak_for(connection, agent)
                for table in tables:
                    step(table.name)
                    parts.append(await _copy(connection, file, agent, table))
            names = await connection.fetch(query("status", "migrations"))
        manifest = Manifest(
            made_at=now.isoformat(),
            program=program,
            migrations=[row["name"] for row in names],
            parts=parts,
        )
        file.finish(manifest)
    return manifest


async def speak_for(connection: Connection, agent: str) -> None:
    """From now on this transaction reads and writes one agent's rows, and no other's."""
    await connection.execute("SELECT set_config('confide.agent', $1, true)", agent)
    await connection.execute("SET LOCAL ROLE confide_keep")


async def _copy(connection: Any, file: Writing, agent: str, table: Table) -> Part:
    with file.member(f"{agent}/{table.name}.copy") as member:
        done = await connection.copy_from_query(
            f"SELECT {table.listed} FROM confide.{table.name}", output=member.write
        )
    return Part(
        agent=agent,
        table=table.name,
        columns=list(table.columns),
        rows=int(done.split()[-1]),
        sha256=member.sha256,
    )


async def digests(
    connection: Connection, agent: str, tables: list[Table]
) -> dict[str, tuple[int, str]]:
    """How many rows each table has, and a number that any other row would change."""
    await speak_for(connection, agent)
    found: dict[str, tuple[int, str]] = {}
    for table in tables:
        row = await connection.fetchrow(
            "SELECT count(*) AS rows, COALESCE(sum(('x' || encode(substring(sha256(convert_to("
            f"ROW({table.listed})::text, 'UTF8')) for 7), 'hex'))::bit(56)::bigint), 0)::text AS sum"
            f" FROM confide.{table.name}"
        )
        found[table.name] = row["rows"], row["sum"]
    return found
