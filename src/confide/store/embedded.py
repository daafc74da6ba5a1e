"""The embedded PostgreSQL: started by whoever needs it first, shared by all, stopped when idle.

Only Linux is tested; macOS takes the same path, Windows listens on 127.0.0.1 with the password.
"""

import json
import logging
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

from confide.errors import StoreUnavailable
from confide.store import cluster, runtime, supervisor
from confide.store.layout import SOCKET_NAME, Layout, explain, explaining

START_SECONDS = 60
RECOVERY_SECONDS = 5
PROTOCOL = 3 << 16  # version 3.0 of PostgreSQL's
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """A running server. The superuser is for provisioning only."""

    host: str  # the socket's folder; 127.0.0.1 on Windows
    port: int
    superuser: str
    password: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    is_running: bool
    pid: int | None
    version: str  # of the programs in the wheel
    data_major: int | None  # of the data folder, if there is one yet
    size_bytes: int


class Lease:
    """Keeps the server running until it is released or its process ends."""

    def __init__(self, server: Server, file: int) -> None:
        self.server = server
        self._file: int | None = file

    def release(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()


def start(
    home: Path, *, idle_seconds: int = supervisor.IDLE_SECONDS, is_kept: bool = True
) -> Lease:
    """Start the server of `home`, or join it if it runs already. Not kept: see `discard`."""
    layout = Layout(home.absolute())
    with explaining(layout.home):
        return _join(layout, idle_seconds) or _start(layout, idle_seconds, is_kept)


def stop(home: Path) -> bool:
    """Shut the server down cleanly, whoever uses it; False if it did not run."""
    layout = Layout(home.absolute())
    with explaining(layout.home):
        if not layout.folder.is_dir():
            return False
        layout.require_own()
        with supervisor.locked(layout.folder / supervisor.START_LOCK):
            return stop_locked(layout)


def discard(home: Path) -> None:
    """Stop the server at once and remove `home`: for a demo or a test, of which nothing is kept."""
    layout = Layout(home.absolute())
    with explaining(layout.home):
        if layout.folder.is_dir():
            layout.require_own()
            with supervisor.locked(layout.folder / supervisor.START_LOCK):
                stop_locked(layout, at_once=True)
        shutil.rmtree(layout.home, ignore_errors=True)


def status(home: Path) -> Status:
    layout = Layout(home.absolute())
    with explaining(layout.home):
        data = layout.data()
        is_running = data is not None and _runs(layout)
        found = supervisor.read_postmaster(data) if data and is_running else None
        return Status(
            is_running=is_running,
            pid=found.pid if found else None,
            version=runtime.version(),
            data_major=cluster.major_of(data) if data else None,
            size_bytes=_size(layout.folder),
        )


def _size(folder: Path) -> int:
    total = 0
    for parent, _, files in os.walk(folder):
        for name in files:
            try:
                total += os.lstat(os.path.join(parent, name)).st_blocks * 512
            except OSError:  # a running server removes files meanwhile
                continue
    return total


def _runs(layout: Layout) -> bool:
    return supervisor.is_locked(layout.folder / supervisor.SERVER_LOCK)


def _join(layout: Layout, idle_seconds: int) -> Lease | None:
    """A lease on a server that runs well, without waiting for anybody."""
    if not (layout.folder / supervisor.LEASE).exists():
        return None
    layout.require_own()
    file = _take_lease(layout, idle_seconds, wait=False)
    if file is None:
        return None
    if supervisor.is_locked(layout.folder / supervisor.SUPERVISOR_LOCK):
        server = _running_server(layout)
        if server:
            return Lease(server, file)
    os.close(file)
    return None


def _take_lease(layout: Layout, idle_seconds: int, *, wait: bool) -> int | None:
    file = supervisor.open_lock(layout.folder / supervisor.LEASE)
    if not supervisor.lock(file, shared=True, wait=wait):
        os.close(file)
        return None
    os.lseek(file, 0, os.SEEK_SET)
    os.write(file, f"{idle_seconds:<20}".encode())  # always as long, so that none is cut in half
    return file


def _running_server(layout: Layout) -> Server | None:
    data = layout.data()
    found = supervisor.read_postmaster(data) if data and _runs(layout) else None
    host = _host(layout)
    if found is None or not found.is_ready or not _asks_for_password(host, found.port):
        return None
    return Server(
        host=host, port=found.port, superuser=cluster.SUPERUSER, password=layout.password()
    )


def _asks_for_password(host: str, port: int) -> bool:
    """Whether a server answers; one that dies or recovers from a crash does not ask."""
    wish = f"user\0{cluster.SUPERUSER}\0database\0postgres\0\0".encode()
    greeting = struct.pack("!ii", len(wish) + 8, PROTOCOL) + wish
    try:
        with _connect(host, port) as connection:
            connection.settimeout(1)
            connection.sendall(greeting)
            return connection.recv(1) == b"R"
    except OSError:
        return False


def _connect(host: str, port: int) -> socket.socket:
    if sys.platform == "win32":
        return socket.create_connection((host, port))
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.connect(str(Path(host, SOCKET_NAME)))
    except OSError:
        connection.close()
        raise
    return connection


def _host(layout: Layout) -> str:
    return "127.0.0.1" if sys.platform == "win32" else str(layout.socket_folder())


def _start(layout: Layout, idle_seconds: int, is_kept: bool) -> Lease:
    layout.prepare()
    with supervisor.locked(layout.folder / supervisor.START_LOCK):
        if _runs(layout):
            _settle(layout)
        layout.prepare_for_server()
        # Taken first, or a supervisor would start to count by what an earlier user asked for.
        file = _take_lease(layout, idle_seconds, wait=True)
        assert file is not None
        try:
            if not _running_server(layout):
                _launch(layout, is_kept)
            server = _running_server(layout)
            if server is None:
                raise explain(layout.home, "start", _startup_output(layout))
        except BaseException:
            os.close(file)
            raise
        return Lease(server, file)


def _settle(layout: Layout) -> None:
    """Wait until a server that somebody else began to start or stop is up or gone."""
    abandoned = not supervisor.is_locked(layout.folder / supervisor.SUPERVISOR_LOCK)
    if abandoned and not supervisor.is_locked(layout.folder / supervisor.LEASE, shared=True):
        stop_locked(layout)  # its supervisor was killed, so nothing would ever stop it
    if not _wait_while(lambda: _runs(layout) and not _running_server(layout), START_SECONDS):
        raise StoreUnavailable(
            f"The server of CONFIDE_HOME {layout.home} is neither up nor gone after "
            f"{START_SECONDS} s: run `confide db stop` and try again."
        )


def stop_locked(layout: Layout, *, at_once: bool = False) -> bool:
    """For holders of the start lock. `at_once` writes nothing more, as in a power cut."""
    if not _runs(layout):
        return False
    # PostgreSQL 18 hangs if it is told to stop while it recovers from a crashed query.
    _wait_while(lambda: _runs(layout) and not _running_server(layout), RECOVERY_SECONDS)
    for how in (supervisor.STOP, supervisor.STOP_NOW)[at_once:]:
        for data in layout.folder.glob("*-*"):  # also those that a killed upgrade left running
            found = supervisor.read_postmaster(data)
            if found and _is_postmaster(found.pid, data):
                _send(how, found.pid)
        if _wait_while(lambda: _runs(layout), supervisor.SHUTDOWN_SECONDS):
            log.info("embedded PostgreSQL stopped")
            return True
    raise StoreUnavailable(
        f"The server of CONFIDE_HOME {layout.home} does not stop: end the processes that hold "
        f"{layout.folder / supervisor.SERVER_LOCK} open."
    )


def _wait_while(condition: Callable[[], bool], seconds: float) -> bool:
    """False if the condition still holds after so many seconds."""
    deadline = time.monotonic() + seconds
    while condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.005)
    return True


