"""A process that kills itself in the middle of an erasure, a restore, a scrub or a move.

python tests/erasure/dying.py erase HOME AGENT STEP
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from confide import Confide, Entity, operator_as
from confide.config import read_settings
from confide.store import erasing, moving
from confide.store.opening import open_database
from confide.store.scrub import scrub


def dying_at(name: str, occurrence: int = 1):
    seen = 0

    def step(reached: str) -> None:
        nonlocal seen
        seen += reached == name
        if reached == name and seen == occurrence:
            os.kill(os.getpid(), signal.SIGKILL)

    return step


async def erase(home: str, agent: str, step: str) -> None:
    run, die = erasing.Erasing._run, dying_at(step)

    async def watched(self: erasing.Erasing, name: str, *args: Any) -> int:
        done = await run(self, name, *args)
        die(name)
        return done

    erasing.Erasing._run = watched
    async with Confide.open(home, agent=agent, learn=False) as confide:
        await confide.erasure.person(Entity("human", "zed"), actor=operator_as(), now=True)


async def restore(home: str, file: str, step: str) -> None:
    async with Confide.open(home, learn=False) as confide:
        await confide.backups.restore(
            Path(file), actor=operator_as(), replaces=True, step=dying_at(step)
        )


async def move(home: str, url: str, step: str) -> None:
    source = await open_database(read_settings(home=home))
    target = await open_database(read_settings(home=home, database_url=url))
    now = datetime(2026, 3, 1, tzinfo=UTC)
    await moving.move(source, target, Path(home), "test", now, dying_at(step, 2))


if __name__ == "__main__":
    what, *rest = sys.argv[1:]
    if what == "scrub":
        scrub(Path(rest[0]), dying_at(rest[1]))
    else:
        asyncio.run({"erase": erase, "restore": restore, "move": move}[what](*rest))
