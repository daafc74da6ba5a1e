"""`confide observe FILE`, which kills itself when it has kept some of it.

python tests/sources/dying.py HOME AGENT FILE LINES
"""

from __future__ import annotations

import os
import signal
import sys
from typing import Any

from confide.remember import observe
from confide.surfaces.cli.app import build

home, agent, file, lines = sys.argv[1:]
keep, kept = observe.Observing.observe, 0


async def watched(self: observe.Observing, *args: Any) -> observe.Observed:
    global kept
    done = await keep(self, *args)
    kept += 1
    if kept == int(lines):
        os.kill(os.getpid(), signal.SIGKILL)
    return done


observe.Observing.observe = watched  # pyright: ignore[reportAttributeAccessIssue]
build()(["--home", home, "--agent", agent, "observe", file])
