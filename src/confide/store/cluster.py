"""Creates a data folder, checks its version, and knows how its server is to be run."""

import os
import secrets
import shutil
import subprocess
import sys
from pathlib import Path

from confide.errors import StorageProblem, StoreTooNew, StoreTooOld
from confide.store import runtime
from confide.store.layout import Layout, explain, sync

SUPERUSER = "confide_root"

SETTINGS = {
    # A laptop's share of memory and processes.
    "max_connections": "50",
    # A restore holds every table and index in one transaction.
    "max_locks_per_transaction": "1024",
    "shared_buffers": "128MB",
    "work_mem": "16MB",
    "maintenance_work_mem": "128MB",
    "io_method": "sync",
    "max_parallel_workers_per_gather": "0",
    "max_parallel_maintenance_workers": "0",
    "max_wal_size": "512MB",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "max_logical_replication_workers": "0",
    "random_page_cost": "1.1",
    "jit": "off",
    # What is acknowledged survives a power cut.
    "fsync": "on",
    "full_page_writes": "on",
    "synchronous_commit": "on",
    "autovacuum": "on",
    # The log tells of events. An error's message or detail can quote a row, so neither is logged.
    "logging_collector": "on",
    "log_directory": "../log",
    "log_filename": "postgres-%a.log",
    "log_truncate_on_rotation": "on",
    "log_rotation_age": "1d",
    "log_rotation_size": "0",
    "log_file_mode": "0600",
    "log_min_messages": "log",
    "log_error_verbosity": "terse",
    "log_statement": "none",
    "log_duration": "off",
    "log_min_error_statement": "panic",
    "log_min_duration_statement": "-1",
    "log_min_duration_sample": "-1",
    "log_transaction_sample_rate": "0",
    "log_parameter_max_length": "0",
    "log_parameter_max_length_on_error": "0",
    "log_checkpoints": "off",
    "log_autovacuum_min_duration": "-1",
    "session_preload_libraries": "",
    "shared_preload_libraries": "",
    "track_activity_query_size": "100",
    # The machine's settings change nothing.
    "timezone": "UTC",
    "log_timezone": "UTC",
    "lc_messages": "C",
    "password_encryption": "scram-sha-256",
    "ssl": "off",
}
#: For a database that is removed when its user ends, so that a demo or a test need not wait.
THROWN_AWAY = {"fsync": "off", "full_page_writes": "off", "synchronous_commit": "off"}
ONLY_IN_NEWER = {"io_method": 18}
BUILTIN_LOCALE_SINCE = 17


def major_of(data: Path) -> int:
    """By the file that PostgreSQL itself goes by."""
    file = data / "PG_VERSION"
    try:
        return int(file.read_text())
    except (FileNotFoundError, ValueError) as problem:
        what = "is missing" if isinstance(problem, FileNotFoundError) else "holds no version"
        raise StorageProblem(
            f"CONFIDE_HOME: {file} {what}, so its folder is damaged: restore CONFIDE_HOME from a"
            " backup, or set it to another folder.",
            field="CONFIDE_HOME",
        ) from problem


def require_current(data: Path) -> None:
    major, current = major_of(data), runtime.current_major()
    if major < current:
        raise StoreTooOld(
            f"The data folder {data} was written by PostgreSQL {major} and this program has "
            f"{current}: run `confide db upgrade`, which keeps the old folder as a backup."
        )
    if major > current:
        raise StoreTooNew(
            f"The data folder {data} was written by PostgreSQL {major} and this program has only "
            f"{current}: install the newest confide (`confide db upgrade` only moves forward)."
        )


def create(layout: Layout, install: Path, *, is_kept: bool = True) -> Path:
    """A new data folder, not yet in its place: rename it there once it is complete."""
    for rest in layout.folder.glob("new-*"):  # left by a process that was killed
        shutil.rmtree(rest)
    uid = layout.server_uid()
    fresh = layout.folder / f"new-{secrets.token_hex(4)}"
    fresh.mkdir(mode=0o700)
    try:
        _initdb(layout, install, fresh, layout.ensure_password())
        (fresh / "pg_hba.conf").write_text(_who_may_connect())
        runtime.give(fresh, uid)
        if is_kept:
            sync(fresh)
    except BaseException:
        shutil.rmtree(fresh, ignore_errors=True)
        raise
    return fresh


def _initdb(layout: Layout, install: Path, fresh: Path, password: str) -> None:
    command = [
        runtime.program(install, "initdb"),
        *("--pgdata", data_argument(fresh), "--username", SUPERUSER),
        *("--auth", "scram-sha-256", "--encoding", "UTF8", "--locale", "C"),
        *("--data-checksums", "--no-sync", "--no-instructions"),
    ]
    if runtime.major_of(install) >= BUILTIN_LOCALE_SINCE:
        command += ["--locale-provider", "builtin", "--builtin-locale", "C.UTF-8"]
    if sys.platform == "win32":
        result = _initdb_on_windows(command, fresh, password)
    else:
        result = _initdb_on_posix(command, fresh, password)
    if result.returncode:
        raise explain(layout.home, "create its data folder", result.stderr)


def _initdb_on_posix(
    command: list[str], fresh: Path, password: str
) -> subprocess.CompletedProcess[str]:
    read_end, write_end = os.pipe()  # so that the password is never in a file others could own
    account: dict[str, int | list[int]] = {}
    try:
        os.write(write_end, password.encode())
        os.close(write_end)
        if runtime.is_root():
            uid = runtime.nobody()
            os.fchown(read_end, uid, uid)
            os.chown(fresh, uid, uid)
            account = {"user": uid, "group": uid, "extra_groups": []}
        return subprocess.run(
            [*command, f"--pwfile=/dev/fd/{read_end}"],
            cwd=fresh,
            pass_fds=[read_end],
            env={"PATH": os.defpath, "LC_ALL": "C"},
            capture_output=True,
            text=True,
            check=False,
            **account,  # type: ignore[arg-type]
        )
    finally:
        os.close(read_end)


def _initdb_on_windows(
    command: list[str], fresh: Path, password: str
) -> subprocess.CompletedProcess[str]:
    secret = fresh.with_suffix(".password")
    secret.write_text(password)
    try:
        command = [*command, f"--pwfile={secret}"]
        return subprocess.run(command, capture_output=True, text=True, check=False)
    finally:
        secret.unlink()


def _who_may_connect() -> str:
    if sys.platform == "win32":
        return "host all all 127.0.0.1/32 scram-sha-256\n"
    return "local all all scram-sha-256\n"


def data_argument(data: Path) -> str:
    """For root the path may lead through folders that the server account cannot enter."""
    return "/proc/self/cwd" if runtime.is_root() and sys.platform == "linux" else str(data)


def server_command(
    postgres: str, data: Path, *, host: str, port: int, is_kept: bool = True
) -> list[str]:
    """To be run with `data` as its working folder."""
    major = major_of(data)
    settings = {k: v for k, v in SETTINGS.items() if major >= ONLY_IN_NEWER.get(k, 0)}
    if not is_kept:
        settings |= THROWN_AWAY
    if sys.platform == "win32":
        settings |= {"listen_addresses": host, "unix_socket_directories": ""}
    else:
        inside = Path(host).parent == data.parent
        folder = f"../{Path(host).name}" if inside else host
        settings |= {
            "listen_addresses": "",
            "unix_socket_directories": folder,
            "unix_socket_permissions": "0700",
        }
    options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
    return [postgres, "-D", data_argument(data), "-p", str(port), *options]
