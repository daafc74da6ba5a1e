"""Lines from a terminal or a pipe. What was typed is remembered for the arrow keys, never on disk."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import AsyncGenerator, Callable, Coroutine, Generator
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import Any, Final, TypeVar

from confide.surfaces.chat.play import Play
from confide.surfaces.chat.scene import called
from confide.surfaces.chat.shown import COMMANDS
from confide.surfaces.cli.output import faint, harmless, say

T = TypeVar("T")
A_MOMENT: Final = 0.05


class Lines:
    """Reads one line after another."""

    def __init__(self, play: Play, *, as_json: bool) -> None:
        self._play = play
        self._as_json = as_json
        self._was_interrupted = False
        self.is_terminal = sys.stdin.isatty()
        if self.is_terminal:
            _edit_lines(lambda: _words(play))
        reconfigure = getattr(sys.stdin, "reconfigure", None)
        if reconfigure is not None:  # bytes that are no text end no talk
            reconfigure(errors="replace")

    def read(self) -> str | None:
        """The next line; None when there is no more."""
        with suppress(_Ended), _awake():
            return self._typed() if self.is_terminal else self._piped()
        return None

    def _piped(self) -> str | None:
        with suppress(KeyboardInterrupt):
            line = sys.stdin.readline()
            if line and not self._as_json:
                say(f"\n{self._prompt()}{harmless(line.rstrip())}")
            return line.rstrip("\r\n") if line else None
        return None

    def _typed(self) -> str | None:
        """Ctrl-C drops what was typed; twice in a row it leaves."""
        while True:
            try:
                line = self._input()
            except EOFError:
                self._new_line()
                return None
            except KeyboardInterrupt:
                self._new_line()
                if self._was_interrupted:
                    return None
                self._was_interrupted = True
                if not self._as_json:
                    say(faint("Ctrl-C once more leaves."))
                continue
            self._was_interrupted = False
            return line

    def _input(self) -> str:
        if self._as_json:  # standard output has nothing but JSON
            sys.stderr.write(self._prompt())
            sys.stderr.flush()
            return input()
        say()
        return input(self._prompt())

    def _new_line(self) -> None:
        sys.stderr.write("\n") if self._as_json else say()

    def _prompt(self) -> str:
        return f"{harmless(self._play.scene.prompt)} > "


class _Ended(Exception):
    """Somebody ended the program while it waited for a line."""


@contextmanager
def _awake() -> Generator[None, None, None]:
    """The event loop, which listens to these signals, stands still while a line is awaited."""

    def wake(*_: object) -> None:
        raise _Ended

    before = {one: signal.signal(one, wake) for one in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for one, known in before.items():
            signal.signal(one, known)


@asynccontextmanager
async def interruptible() -> AsyncGenerator[None, None]:
    """Ctrl-C reaches whoever waits for a line at once. (asyncio would wait for the line to end.)"""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
        # The loop hears here of what ended the program while it stood still, before all is closed.
        await asyncio.sleep(A_MOMENT)
    finally:
        signal.signal(signal.SIGINT, before)


async def stoppable(work: Coroutine[Any, Any, T]) -> T | None:
    """Ctrl-C stops an answer, not the talk; then there is none."""
    task, loop = asyncio.ensure_future(work), asyncio.get_running_loop()

    def stop(*_: object) -> None:
        loop.call_soon_threadsafe(task.cancel)

    # Not the loop's own handler: it would also hear of a Ctrl-C that came while a line was typed.
    before = signal.signal(signal.SIGINT, stop)
    try:
        return await task
    except asyncio.CancelledError:
        around = asyncio.current_task()
        if around is not None and around.cancelling():  # somebody ends the whole talk
            raise
        return None
    finally:
        signal.signal(signal.SIGINT, before)


def _edit_lines(words: Callable[[], list[str]]) -> None:
    """Arrow keys and completion, where the system has them."""
    try:
        import readline
    except ImportError:
        return

    def complete(typed: str, at: int) -> str | None:
        fitting = [word for word in words() if word.startswith(typed)]
        return fitting[at] if at < len(fitting) else None

    readline.set_completer(complete)
    readline.set_completer_delims(" ")
    is_libedit = "libedit" in (readline.__doc__ or "")
    readline.parse_and_bind("bind ^I rl_complete" if is_libedit else "tab: complete")


def _words(play: Play) -> list[str]:
    """Commands, rooms and people that are known."""
    scene = play.scene
    people = {scene.who}.union(*scene.present.values())
    rooms = (room.partition(":")[2] or room for room in scene.present)
    return sorted({*(f"/{name}" for name in COMMANDS), *rooms, *map(called, people)})
