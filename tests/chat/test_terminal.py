"""`confide chat` in a real terminal: its keys, and what is left when one leaves."""

from __future__ import annotations

import asyncio
import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
from collections.abc import Iterator
from pathlib import Path

import pytest

from confide.surfaces.chat.terminal import interruptible, stoppable

SISTER = b"My sister Nora is visiting next week"
CTRL_C, CTRL_D, UP = b"\x03", b"\x04", b"\x1b[A"
LONG = 120.0


class Terminal:
    """A person at a terminal."""

    def __init__(self, argv: list[str], environment: dict[str, str]) -> None:
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.execve(argv[0], argv, environment)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 80, 0, 0))

    def read(self, awaited: bytes = b"", patience: float = LONG) -> bytes:
        """What comes until something awaited does, or until the end."""
        seen = b""
        while not awaited or awaited not in seen:
            if not select.select([self.fd], [], [], patience)[0]:
                break
            try:
                came = os.read(self.fd, 65536)
            except OSError:  # the program has ended
                break
            seen += came
        return seen

    def type(self, keys: bytes, awaited: bytes) -> bytes:
        os.write(self.fd, keys)
        seen = self.read(awaited)
        assert awaited in seen
        return seen

    def interrupt(self, awaited: bytes) -> bytes:
        """Python misses a key that comes while it begins to wait, until the next: press again."""
        seen = b""
        while awaited not in seen:
            os.write(self.fd, CTRL_C)
            seen += self.read(awaited, patience=5)
        return seen

    def ended(self) -> int:
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


@pytest.fixture
def terminal(home: Path, agent: str, tmp_path: Path) -> Iterator[Terminal]:
    argv = [str(Path(sys.executable).with_name("confide")), "chat", "--here", "--home", str(home)]
    user = os.environ | {"HOME": str(tmp_path), "TERM": "xterm", "LANG": "C.UTF-8"}
    opened = Terminal([*argv, "--agent", agent], user)
    yield opened
    os.close(opened.fd)


def test_keys_do_what_one_expects_of_them(terminal: Terminal, tmp_path: Path) -> None:
    terminal.read(b"alice @ dm > ")
    terminal.type(SISTER + b"\n", b"remembered: ")
    terminal.read(b"alice @ dm > ")
    terminal.type(b"half a li", b"half a li")
    hint = terminal.interrupt(b"alice @ dm > ")
    assert b"once more leaves" in hint
    again = terminal.type(UP, SISTER)  # what was typed before, instead of ^[[A
    assert b"[A" not in again
    terminal.type(b"\n", b"remembered: ")
    terminal.read(b"alice @ dm > ")
    terminal.type(b"/as bob\n", b"bob @ dm > ")
    shown = terminal.type(b"/h\t\n", b"leave, like Ctrl-D")
    assert b"/help" in shown
    terminal.read(b"bob @ dm > ")
    os.write(terminal.fd, CTRL_D)
    assert terminal.read().replace(b"\x1b[?2004l\r", b"").startswith(b"\r\n")
    assert terminal.ended() == 0
    assert list(tmp_path.iterdir()) == []  # nothing of it was written down


def test_pressing_ctrl_c_twice_leaves_without_a_word_of_complaint(terminal: Terminal) -> None:
    terminal.read(b"alice @ dm > ")
    terminal.interrupt(b"once more leaves")
    terminal.read(b"alice @ dm > ")
    os.write(terminal.fd, CTRL_C)
    left = terminal.read(patience=5)
    while not _has_ended(terminal):
        os.write(terminal.fd, CTRL_C)
        left += terminal.read(patience=5)
    assert not re.search(rb"Traceback|Nothing was done|unexpected", left)


def _has_ended(terminal: Terminal) -> bool:
    pid, status = os.waitpid(terminal.pid, os.WNOHANG)
    if pid:
        assert os.waitstatus_to_exitcode(status) == 0
    return bool(pid)


async def test_ctrl_c_stops_an_answer_and_not_the_talk() -> None:
    loop = asyncio.get_running_loop()
    with interruptible():
        loop.call_soon(os.kill, os.getpid(), signal.SIGINT)
        assert await stoppable(asyncio.sleep(LONG, "an answer")) is None
        assert await stoppable(asyncio.sleep(0, "an answer")) == "an answer"
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)


async def test_who_ends_the_whole_talk_is_not_taken_for_ctrl_c() -> None:
    task = asyncio.ensure_future(stoppable(asyncio.sleep(LONG)))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
