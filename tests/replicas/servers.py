"""Real PostgreSQL servers with streaming replication, on loopback: the programs inside the wheel."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import asyncpg

from confide.store import runtime
from confide.store.provision import DATABASE, LOGIN, ROLES
from confide.store.queries import sql_file

SUPERUSER: Final = "postgres"
#: It need not survive a power cut, only whatever a test does to it.
SETTINGS: Final = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "fsync": "off",
    "shared_buffers": "48MB",
    "max_connections": "100",
    "max_wal_senders": "8",
    "wal_level": "replica",
    "wal_keep_size": "256MB",
    "wal_log_hints": "on",
    "hot_standby": "on",
    "hot_standby_feedback": "on",
    "io_method": "sync",
    "jit": "off",
    "max_parallel_workers_per_gather": "0",
    "log_min_messages": "log",
}
WHO_MAY_CONNECT: Final = (
    "host all all 127.0.0.1/32 trust\nhost replication all 127.0.0.1/32 trust\n"
)


def program(name: str) -> str:
    return runtime.program(runtime.bundled()[runtime.current_major()], name)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def account() -> dict[str, Any]:
    """PostgreSQL refuses to be root."""
    if not runtime.is_root():
        return {}
    uid = runtime.nobody()
    return {"user": uid, "group": uid, "extra_groups": []}


@dataclass
class Server:
    """One PostgreSQL, in a folder of its own."""

    folder: Path
    port: int = field(default_factory=free_port)
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"postgresql://{LOGIN}@127.0.0.1:{self.port}/{DATABASE}"

    @property
    def data(self) -> Path:
        return self.folder / "data"

    def create(self) -> None:
        self._prepare()
        _run(
            "initdb",
            "-D",
            self.data,
            "-U",
            SUPERUSER,
            "-A",
            "trust",
            "-E",
            "UTF8",
            "--locale=C",
            "-N",
        )
        (self.data / "pg_hba.conf").write_text(WHO_MAY_CONNECT)

    def follow(self, primary: Server) -> None:
        """Become a standby of `primary`."""
        self._prepare()
        where = f"host=127.0.0.1 port={primary.port} user={SUPERUSER} application_name=s{self.port}"
        _run(
            "pg_basebackup", "-D", self.data, "-d", where, "-R", "-X", "stream", "-c", "fast", "-N"
        )

    def start(self, **settings: str) -> None:
        options = [f"--{name}={value}" for name, value in (SETTINGS | settings).items()]
        with open(self.folder / "log", "ab") as log:
            self.process = subprocess.Popen(
                [program("postgres"), "-D", str(self.data), "-p", str(self.port), *options],
                stdout=log, stderr=log, cwd=self.data, **account(),
            )  # fmt: skip
        for _ in range(600):
            ready = subprocess.run(
                [program("pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(self.port)]
            )
            if ready.returncode == 0:
                return
            if self.process.poll() is not None:
                break
            time.sleep(0.05)
        raise AssertionError(
            f"PostgreSQL did not start: {(self.folder / 'log').read_text()[-2000:]}"
        )

    def signal(self, number: int) -> None:
        """To the server and every process of it, as losing the machine would."""
        assert self.process is not None
        if number == signal.SIGKILL:
            for child in _children(self.process.pid):
                _send(child, number)
        self.process.send_signal(number)
        if number == signal.SIGKILL:
            self.process.wait()

    def freeze(self) -> None:
        for pid in (self.process.pid, *_children(self.process.pid)):  # type: ignore[union-attr]
            _send(pid, signal.SIGSTOP)

    def thaw(self) -> None:
        for pid in (self.process.pid, *_children(self.process.pid)):  # type: ignore[union-attr]
            _send(pid, signal.SIGCONT)

    def kill(self) -> None:
        self.signal(signal.SIGKILL)

    def promote(self) -> None:
        _run("pg_ctl", "promote", "-D", self.data, "-w")

    async def ask(self, statement: str, database: str = DATABASE) -> Any:
        """As an administrator would."""
        connection = await asyncpg.connect(
            host="127.0.0.1", port=self.port, user=SUPERUSER, database=database
        )
        try:
            return await connection.fetchval(statement)
        finally:
            await connection.close()

    async def provision(self) -> None:
        """What an administrator does once: the database, the extension, the roles and a login."""
        await self.ask(f"CREATE DATABASE {DATABASE}", "postgres")
        connection = await asyncpg.connect(
            host="127.0.0.1", port=self.port, user=SUPERUSER, database=DATABASE
        )
        try:
            await connection.execute("CREATE EXTENSION vector")
            await connection.execute(sql_file("provision.sql"))
            await connection.execute(f"CREATE ROLE {LOGIN} LOGIN NOINHERIT")
            for role in ROLES:
                await connection.execute(f"GRANT {role} TO {LOGIN} WITH INHERIT FALSE, SET TRUE")
        finally:
            await connection.close()

    def stop(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.thaw()
            self.kill()

    def _prepare(self) -> None:
        self.folder.mkdir(exist_ok=True)
        owner = account()
        if owner:
            os.chown(self.folder, owner["user"], owner["user"])


@contextmanager
def cluster(standbys: int) -> Iterator[list[Server]]:
    """A primary that is not provisioned yet, and folders for so many standbys."""
    root = Path(tempfile.mkdtemp(prefix="confide-replicas-"))
    root.chmod(0o711)
    servers = [
        Server(root / name) for name in ["primary", *(f"standby{n}" for n in range(standbys))]
    ]
    try:
        servers[0].create()
        servers[0].start()
        yield servers
    finally:
        for server in servers:
            server.stop()
        shutil.rmtree(root, ignore_errors=True)


def _run(name: str, *args: object) -> None:
    done = subprocess.run(
        [program(name), *map(str, args)],
        capture_output=True, text=True, cwd="/", env={"PATH": os.defpath, "LC_ALL": "C"}, **account(),
    )  # fmt: skip
    assert done.returncode == 0, f"{name}: {done.stderr}"


def _children(pid: int) -> list[int]:
    found = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True)
    return [int(one) for one in found.stdout.split()]


def _send(pid: int, number: int) -> None:
    with suppress(ProcessLookupError):  # it ended by itself meanwhile
        os.kill(pid, number)
