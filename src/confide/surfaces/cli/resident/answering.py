"""The process that stays. It reads nothing of a command itself: each is read by the copy that does it.

python -I -m confide.surfaces.cli.resident.answering HOME IDLE_SECONDS
"""

from __future__ import annotations

import contextlib
import fcntl
import gc
import io
import json
import os
import select
import signal
import socket
import sys
import threading
import time
from importlib import import_module
from typing import Any

from confide.config import environment
from confide.surfaces.cli.resident import shared

STALE = 75  # how a copy says that the program on the disk is another one by now
LOOKS = 1.0  # seconds between two looks at whether anybody needs this process
PATIENCE = 5.0  # seconds for a client to say what it wants


def main() -> None:
    home, idle_seconds = sys.argv[1], float(sys.argv[2])
    folder = shared.open_folder(home, makes=True)
    if folder is None or not _alone(folder):
        return
    _load()
    known = tree()
    with _listening(folder) as listener:
        _serve(listener, home, folder, idle_seconds, known)


def _alone(folder: int) -> bool:
    """False if another one is at work here; the lock lasts as long as this process."""
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    lock = os.open(shared.LOCK, flags, 0o600, dir_fd=folder)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _load() -> None:
    """What commands need, and nothing that a setting decides. Copies share its memory."""
    from confide.providers.wordllama import load
    from confide.surfaces.cli.commands import Commands

    for module in (
        "asyncpg",
        "numpy",
        "confide.memories",
        "confide.reading",
        "confide.keep.status",
    ):
        import_module(module)
    commands = Commands()
    for name in shared.QUICK:
        commands[name]
    load()
    gc.collect()
    gc.freeze()


def tree() -> frozenset[tuple[str, int, int]]:
    """What the program consists of on the disk. An upgrade or an edit makes another one of it."""
    found: list[tuple[str, int, int]] = []
    package = str(shared.code()[1])
    for folder, below, files in os.walk(package):
        below[:] = [one for one in below if one != "__pycache__"]
        for name in files:
            path = os.path.join(folder, name)
            seen = os.stat(path)
            found.append((path, seen.st_mtime_ns, seen.st_size))
    for path in sys.path:  # a package that is installed or removed changes the folder
        if os.path.isdir(path):
            found.append((path, os.stat(path).st_mtime_ns, 0))
    return frozenset(found)


@contextlib.contextmanager
def _listening(folder: int) -> Any:
    path = shared.socket_path(folder)
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)  # of one that was killed: nobody else holds the lock
    before = os.umask(0o177)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    os.umask(before)
    listener.listen(64)
    own = os.lstat(path)
    try:
        yield listener
    finally:
        listener.close()
        with contextlib.suppress(OSError):
            if os.path.samestat(own, os.lstat(path)):
                os.unlink(path)


def _serve(
    listener: socket.socket, home: str, folder: int, idle: float, known: frozenset[Any]
) -> None:
    own = os.lstat(shared.socket_path(folder))
    at_work: set[int] = set()
    last = time.monotonic()
    while True:
        ready, _, _ = select.select([listener], [], [], LOOKS)
        stale = _reap(at_work)
        if at_work:
            last = time.monotonic()
        is_idle = not at_work and time.monotonic() - last > idle
        if stale or is_idle or not shared.server_runs(home) or not _is_there(home, own):
            return
        if ready:
            connection, _ = listener.accept()
            last = time.monotonic()
            with connection:
                if _may_ask(connection) and (copy := _copied(listener, connection, known)):
                    at_work.add(copy)


def _is_there(home: str, own: os.stat_result) -> bool:
    """False once the home is gone, or something else has the socket's place."""
    try:
        return os.path.samestat(own, os.lstat(os.path.join(home, shared.FOLDER, shared.SOCKET)))
    except OSError:
        return False


def _reap(at_work: set[int]) -> bool:
    """Forget those that ended; whether one of them found another program on the disk."""
    stale = False
    for copy in tuple(at_work):
        ended, status = os.waitpid(copy, os.WNOHANG)
        if ended:
            at_work.discard(copy)
            stale = stale or os.waitstatus_to_exitcode(status) == STALE
    return stale


