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
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from confide.surfaces.chat.terminal import interruptible, stoppable

SISTER = b"My sister Nora is visiting next week"
CTRL_C, CTRL_D, UP = b"\x03", b"\x04", b"\x1b[A"
LONG = 30.0


class Terminal:
    """A person at a terminal."""

    def __init__(self, argv: list[str], environment: dict[str, str]) -> None:
        self.left = b""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.execve(argv[0], argv, environment)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 80, 0, 0))

    def read(self, awaited: bytes, patience: float = LONG) -> bytes:
        """All that comes up to what is awaited; it must come."""
        while awaited not in self.left:
            came = self._some(patience)
            assert came, f"waited for {awaited!r} and saw {self.left!r}"
            self.left += came
        seen, found, self.left = self.left.partition(awaited)
        return seen + found

    def rest(self) -> bytes:
        """All that comes until the program ends."""
        while came := self._some(LONG):
            self.left += came
        return self.left

    def _some(self, patience: float) -> bytes:
        if not select.select([self.fd], [], [], patience)[0]:
            return b""
        try:
            return os.read(self.fd, 65536)
        except OSError:  # the program has ended
            return b""

    def type(self, keys: bytes, awaited: bytes) -> bytes:
        os.write(self.fd, keys)
        return self.read(awaited)

    def interrupt(self) -> None:
        """Python misses a signal in the moment in which it begins to wait, until the next key."""
        self.type(b"x", b"x")
        self.be_waited_for()
        os.write(self.fd, CTRL_C)

    def be_waited_for(self) -> None:
        process = Path(f"/proc/{self.pid}/stat")
        while process.exists() and ") S " not in process.read_text():
            time.sleep(0.01)
        time.sleep(0.1)

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
    terminal.interrupt()
    assert b"once more leaves" in terminal.read(b"alice @ dm > ")
    again = terminal.type(UP, SISTER)  # what was typed before, instead of ^[[A
    assert b"[A" not in again
    terminal.type(b"\n", b"remembered: ")
    terminal.read(b"alice @ dm > ")
    terminal.type(b"/as bob\n", b"bob @ dm > ")
    assert b"/help" in terminal.type(b"/h\t\n", b"leave, like Ctrl-D")
    terminal.read(b"bob @ dm > ")
    os.write(terminal.fd, CTRL_D)
    assert b"\r\n" in terminal.rest()  # the shell's own prompt begins a line
    assert terminal.ended() == 0
    assert list(tmp_path.iterdir()) == []  # nothing of it was written down


def test_pressing_ctrl_c_twice_leaves_without_a_word_of_complaint(terminal: Terminal) -> None:
    terminal.read(b"alice @ dm > ")
    terminal.interrupt()
    terminal.read(b"once more leaves")
    terminal.read(b"alice @ dm > ")
    terminal.interrupt()
    left = terminal.rest()
    assert terminal.ended() == 0
    assert not re.search(rb"Traceback|Nothing was done|unexpected", left)


def test_a_program_that_is_ended_from_outside_ends_while_it_waits(terminal: Terminal) -> None:
    terminal.read(b"alice @ dm > ")
    terminal.type(b"x", b"x")
    terminal.be_waited_for()
    os.kill(terminal.pid, signal.SIGTERM)
    assert b"Traceback" not in terminal.rest()
    assert terminal.ended() == 128 + signal.SIGTERM


async def test_ctrl_c_stops_an_answer_and_not_the_talk() -> None:
    loop = asyncio.get_running_loop()
    async with interruptible():
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
