"""After a command that loaded everything itself: have a process stay for the next, if they come often."""

import contextlib
import os
import subprocess
import sys
import time

from confide.config import environment
from confide.surfaces.cli.resident import shared
from confide.surfaces.cli.resident.asking import home_of

OFTEN = 900.0  # seconds: who asks once in a while needs nothing to stay
KEPT = ("PATH", "LANG", "HOME")  # of the environment, and how letters are written


def stay_for_next(words: list[str]) -> None:
    home = home_of(words)
    if home is None or not shared.server_runs(home) or not _is_often(home):
        return
    idle_seconds = _idle_seconds(home)
    if not idle_seconds:
        return
    known = environment.everything()
    kept = {name: known[name] for name in known if name in KEPT or name.startswith("LC_")}
    command = [sys.executable, "-I", "-m", f"{__package__}.answering", home, str(idle_seconds)]
    with contextlib.suppress(OSError):
        subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=os.path.sep,
            # A process with threads is not safely copied.
            env=kept | {"OPENBLAS_NUM_THREADS": "1"},
            start_new_session=True,
        )


def _idle_seconds(home: str) -> int:
    from confide.config import read_settings
    from confide.errors import ConfideError

    try:
        settings = read_settings(home=home)
    except ConfideError:
        return 0
    return settings.idle_minutes * 60 if settings.resident else 0


def _is_often(home: str) -> bool:
    """Whether there was a command shortly before this one, which is noted."""
    folder = shared.open_folder(home, makes=True)
    if folder is None:
        return False
    try:
        with contextlib.suppress(OSError):
            before = os.stat(shared.ASKED, dir_fd=folder).st_mtime
            return time.time() - before < OFTEN
        return False
    finally:
        flags = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW
        with contextlib.suppress(OSError):
            noted = os.open(shared.ASKED, flags, 0o600, dir_fd=folder)
            os.utime(noted)
            os.close(noted)
        os.close(folder)