def _is_postmaster(pid: int, data: Path) -> bool:
    # A killed server leaves its process id behind, and another process may have it by now.
    if sys.platform != "linux":
        return True
    try:
        return os.path.samefile(f"/proc/{pid}/cwd", data)
    except OSError:
        return False


def _send(how: signal.Signals, pid: int) -> None:
    if sys.platform == "win32":
        name = "INT" if how == supervisor.STOP else "QUIT"
        pg_ctl = runtime.program(runtime.bundled()[runtime.current_major()], "pg_ctl")
        subprocess.run([pg_ctl, "kill", name, str(pid)], check=False)
    else:
        os.kill(pid, how)


def _launch(layout: Layout, is_kept: bool) -> None:
    install = runtime.bundled()[runtime.current_major()]
    data = layout.data()
    if data is None:
        data = layout.data_of(runtime.current_major())
        cluster.create(layout, install, is_kept=is_kept).rename(data)
    cluster.require_current(data)
    uid = layout.server_uid()
    if uid is not None and data.stat().st_uid != uid:  # root has put back a backup
        runtime.give(data, uid)
    _remove_leftovers(layout, data)
    postgres = runtime.program(install, "postgres")
    command = cluster.server_command(
        postgres, data, host=_host(layout), port=_free_port(), is_kept=is_kept
    )
    _start_supervisor(layout, {"data": str(data), "uid": uid, "command": command})


def _start_supervisor(layout: Layout, order: dict[str, object]) -> None:
    """Start a detached supervisor and, through it, the server."""
    python = [sys.executable, "-I", "-S", supervisor.__file__, str(layout.folder)]
    process = subprocess.Popen(
        python,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=os.path.sep,
        start_new_session=True,
    )
    try:
        output, _ = process.communicate(json.dumps(order).encode(), timeout=START_SECONDS)
    except subprocess.TimeoutExpired as error:
        raise StoreUnavailable(
            f"PostgreSQL still recovers CONFIDE_HOME {layout.home} after {START_SECONDS} s: "
            "try again later."
        ) from error
    if output != b"ready":
        raise explain(layout.home, "start", f"{_startup_output(layout)}\n{output.decode()}")
    log.info("embedded PostgreSQL started")


def _remove_leftovers(layout: Layout, data: Path) -> None:
    # Nobody holds the server lock, so these are a dead server's, whatever process has its id now.
    # PostgreSQL itself still refuses a second server on the folder by its shared memory.
    (data / "postmaster.pid").unlink(missing_ok=True)
    if sys.platform != "win32":
        for path in layout.socket_folder().glob(f"{SOCKET_NAME}*"):
            path.unlink()


def _free_port() -> int:
    if sys.platform != "win32":
        return int(SOCKET_NAME.rpartition(".")[2])
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _startup_output(layout: Layout) -> str:
    files = [*layout.log.glob("*.log"), layout.folder / supervisor.STARTUP_LOG]
    files = [path for path in files if path.exists() and not path.is_symlink()]
    files.sort(key=lambda path: path.stat().st_mtime)
    return "\n".join(path.read_text(errors="replace")[-4000:] for path in files[-2:])
