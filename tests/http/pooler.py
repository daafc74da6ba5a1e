"""A real PgBouncer in transaction mode before the run's PostgreSQL: its clients share very few
connections, and get another one with each transaction."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest

from confide.store import embedded, runtime
from confide.store.provision import DATABASE, LOGIN

MISSING: Final = (
    "PgBouncer is not installed, and without it nothing is known about transaction-mode poolers:"
    " `apt-get install pgbouncer` (macOS: `brew install pgbouncer`)"
)
CONFIG: Final = """
[databases]
{database} = host={host} port={port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {listen}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = {folder}/users
pool_mode = transaction
default_pool_size = {size}
max_client_conn = 200
query_wait_timeout = 30
logfile = {folder}/log
"""


@dataclass(frozen=True)
class Pooler:
    url: str
    folder: Path


@contextmanager
def pooling(home: Path, size: int) -> Iterator[Pooler]:
    """`size` connections to the database of `home`, which has been opened before."""
    program = shutil.which("pgbouncer", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    if program is None:
        pytest.fail(MISSING, pytrace=False)
    password = (home / "login.password").read_text().strip()
    folder, listen = Path(tempfile.mkdtemp(prefix="confide-pooler-")), _free_port()
    with embedded.start(home, idle_seconds=60) as lease:
        where = {"host": lease.server.host, "port": lease.server.port, "database": DATABASE}
        (folder / "users").write_text(f'"{LOGIN}" "{password}"\n')
        text = CONFIG.format(**where, folder=folder, listen=listen, size=size)
        (folder / "ini").write_text(text)
        process = subprocess.Popen(
            [program, str(folder / "ini")],
            stderr=subprocess.DEVNULL,
            **_account(home, folder, Path(lease.server.host)),
        )
        try:
            _wait_for(listen, process, folder)
            yield Pooler(f"postgresql://{LOGIN}:{password}@127.0.0.1:{listen}/{DATABASE}", folder)
        finally:
            process.kill()
            process.wait()
            shutil.rmtree(folder, ignore_errors=True)


def _account(home: Path, folder: Path, sockets: Path) -> dict[str, Any]:
    """It refuses to be root, as PostgreSQL does: then it is whoever that became, for its socket."""
    if not runtime.is_root():
        return {}
    home.chmod(0o711)  # what is inside is closed to others by itself
    uid = sockets.stat().st_uid
    for path in (folder, *folder.iterdir()):
        os.chown(path, uid, uid)
    return {"user": uid, "group": uid, "extra_groups": []}


def _wait_for(port: int, process: subprocess.Popen[Any], folder: Path) -> None:
    for _ in range(500):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        if process.poll() is not None:
            break
        time.sleep(0.02)
    log = folder / "log"
    pytest.fail(f"PgBouncer did not start: {log.read_text() if log.exists() else 'no log'}")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
