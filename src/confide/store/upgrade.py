"""Moves a data folder to the PostgreSQL in the wheel; the old folder stays as a backup.

Everything is dumped from the old server into a new one beside it. The new folder counts once it is
renamed into place, in one step, so a kill at any moment leaves the old or the new one in use.
"""

import contextlib
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Generator
from pathlib import Path
from typing import IO

from confide.errors import StoreTooOld, StoreUnavailable
from confide.store import cluster, runtime, supervisor
from confide.store.embedded import stop_locked
from confide.store.layout import Layout, explain, explaining, sync

OLD_PORT, NEW_PORT = 5433, 5434
Reach = list[str]


def upgrade(home: Path, *, old_bin: Path | None = None) -> Path | None:
    """Move the data of `home` to the current major version and return the backup's folder.

    None means there was nothing to do. `old_bin` holds the old version's `postgres` program; it is
    needed only if the wheel no longer carries that version.
    """
    layout = Layout(home.absolute())
    with explaining(layout.home):
        if layout.data() is None:
            return None
        layout.prepare()
        with supervisor.locked(layout.folder / supervisor.START_LOCK):
            stop_locked(layout)
            layout.prepare_for_server()
            return _upgrade(layout, old_bin)


def _upgrade(layout: Layout, old_bin: Path | None) -> Path | None:
    old = layout.data()
    if old is None or cluster.major_of(old) == runtime.current_major():
        return None
    old_postgres = _old_postgres(old, old_bin)
    install = runtime.bundled()[runtime.current_major()]
    fresh = cluster.create(layout, install)
    try:
        new_postgres = runtime.program(install, "postgres")
        with (
            owning_the_server(layout) as lock,
            _running(layout, old_postgres, old, lock, OLD_PORT) as old_server,
            _running(layout, new_postgres, fresh, lock, NEW_PORT) as new_server,
        ):
            _copy(layout, install, old_server, new_server)
        sync(fresh)
    except BaseException:
        shutil.rmtree(fresh, ignore_errors=True)
        raise
    fresh.rename(layout.data_of(runtime.current_major()))  # from here on the new folder counts
    backup = layout.folder / f"{old.name}-backup-{time.strftime('%Y%m%dT%H%M%S')}"
    old.rename(backup)
    return backup


def _old_postgres(data: Path, old_bin: Path | None) -> str:
    major = cluster.major_of(data)
    if old_bin is None:
        if major > runtime.current_major():
            cluster.require_current(data)
        if major not in runtime.bundled():
            raise StoreTooOld(
                f"The data folder {data} needs the programs of PostgreSQL {major} once more: "
                "install them and name their folder, `confide db upgrade --old-bin FOLDER`."
            )
        return runtime.program(runtime.bundled()[major], "postgres")
    postgres = str(old_bin / "postgres")
    try:
        said = subprocess.run([postgres, "--version"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise StoreUnavailable(f"old_bin: {postgres} does not run: name its folder.") from error
    if f" {major}." not in said.stdout:
        raise StoreUnavailable(f"old_bin: {postgres} is not of PostgreSQL {major}, as the data is.")
    return postgres


@contextlib.contextmanager
def owning_the_server(layout: Layout) -> Generator[int, None, None]:
    lock = supervisor.own(layout.folder / supervisor.SERVER_LOCK)
    if lock is None:
        raise StoreUnavailable(f"The server of CONFIDE_HOME {layout.home} still runs: try again.")
    try:
        yield lock
    finally:
        os.close(lock)


@contextlib.contextmanager
def _running(
    layout: Layout, postgres: str, data: Path, lock: int, port: int
) -> Generator[Reach, None, None]:
    """Run a server for this purpose only; gives the options by which clients reach it."""
    host = str(layout.socket_folder())
    (data / "postmaster.pid").unlink(missing_ok=True)
    for path in Path(host).glob(f".s.PGSQL.{port}*"):
        path.unlink()
    command = cluster.server_command(postgres, data, host=host, port=port)
    process = supervisor.spawn(command, data, layout.server_uid(), lock)
    try:
        if not supervisor.wait_until_ready(process, data):
            said = (layout.folder / supervisor.STARTUP_LOG).read_text(errors="replace")
            raise explain(layout.home, "start for the upgrade", said)
        yield ["--host", host, "--port", str(port), "--username", cluster.SUPERUSER]
    finally:
        supervisor.shut_down(process)


def _copy(layout: Layout, install: Path, old: Reach, new: Reach) -> None:
    """Dump everything, roles and their passwords too, from one server into the other."""
    environment = {"PATH": os.defpath, "LC_ALL": "C", "PGPASSWORD": layout.password()}
    # Errors without their text, which could quote a row.
    quietly = ["-X", "-q", "-v", "ON_ERROR_STOP=1", "-v", "VERBOSITY=sqlstate", "-d", "postgres"]
    with tempfile.TemporaryFile() as said:
        dump = subprocess.Popen(
            [runtime.program(install, "pg_dumpall"), *old, "--no-password"],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=said,
        )
        restore = subprocess.Popen(
            [runtime.program(install, "psql"), *new, "--no-password", *quietly],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=said,
        )
        assert dump.stdout
        assert restore.stdin
        with contextlib.suppress(BrokenPipeError), dump.stdout, restore.stdin:
            _pour(dump.stdout, restore.stdin)
        if restore.wait() or dump.wait():
            said.seek(0)
            raise explain(layout.home, "copy the old data", said.read().decode(errors="replace"))
    analyze = [runtime.program(install, "vacuumdb"), *new, "--all", "--analyze-only", "--quiet"]
    subprocess.run(analyze, env=environment, check=False, capture_output=True)  # only for speed


def _pour(dump: IO[bytes], restore: IO[bytes]) -> None:
    # The new folder was created with this role, so the dump must not create it again.
    existing = f"CREATE ROLE {cluster.SUPERUSER};\n".encode()
    for line in dump:
        if line == existing:
            break
        restore.write(line)
    shutil.copyfileobj(dump, restore, 2**20)
