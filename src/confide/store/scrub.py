"""What was erased leaves the files as well: tables are rewritten, statistics renewed, WAL removed.

On the embedded database nobody else is connected meanwhile, so that nothing erased is kept for a
snapshot of somebody's. Each step can be repeated: a kill leaves a database that starts as usual.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import asyncpg

from confide.errors import StoreError
from confide.store import cluster, embedded, runtime, supervisor
from confide.store.backup import Step, no_step
from confide.store.connection import is_pooled
from confide.store.layout import Layout, explain, explaining, sync
from confide.store.provision import DATABASE
from confide.store.queries import query
from confide.store.troubles import SERVER, reaching
from confide.store.upgrade import owning_the_server

PORT: Final = 5435
#: A new WAL file is a file of zeros; the launcher of vacuums would hold a snapshot.
ALONE: Final = ("wal_recycle=off", "wal_init_zero=on", "autovacuum=off")
_SEGMENT: Final = re.compile(r"[0-9A-F]{24}")
_REDO: Final = re.compile(r"REDO WAL file:\s+([0-9A-F]{24})")
BEYOND: Final = (
    "free blocks, snapshots and backups of the disk",
    "files made by `confide backup` before",
)
BEYOND_SERVER: Final = (
    "the server's WAL, its archive and its replicas",
    "backups of the server, and of its disk",
    "former versions of the server's own statistics",
    "labels that nothing has any more; they name people by id",
    "files made by `confide backup` before",
)


@dataclass(slots=True, kw_only=True)
class Scrubbed:
    """What was rewritten. `left`: what has to be removed by hand; `beyond`: what nobody here sees."""

    tables: int = 0
    labels: int = 0
    wal_files: int = 0
    left: list[str] = field(default_factory=list[str])
    beyond: tuple[str, ...] = BEYOND


def scrub(home: Path, step: Step = no_step) -> Scrubbed:
    """The embedded database. Whoever is connected is disconnected, and connects again."""
    layout = Layout(home.absolute())
    done = Scrubbed()
    with explaining(layout.home):
        data = layout.data()
        if data is None:
            return done
        layout.prepare()
        with supervisor.locked(layout.folder / supervisor.START_LOCK):
            cluster.require_current(data)
            was_running = embedded.stop_locked(layout)
            layout.prepare_for_server()
            for rest in layout.folder.glob("new-*"):  # left by a process that was killed
                shutil.rmtree(rest)
            done.wal_files += _remove_wal(layout, data, only_unused=True)
            with owning_the_server(layout) as lock, _alone(layout, data, lock) as connect:
                asyncio.run(_rewrite(connect, done, step))
            step("WAL")
            done.wal_files += _remove_wal(layout, data, only_unused=False)
            sync(data / "pg_wal")
        done.left = [str(path) for path in layout.folder.glob("data-*-backup-*")]
    if was_running:
        embedded.start(home).release()
    return done


async def scrub_server(url: str, step: Step = no_step) -> Scrubbed:
    """Somebody else's server: tables and statistics are renewed; the rest is theirs."""
    done = Scrubbed(beyond=BEYOND_SERVER)
    with reaching(SERVER):
        connection = await asyncpg.connect(url, statement_cache_size=0)
    try:
        async with connection.transaction():
            if await is_pooled(connection):
                raise StoreError(
                    "CONFIDE_DATABASE_URL: a pooler stands before this server, and tables cannot be"
                    " rewritten through one; give the address of the server itself for this command"
                )
        await connection.execute("SET ROLE confide_migrate; SET ROLE confide_owner")
        await _rewrite_tables(connection, done, step)
        if await connection.fetchval(query("scrub", "old_snapshots")):
            done.left.append("rows that a transaction of somebody else still sees; run it again")
    finally:
        await connection.close()
    return done


async def _rewrite(connect: dict[str, Any], done: Scrubbed, step: Step) -> None:
    connection = await asyncpg.connect(**connect)
    try:
        step("labels")
        done.labels = await _drop_unused_labels(connection)
        await _rewrite_tables(connection, done, step)
        step("statistics")
        # ANALYZE wrote new samples; the old ones are dead rows of the catalogue.
        await connection.execute("VACUUM (FULL) pg_catalog.pg_statistic")
        for _ in range(2):
            await connection.execute("CHECKPOINT")
            await connection.execute("SELECT pg_switch_wal()")
        await connection.execute("CHECKPOINT")
    finally:
        await connection.close()


async def _rewrite_tables(connection: Any, done: Scrubbed, step: Step) -> None:
    for row in await connection.fetch(query("scrub", "tables")):
        step(row["name"])
        await connection.execute(f"VACUUM (FULL, ANALYZE) confide.{row['name']}")
        done.tables += 1


async def _drop_unused_labels(connection: Any) -> int:
    async with connection.transaction():
        # Nobody refers to them, as was just seen, and nobody else is here: no need to look for each.
        await connection.execute("SET LOCAL session_replication_role = replica")
        rows = await connection.fetch(query("scrub", "unused_labels"))
        gone = [row["agent"] for row in rows], [row["id"] for row in rows]
        await connection.execute(query("scrub", "drop_doors"), *gone)
        await connection.execute(query("scrub", "drop_labels"), *gone)
        await connection.execute(query("scrub", "drop_terms"))
        await connection.execute(query("scrub", "drop_clauses"))
    return len(rows)


@contextmanager
def _alone(layout: Layout, data: Path, lock: int) -> Generator[dict[str, Any], None, None]:
    """A server for this purpose only; how to connect to it."""
    install = runtime.bundled()[runtime.current_major()]
    host = str(layout.socket_folder())
    (data / "postmaster.pid").unlink(missing_ok=True)
    for path in Path(host).glob(f".s.PGSQL.{PORT}*"):
        path.unlink()
    postgres = runtime.program(install, "postgres")
    command = cluster.server_command(postgres, data, host=host, port=PORT)
    command += [part for setting in ALONE for part in ("-c", setting)]
    process = supervisor.spawn(command, data, layout.server_uid(), lock)
    try:
        if not supervisor.wait_until_ready(process, data):
            said = (layout.folder / supervisor.STARTUP_LOG).read_text(errors="replace")
            raise explain(layout.home, "start for the scrub", said)
        yield {
            "host": host, "port": PORT, "user": cluster.SUPERUSER,
            "password": layout.password(), "database": DATABASE,
        }  # fmt: skip
    finally:
        supervisor.shut_down(process)


def _remove_wal(layout: Layout, data: Path, *, only_unused: bool) -> int:
    """After a clean stop the server needs the file with its last checkpoint, and no other.

    Later ones are old files that wait to be used again. Whatever else it needs to recover from a
    crash stays: then its last checkpoint is not the end of the journal.
    """
    redo = _last_needed(data)
    if redo is None:
        if only_unused:
            return 0
        raise StoreError("the database did not stop cleanly; run `confide db scrub` again")
    removed = 0
    for path in sorted((data / "pg_wal").iterdir()):
        if _SEGMENT.fullmatch(path.name) and (
            path.name > redo or (not only_unused and path.name < redo)
        ):
            path.unlink()
            removed += 1
    return removed


def _last_needed(data: Path) -> str | None:
    install = runtime.bundled()[runtime.current_major()]
    said = subprocess.run(
        [runtime.program(install, "pg_controldata"), "-D", str(data)],
        capture_output=True, text=True, check=True, env={"PATH": os.defpath, "LC_ALL": "C"},
    ).stdout  # fmt: skip
    found = _REDO.search(said)
    is_clean = re.search(r"Database cluster state:\s+shut down\n", said)
    return found[1] if found and is_clean else None
