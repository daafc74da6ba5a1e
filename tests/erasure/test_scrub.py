"""After a scrub, what was erased is in no file of the data folder, in no encoding."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest
from tests.backup.conftest import NewHome, new_home
from tests.conftest import Clock
from tests.learn.speaking import say

from confide import Confide, operator_as, statement
from confide.store import embedded
from confide.store.scrub import scrub

from .conftest import CANARY, ZED, live_a_life, told

__all__ = ["new_home"]


def files_with(folder: Path, *words: str) -> dict[str, list[str]]:
    """Every file that holds one of the words, in UTF-8 or UTF-16, whatever the case."""
    needles = {
        word.encode(encoding).lower()
        for word in words
        for encoding in ("utf-8", "utf-16-le", "utf-16-be")
    }
    found: dict[str, list[str]] = {}
    for parent, _, names in os.walk(folder):
        for name in names:
            path = Path(parent, name)
            content = path.read_bytes().lower() if path.is_file() else b""
            hits = sorted(repr(one) for one in needles if one in content)
            if hits:
                found[str(path.relative_to(folder))] = hits
    return found


@pytest.mark.req("B5", "P10")
async def test_after_a_scrub_no_file_holds_what_was_erased(new_home: NewHome, clock: Clock) -> None:
    home = new_home()
    async with Confide.open(home, clock=clock, learn=False) as confide:
        await live_a_life(confide)
        for n in range(300):  # enough for statistics to be made, and for pages to be split
            await confide.remember(statement(f"My quokka number {n}", by=ZED, place="dm"))
        await confide.database.refresh_statistics()
        await confide.remember(statement("I keep bees", by="human:bob", place="dm"))
        await confide.erasure.person(ZED, actor=operator_as(), now=True)
    await asyncio.to_thread(embedded.stop, home)
    before = files_with(home, CANARY)
    assert any("pg_wal" in name for name in before), "the test looks where it should"
    assert any("base" in name for name in before)
    done = await asyncio.to_thread(scrub, home)
    assert done.tables > 30
    assert done.wal_files > 0
    assert files_with(home, CANARY) == {}
    async with Confide.open(home, clock=clock, learn=False) as confide:
        assert await told(confide, "what do I keep?", "human:bob") == {"I keep bees"}
        assert (await confide.remember(statement("I am back", by=ZED, place="dm"))).is_new
    again = await asyncio.to_thread(scrub, home)
    assert again.tables == done.tables


async def test_a_running_server_is_scrubbed_and_runs_again(new_home: NewHome, clock: Clock) -> None:
    home = new_home()
    async with Confide.open(home, clock=clock, learn=False) as confide:
        await say(confide, "I keep quokkas", by="human:zed")
        await confide.erasure.person(ZED, actor=operator_as(), now=True)
        await asyncio.to_thread(scrub, home)
        # Who was connected comes back by the next question, and finds no stale label.
        await say(confide, "I keep bees", by="human:zed")
        assert embedded.status(home).is_running
