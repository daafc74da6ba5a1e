"""Keeps one embedded PostgreSQL running while it is used, and stops it afterwards.

Started by its file path as a detached process without site-packages, so it imports the standard
library only and is up in some 20 ms. Locks carry all knowledge, because the kernel drops them when
a process is killed and a recycled process id cannot pretend to hold one:

start.lock       somebody is starting, stopping or upgrading the server
lease            shared by all who use the server; holds the idle seconds the last of them asked for
server.lock      held by the supervisor and, inherited, by every PostgreSQL process
supervisor.lock  held by the supervisor alone

Only Linux is tested.
"""

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

START_LOCK, LEASE, SERVER_LOCK, SUPERVISOR_LOCK = (
    "start.lock",
    "lease",
    "server.lock",
    "supervisor.lock",
)
STARTUP_LOG = "startup.log"
SOCKET_FOLDER = "socket-folder"  # names the socket's folder if that is a temporary one
IDLE_SECONDS = 900
SHUTDOWN_SECONDS = 30
STOP = signal.SIGINT  # PostgreSQL's fast shutdown: disconnects everybody and finishes its work
# Its immediate one, for a server that hangs while it recovers; the next start replays its journal.
STOP_NOW = signal.SIGABRT if sys.platform == "win32" else signal.SIGQUIT


@dataclass(frozen=True, slots=True, kw_only=True)
class Postmaster:
    """What PostgreSQL's main process says about itself in its data folder."""

    pid: int
    port: int
    is_ready: bool


def read_postmaster(data: Path) -> Postmaster | None:
    try:
        lines = (data / "postmaster.pid").read_text().splitlines()
        return Postmaster(pid=int(lines[0]), port=int(lines[3]), is_ready="ready" in lines[7])
    except (OSError, ValueError, IndexError):  # absent, or just being written
        return None


def open_lock(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT, 0o600)


def lock(file: int, *, shared: bool = False, wait: bool = True) -> bool:
    """Lock an open file until it is closed; False if somebody else holds it."""
    if sys.platform == "win32":
        return _lock_on_windows(file, shared=shared, wait=wait)
    kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
    try:
        fcntl.flock(file, kind if wait else kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _lock_on_windows(file: int, *, shared: bool, wait: bool) -> bool:
    # Windows has no shared locks here: sharers lock one byte each, an owner all of them.
    first, span = 1024, 2**30
    os.lseek(file, first + random.randrange(span) if shared else first, os.SEEK_SET)
    while True:
        try:
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1 if shared else span)  # type: ignore[attr-defined]
            return True
        except OSError:
            if not wait:
                return False
        time.sleep(0.05)


@contextlib.contextmanager
def locked(path: Path) -> Generator[None, None, None]:
    file = open_lock(path)
    try:
        lock(file)
        yield
    finally:
        os.close(file)


def is_locked(path: Path, *, shared: bool = False) -> bool:
    """Whether somebody owns the lock, or with `shared` also whether somebody shares it."""
    if not path.exists():
        return False
    file = open_lock(path)
    try:
        return not lock(file, shared=not shared, wait=False)
    finally:
        os.close(file)


def own(path: Path) -> int | None:
    """Lock a file that nobody owns, though others may be looking whether somebody does."""
    file = open_lock(path)
    for _ in range(200):
        if lock(file, wait=False):
            return file
        time.sleep(0.01)
    os.close(file)
    return None


def stop_when_idle(folder: Path, process: subprocess.Popen[bytes]) -> None:
    """Stop the server once nobody has held a lease for as long as its last holder asked."""
    while True:
        with locked(folder / LEASE):  # waits until nobody holds one
            last_use = (folder / LEASE).stat().st_mtime_ns
            idle_seconds = _read_idle_seconds(folder / LEASE)
        _sleep_unless_used(folder / LEASE, last_use, idle_seconds)
        with locked(folder / START_LOCK):
            lease = open_lock(folder / LEASE)
            unused = (folder / LEASE).stat().st_mtime_ns == last_use
            if unused and lock(lease, wait=False):
                shut_down(process)  # under both locks, so newcomers wait and start afresh
                return
            os.close(lease)


def _sleep_unless_used(lease: Path, last_use: int, seconds: float) -> None:
    end = time.monotonic() + seconds
    while lease.stat().st_mtime_ns == last_use and time.monotonic() < end:
        time.sleep(min(1.0, max(0.0, end - time.monotonic())))


def _read_idle_seconds(lease: Path) -> float:
    try:
        return max(0.0, float(lease.read_text()))
    except ValueError:
        return IDLE_SECONDS


def shut_down(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is not None:
        return
    process.send_signal(STOP)
    try:
        process.wait(SHUTDOWN_SECONDS)
    except subprocess.TimeoutExpired:
        process.send_signal(STOP_NOW)
        process.wait()


def spawn(
    command: list[str], data: Path, uid: int | None, server_lock: int
) -> subprocess.Popen[bytes]:
    """Run PostgreSQL in its data folder, as `uid` if there is one, holding the server lock."""
    more: dict[str, Any] = {}
    if sys.platform != "win32":
        more = {"pass_fds": (server_lock,), "env": {"PATH": os.defpath, "LC_ALL": "C"}}
    if uid is not None:
        more |= {"user": uid, "group": uid, "extra_groups": []}
    log = os.open(data.parent / STARTUP_LOG, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        os.truncate(log, 0)
        nothing = subprocess.DEVNULL
        return subprocess.Popen[bytes](
            command, cwd=data, stdin=nothing, stdout=log, stderr=log, **more
        )
    finally:
        os.close(log)


def wait_until_ready(process: subprocess.Popen[bytes], data: Path) -> bool:
    while process.poll() is None:
        found = read_postmaster(data)
        if found and found.pid == process.pid and found.is_ready:
            return True
        time.sleep(0.005)
    return False


def _report(word: str) -> None:
    with contextlib.suppress(BrokenPipeError):  # whoever asked may have been killed
        os.write(1, word.encode())
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)


def main() -> None:
    order = json.load(sys.stdin)
    if sys.platform != "win32" and os.fork():
        os._exit(0)  # the one who asked need not stay to collect the supervisor's exit
    data = Path(order["data"])
    folder = data.parent
    own_lock, server_lock = own(folder / SUPERVISOR_LOCK), own(folder / SERVER_LOCK)
    if own_lock is None or server_lock is None:
        return _report("error: another supervisor is at work")
    signal.signal(signal.SIGTERM, lambda _signal, _frame: sys.exit())
    try:
        process = spawn(order["command"], data, order["uid"], server_lock)
    except OSError as error:
        return _report(f"error: {error.strerror}")
    try:
        _report("ready" if wait_until_ready(process, data) else "error")
        threading.Thread(target=stop_when_idle, args=(folder, process), daemon=True).start()
        process.wait()
    finally:
        shut_down(process)
        _remove_socket_folder(folder)


def _remove_socket_folder(folder: Path) -> None:
    with contextlib.suppress(OSError):  # there is none, or the system has removed it
        Path((folder / SOCKET_FOLDER).read_text()).rmdir()
        (folder / SOCKET_FOLDER).unlink()


if __name__ == "__main__":
    main()