def _may_ask(connection: socket.socket) -> bool:
    """The same user, and not from inside a container or sandbox that this process is not in."""
    process, user = shared.peer_of(connection)
    return user == os.geteuid() and _world(str(process)) == _world("self")


def _world(process: str) -> list[Any] | None:
    try:
        spaces = [os.readlink(f"/proc/{process}/ns/{one}") for one in shared.NAMESPACES]
        root = os.stat(f"/proc/{process}/root")
        with open(f"/proc/{process}/status", encoding="ascii", errors="replace") as file:
            rights = [
                line
                for line in file
                if line.startswith(("Uid", "Gid", "Groups", "Cap", "NoNew", "Secc"))
            ]
    except OSError:
        return None
    return [*spaces, root.st_dev, root.st_ino, *rights]


def _copied(listener: socket.socket, connection: socket.socket, known: frozenset[Any]) -> int:
    """In the process that stays: the copy's id. The copy itself never returns."""
    copy = os.fork()
    if copy:
        return copy
    code = 1
    try:
        listener.close()
        code = _one(connection, known)
    finally:
        os._exit(code)


def _one(connection: socket.socket, known: frozenset[Any]) -> int:
    """Do one command as if its caller had done it."""
    connection.settimeout(PATIENCE)
    order, files = _read(connection)
    is_stale, is_same = tree() != known, order["code"] == shared.code()
    typed = shared.command_of(order["words"])
    is_quick = typed is not None and typed[0] in shared.QUICK
    if is_stale or not (is_same and is_quick and len(files) == 4):
        connection.sendall(shared.REFUSED)
        return STALE if is_stale else 1
    _become(order, files)
    connection.settimeout(None)
    connection.sendall(shared.ACCEPTED)
    threading.Thread(target=_end_with, args=(connection,), daemon=True).start()
    code = _run(order["words"])
    with contextlib.suppress(OSError):
        connection.sendall(bytes([code & 0xFF]))
    return 0


def _read(connection: socket.socket) -> tuple[dict[str, Any], list[int]]:
    first, files, _, _ = socket.recv_fds(connection, shared.NUMBER.size, 4)
    first += shared.receive(connection, shared.NUMBER.size - len(first))
    (size,) = shared.NUMBER.unpack(first)
    if size > shared.LONGEST:
        raise ValueError("too long")
    return json.loads(shared.receive(connection, size)), files


def _become(order: dict[str, Any], files: list[int]) -> None:
    """Take over the caller's folder, environment, input and output."""
    here, *streams = files
    os.fchdir(here)
    os.close(here)
    os.umask(order["umask"])
    environment.replace(order["environment"])
    time.tzset()
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        encoding, errors, by_line, at_once = order["written"][number]
        mode = "wb" if number else "rb"
        below = open(number, mode, buffering=0 if at_once and number else -1, closefd=False)  # noqa: SIM115
        opened = io.TextIOWrapper(
            below, encoding=encoding, errors=errors, line_buffering=by_line, write_through=at_once,
        )  # fmt: skip
        setattr(sys, name, opened)
        setattr(sys, f"__{name}__", opened)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(
            number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL
        )


def _end_with(connection: socket.socket) -> None:
    """Signals that the client got; when it is gone, so is whoever wanted the command."""
    while True:
        try:
            said = connection.recv(1)
        except OSError:
            said = b""
        os.kill(os.getpid(), said[0] if said else signal.SIGHUP)
        if not said:
            return


def _run(words: list[str]) -> int:
    from confide.surfaces.cli.app import build

    sys.argv = ["confide", *words]
    code: object = 0
    try:
        build()()
    except SystemExit as ended:
        code = ended.code
    except KeyboardInterrupt:
        code = 130
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    return code if isinstance(code, int) else int(code is not None)


if __name__ == "__main__":
    main()
