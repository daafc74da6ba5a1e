"""What the client and the process must agree on. Standard library only: the client starts at once."""

import fcntl
import os
import socket
import stat
import struct
import sys

from confide import __version__

FOLDER, SOCKET, LOCK, ASKED = "resident", "socket", "lock", "asked"
#: Commands of a moment. Whatever serves others, runs long or plays with a terminal is left out: a
#: connection such as `mcp --as` has fewer rights than whoever owns the home, and keeps its own process.
QUICK = frozenset(
    {
        "about-me", "add", "archived", "audit", "config", "consent", "context", "correct", "explain",
        "forget", "generalizations", "history", "jobs", "memories", "people", "places", "privacy",
        "protect", "recall", "remember", "report", "request", "review", "screen", "sessions", "share",
        "sources", "status", "tellings", "unprotect", "unshare", "usage", "why",
    }
)  # fmt: skip
#: Before the command's name, each with a value.
FIRST = ("--home", "--agent", "--env-file")
LONGEST = 4 * 1024 * 1024
ACCEPTED, REFUSED = b"A", b"N"
NUMBER = struct.Struct("!I")
CREDENTIALS = struct.Struct("3i")  # process, user, group
NAMESPACES = ("user", "mnt", "net", "pid", "ipc", "cgroup")


def code() -> list[object]:
    """Which program this is: another version, or another Python, answers no command of it."""
    package = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(__file__))))
    flags = [getattr(sys.flags, name) for name in ("optimize", "dev_mode", "utf8_mode")]
    return [__version__, package, sys.prefix, sys.version, sys.getfilesystemencoding(), *flags]


def command_of(words: list[str]) -> tuple[str, str | None] | None:
    """The command that is typed and the home named before it, if both can be told for sure."""
    rest, home = list(words), None
    while rest and rest[0].startswith("-"):
        option, _, value = rest.pop(0).partition("=")
        if option not in FIRST or not (value or rest):
            return None
        value = value or rest.pop(0)
        home = value if option == "--home" else home
    if not rest:
        return None
    later = rest[: rest.index("--")] if "--" in rest else rest
    for place, word in enumerate(later):
        if word.startswith("--home"):
            home = word.partition("=")[2] or "".join(later[place + 1 : place + 2])
    return rest[0], home


def open_folder(home: str, *, makes: bool = False) -> int | None:
    """The folder of the socket, if it is a real one that only this user can enter."""
    path = os.path.join(home, FOLDER)
    try:
        if makes:
            os.makedirs(path, mode=0o700, exist_ok=True)
        folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return None
    found = os.fstat(folder)
    if found.st_uid == os.geteuid() and not stat.S_IMODE(found.st_mode) & 0o077:
        return folder
    os.close(folder)
    return None


def socket_path(folder: int) -> str:
    """By the opened folder: nobody can put another in its place, and no path is too long."""
    return f"/proc/self/fd/{folder}/{SOCKET}"


def is_ours(path: str) -> bool:
    try:
        found = os.lstat(path)
    except OSError:
        return False
    is_closed = not stat.S_IMODE(found.st_mode) & 0o077
    return stat.S_ISSOCK(found.st_mode) and found.st_uid == os.geteuid() and is_closed


def peer_of(connection: socket.socket) -> tuple[int, int]:
    """The process and the user at the other end, as the kernel knows them."""
    raw = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, CREDENTIALS.size)
    process, user, _ = CREDENTIALS.unpack(raw)
    return process, user


def receive(connection: socket.socket, size: int) -> bytes:
    found = b""
    while len(found) < size and (more := connection.recv(size - len(found))):
        found += more
    return found


def server_runs(home: str) -> bool:
    """Whether somebody holds the lock of the embedded server's supervisor."""
    try:
        lock = os.open(os.path.join(home, "postgres", "supervisor.lock"), os.O_RDWR)
    except OSError:
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    else:
        return False
    finally:
        os.close(lock)
