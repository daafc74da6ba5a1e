"""The thin client: hand a command to the process that has everything loaded, if there is one.

`None` means the ordinary way, also where anything is unusual about how this program was started.
"""

import contextlib
import json
import os
import signal
import socket
import sys
from types import FrameType
from typing import Any

from confide.config import environment
from confide.surfaces.cli.resident import shared

#: Python looks at these when it starts, and they change nothing that another process could not do.
HARMLESS = {
    "PYTHONHASHSEED", "PYTHONDONTWRITEBYTECODE", "PYTHONIOENCODING", "PYTHONUTF8",
    "PYTHONNOUSERSITE", "PYTHONUNBUFFERED",
}  # fmt: skip
WRITTEN = ("encoding", "errors", "line_buffering", "write_through")
FORWARDED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
OFF = {"0", "false", "off", "no", "n", "f"}


def ask(words: list[str]) -> int | None:
    """The exit code of the command, if it was done elsewhere."""
    home = home_of(words)
    if home is None or (folder := shared.open_folder(home)) is None:
        return None
    try:
        with socket.socket(socket.AF_UNIX) as connection:
            if not _connected(connection, folder) or not _handed_over(connection, words):
                return None
            return _followed(connection)
    finally:
        os.close(folder)


def home_of(words: list[str]) -> str | None:
    """The home of a command that may be done elsewhere."""
    typed = shared.command_of(words)
    if sys.platform != "linux" or typed is None or typed[0] not in shared.QUICK:
        return None
    known = environment.everything()
    if known.get("CONFIDE_RESIDENT", "").lower() in OFF or os.geteuid() != os.getuid():
        return None
    if any(name[:3] == "LD_" or (name[:6] == "PYTHON" and name not in HARMLESS) for name in known):
        return None
    if known.get("_CONFIDE_COMPLETE") or sys.warnoptions or sys.flags.inspect:
        return None
    return environment.likely_home(typed[1])


def _connected(connection: socket.socket, folder: int) -> bool:
    path = shared.socket_path(folder)
    if not shared.is_ours(path):
        return False
    try:
        connection.connect(path)
    except OSError:
        return False
    # Only then is anything sent: what is typed and what is set belong to nobody else.
    return shared.peer_of(connection)[1] == os.geteuid()


def _handed_over(connection: socket.socket, words: list[str]) -> bool:
    streams = (sys.stdin, sys.stdout, sys.stderr)
    try:
        here = os.open(".", os.O_RDONLY | os.O_DIRECTORY)
    except OSError:
        return False
    try:
        order: dict[str, Any] = {
            "code": shared.code(),
            "words": words,
            "environment": environment.everything(),
            "umask": _umask(),
            "written": [[getattr(one, name) for name in WRITTEN] for one in streams],
        }
        body = json.dumps(order).encode()
        for number in (0, 1, 2):
            os.fstat(number)
        files = [here, 0, 1, 2]
        socket.send_fds(connection, [shared.NUMBER.pack(len(body))], files)
        connection.sendall(body)
        return shared.receive(connection, 1) == shared.ACCEPTED
    except (OSError, AttributeError):  # a stream is closed, or nobody is there any more
        return False
    finally:
        os.close(here)


def _umask() -> int:
    found = os.umask(0o077)
    os.umask(found)
    return found


def _followed(connection: socket.socket) -> int:
    """Until the command ends. Whoever wants to end this process means the command."""
    received: list[int] = []

    def forward(number: int, _frame: FrameType | None) -> None:
        received.append(number)
        with contextlib.suppress(OSError):
            connection.sendall(bytes([number]))

    for number in FORWARDED:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, forward)
    try:
        said = shared.receive(connection, 1)
    except OSError:
        said = b""
    if said:
        return said[0]
    number = received[-1] if received else signal.SIGKILL  # it was ended and could say nothing
    if received:
        signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
    return 128 + number
