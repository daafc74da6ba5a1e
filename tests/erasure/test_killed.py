"""kill -9 in the middle of erasing, restoring, scrubbing and moving: all or nothing, then again."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.backup.conftest import Elsewhere, NewHome, elsewhere, new_home
from tests.conftest import Clock

from confide import Confide, operator_as, statement
from confide.config import read_settings
from confide.store import moving
from confide.store.opening import open_database
from confide.store.scrub import scrub

from .conftest import CANARY, ZED, found_in, live_a_life, told
from .test_scrub import files_with

__all__ = ["elsewhere", "new_home"]
pytestmark = pytest.mark.slow
DYING = Path(__file__).with_name("dying.py")
WORDS = (CANARY, CANARY.capitalize())


async def killed(*words: str | Path) -> None:
    env = os.environ | {"TOKENIZERS_PARALLELISM": "false"}
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(DYING), *map(str, words), env=env, stderr=subprocess.PIPE
    )
    _, said = await process.communicate()
    assert process.returncode == -signal.SIGKILL, said.decode()[-2000:]


@pytest.mark.req("B5")
@pytest.mark.parametrize("step", ["drop_quotes", "memories", "messages"])
async def test_an_erasure_that_is_killed_has_done_nothing_and_is_done_again(
    confide: Confide, home: Path, agent: str, step: str
) -> None:
    await live_a_life(confide)
    before, heard = await found_in(confide, *WORDS), await told(confide, "quokkas?")
    await killed("erase", home, agent, step)
    after = await found_in(confide, *WORDS)
    assert after == before
    assert await told(confide, "quokkas?") == heard
    await confide.erasure.person(ZED, actor=operator_as(), now=True)
    assert await found_in(confide, *WORDS) == {}


@pytest.mark.req("B5")
async def test_a_restore_or_scrub_that_is_killed_is_run_again(
    new_home: NewHome, clock: Clock, tmp_path: Path
) -> None:
    home, file = new_home(), tmp_path / "all.confide"
    async with Confide.open(home, clock=clock, learn=False) as confide:
        await live_a_life(confide)
        await confide.backups.make(file, actor=operator_as())
        await confide.erasure.person(ZED, actor=operator_as(), now=True)
        await confide.remember(statement("I keep bees", by="human:bob", place="dm"))
        for step in ("place", "words"):
            await killed("restore", home, file, step)
            assert await told(confide, "bees?", "human:bob") == {"I keep bees"}
            assert await found_in(confide, *WORDS) == {}
        done = await confide.backups.restore(file, actor=operator_as(), replaces=True)
        assert done.replayed == 1
        assert await found_in(confide, *WORDS) == {}
    for step in ("memory", "statistics", "WAL"):
        await killed("scrub", home, step)
    await asyncio.to_thread(scrub, home)
    assert files_with(home / "postgres", CANARY) == {}
    async with Confide.open(home, clock=clock, learn=False) as confide:
        assert await told(confide, "figs?", "human:bob", "group:crew") == {"I like figs myself"}


async def test_a_move_that_is_killed_has_left_nothing_there_and_is_run_again(
    new_home: NewHome, elsewhere: Elsewhere, clock: Clock
) -> None:
    home = new_home()
    async with Confide.open(home, clock=clock, learn=False) as confide:
        await live_a_life(confide)
    # The second time a table is named it is being loaded.
    await killed("move", home, elsewhere.url, "memory")
    source = await open_database(read_settings(home=home))
    target = await open_database(read_settings(home=home, database_url=elsewhere.url))
    try:
        assert await moving.read_digests(target) == {}
        assert not (await moving.move(source, target, home, "test", clock())).was_there
        assert await moving.read_digests(target) == await moving.read_digests(source)
    finally:
        await source.close()
        await target.close()
