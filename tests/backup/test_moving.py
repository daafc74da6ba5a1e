"""From the embedded database to a server: all of it, compared, and again after an interruption."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.conftest import Clock
from tests.erasure.conftest import ZED, live_a_life, told
from typer.testing import CliRunner

from confide import Confide, operator_as, statement
from confide.config import read_settings
from confide.errors import InvalidInput, StoreError
from confide.leaktest.run import SIZES, Size
from confide.store import moving
from confide.store.opening import open_database
from confide.store.scrub import scrub_server
from confide.surfaces.cli import db_upkeep
from confide.surfaces.cli.app import build

from .conftest import Elsewhere, NewHome


class Interrupted(Exception):
    """Stands for whatever ends the work in the middle of it."""


def stopping_at(table: str, occurrence: int):
    seen = 0

    def step(name: str) -> None:
        nonlocal seen
        seen += name == table
        if name == table and seen == occurrence:
            raise Interrupted

    return step


@pytest.mark.req("B5")
async def test_everything_arrives_and_an_interrupted_move_is_run_again(
    new_home: NewHome, elsewhere: Elsewhere, clock: Clock
) -> None:
    home = new_home()
    for agent in ("default", "other"):
        async with Confide.open(home, clock=clock, learn=False, agent=agent) as confide:
            await live_a_life(confide)
            heard = await told(confide, "quokkas?")
    source = await open_database(read_settings(home=home))
    target = await open_database(read_settings(home=home, database_url=elsewhere.url))
    try:
        args = source, target, home, "test", clock()
        # While it is spooled, and while it is loaded: once per agent each time.
        for occurrence in (2, 4):
            with pytest.raises(Interrupted):
                await moving.move(*args, stopping_at("memory", occurrence))
            there = await moving.read_digests(target)
            assert not any(rows for tables in there.values() for rows, _ in tables.values())
        done = await moving.move(*args)
        assert (done.agents, done.was_there) == (["default", "other"], False)
        assert await moving.read_digests(target) == await moving.read_digests(source)
        assert (await moving.move(*args)).was_there
        assert not list(home.glob("move.*"))
    finally:
        await source.close()
        await target.close()
    async with Confide.open(home, clock=clock, learn=False, database_url=elsewhere.url) as there:
        assert await told(there, "quokkas?") == heard
        assert (await there.trail.verify()).problems == ()
        done = await there.erasure.person(ZED, actor=operator_as(), now=True)
        assert not any(done.found.values())
    scrubbed = await scrub_server(elsewhere.url)
    assert scrubbed.tables > 30
    assert any("WAL" in one for one in scrubbed.beyond)


async def test_a_server_that_keeps_something_already_is_refused(
    new_home: NewHome, elsewhere: Elsewhere, clock: Clock
) -> None:
    home = new_home()
    for url in (None, elsewhere.url):
        async with Confide.open(home, clock=clock, learn=False, database_url=url) as confide:
            await confide.remember(statement("I keep bees", by="human:bob", place="dm"))
    source = await open_database(read_settings(home=home))
    target = await open_database(read_settings(home=home, database_url=elsewhere.url))
    try:
        with pytest.raises(InvalidInput, match=r"to: .*empty one"):
            await moving.move(source, target, home, "test", clock())
    finally:
        await source.close()
        await target.close()


async def test_a_move_during_which_somebody_writes_leaves_nothing_there(
    new_home: NewHome, elsewhere: Elsewhere, clock: Clock
) -> None:
    home = new_home()
    source = await open_database(read_settings(home=home))
    target = await open_database(read_settings(home=home, database_url=elsewhere.url))
    async with Confide.open(home, clock=clock, learn=False) as confide:
        await confide.remember(statement("I keep bees", by="human:bob", place="dm"))
        read, reads = moving.read_digests, 0

        async def read_and_write(database: object):
            nonlocal reads
            reads += 1
            if reads == 3:
                await confide.remember(statement("I keep ants", by="human:bob", place="dm"))
            return await read(database)  # pyright: ignore[reportArgumentType]

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(moving, "read_digests", read_and_write)
            with pytest.raises(StoreError, match="written meanwhile"):
                await moving.move(source, target, home, "test", clock())
        assert await moving.read_digests(target) == {}
    await source.close()
    await target.close()


@pytest.mark.slow
def test_the_command_moves_and_tests_for_leaks(
    new_home: NewHome, elsewhere: Elsewhere, monkeypatch: pytest.MonkeyPatch
) -> None:
    # That it is run there is tested here; how much it asks is the leak test's own affair.
    sparse = Size(towns=1, askers=1, density=0.1, thoughts=0, paths=1)
    monkeypatch.setitem(SIZES, "quick", sparse)
    monkeypatch.setattr(db_upkeep.secrets, "randbelow", lambda most: 2026)
    home, run = new_home(), CliRunner()
    first = ["--home", str(home)]
    said = ["remember", "I keep bees", "--by", "human:bob", "--in", "dm"]
    assert run.invoke(build(), [*first, *said]).exit_code == 0
    done = run.invoke(build(), [*first, "db", "move", "--to", elsewhere.url, "--json"])
    assert done.exit_code == 0, done.stderr
    told = json.loads(done.stdout)
    assert (told["agents"], told["leaktest"]) == (["default"], True)
    asked = ["recall", "what does Bob keep?", "--as", "human:bob", "--in", "dm", "--json"]
    there = run.invoke(build(), asked, env={"CONFIDE_DATABASE_URL": elsewhere.url})
    assert json.loads(there.stdout)["count"] == 1
    assert Path(home).exists()
