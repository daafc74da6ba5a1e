"""Long texts are screened in a process of their own, so that nobody else waits for them.

A regular expression holds Python's interpreter lock until it has finished. In a thread it would
stop the event loop all the same, and with it every other caller."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from confide.errors import InvalidInput
from confide.model import Sensitivity

if TYPE_CHECKING:
    from confide.screen.findings import Screening
    from confide.screen.head import Caution


class ScreenApart:
    """Asks one screen in another process, one question after the other. It starts when first
    needed, and again if it ended."""

    def __init__(self, caution: Caution) -> None:
        self._caution: Caution = caution
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None

    def look_all(
        self, texts: Sequence[str], given: Sensitivity | None, owner_names: Sequence[str]
    ) -> list[Screening]:
        asked = pickle.dumps((list(texts), given, tuple(owner_names)))
        with self._lock:
            for _ in range(2):
                try:
                    answer = self._ask(asked)
                except (OSError, EOFError, pickle.UnpicklingError):
                    self._end()
                    continue
                if isinstance(answer, str):
                    break
                return answer
        raise InvalidInput("text", "it cannot be screened, so it is not kept; say it differently")

    def close(self) -> None:
        with self._lock:
            self._end()

    def _ask(self, asked: bytes) -> list[Screening] | str:
        process = self._process
        if process is None or process.poll() is not None:
            process = self._process = _started(self._caution)
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(asked)
        process.stdin.flush()
        return pickle.load(process.stdout)

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.communicate()


def _started(caution: Caution) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-P", "-m", "confide.screen.apart", caution]
    return subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=os.path.sep, bufsize=-1
    )


def main() -> None:
    """Answers until whoever asks has gone."""
    from confide.screen.screen import Screen

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is for who asks
    if hasattr(os, "nice"):
        os.nice(5)  # a long text can wait; those who are answered meanwhile should not
    screen, out = Screen(cast("Caution", sys.argv[1])), sys.stdout.buffer
    while True:
        try:
            texts, given, owner_names = pickle.load(sys.stdin.buffer)
        except (EOFError, KeyboardInterrupt):
            return
        try:
            answer = screen.look_all(texts, given=given, owner_names=owner_names)
        except Exception as problem:  # noqa: BLE001 - the text is refused; the next one is not
            answer = type(problem).__name__
        pickle.dump(answer, out)
        out.flush()


if __name__ == "__main__":
    main()
