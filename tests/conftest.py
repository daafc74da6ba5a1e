"""One embedded PostgreSQL for the whole run; every test speaks for an agent of its own."""

from __future__ import annotations

import os
import shutil
import tempfile
import uuid
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
import typer.testing
from hypothesis import is_hypothesis_test
from hypothesis import settings as hypothesis_settings
from tests.chance import FUZZ_SEED, chance, is_time_over
from tests.warm import Shelf

from confide import Confide
from confide.store import embedded
from confide.surfaces.cli import app

# Typer makes a hundred commands of their signatures; once is enough for all that tests run.
app.build = cache(app.build)
typer.testing._get_command = cache(typer.testing._get_command)

# A noisy machine is no reason for a test to fail, nor is an unlucky draw. `make fuzz` draws others.
hypothesis_settings.register_profile("confide", deadline=None, derandomize=True)
hypothesis_settings.register_profile("fuzz", deadline=None, print_blob=True)
hypothesis_settings.load_profile("fuzz" if FUZZ_SEED else "confide")

DATA = Path(os.environ.get("CONFIDE_DATA", Path(__file__).parents[2] / "shared" / "data"))

#: One worker for all tests of a file: each would set up what they share, for many seconds.
TOGETHER = {
    "tests/learn/test_crashes.py",
    "tests/planted/test_planted_in_sql.py",
    "tests/replicas/test_standbys.py",
    "tests/store/test_embedded.py",
    "tests/store/test_embedded_recovery.py",
    "tests/store/test_embedded_upgrade.py",
}


class Clock:
    """Time that a test moves by hand."""

    def __init__(self) -> None:
        self.now = datetime(2026, 3, 1, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def advance(self, **by: float) -> None:
        self.now += timedelta(**by)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "database: needs PostgreSQL, and fails without it")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """`-m "not database"` runs what is pure. What takes longer begins first: at the end it would
    keep one worker busy while the others have nothing to do."""
    for item in items:
        if "home" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.database)
        if is_hypothesis_test(getattr(item, "obj", None)):
            item.add_marker(pytest.mark.drawn)
    if FUZZ_SEED:  # a round that runs out of time has not always tried the same tests
        chance(0).shuffle(items)
    else:
        items.sort(key=lambda item: item.get_closest_marker("slow") is None)


def pytest_runtest_teardown(item: pytest.Item) -> None:
    if is_time_over():
        item.session.shouldstop = "the time is over"


def pytest_sessionfinish(session: pytest.Session) -> None:
    if session.testsfailed:  # also of a run that ended because its time was over
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Whoever is free takes the next test. (xdist's own groups do nothing with this pytest.)"""
    from xdist.scheduler import LoadScopeScheduling

    class Scheduling(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file = nodeid.partition("::")[0]
            return file if file in TOGETHER else nodeid

    return Scheduling(config, log)


def pytest_report_header() -> str:
    found = "found" if DATA.is_dir() else "absent: tests that measure on them are not collected"
    return f"public data sets: {found}"


@pytest.fixture(scope="session", autouse=True)
def _clean_environment() -> Iterator[None]:
    """Nobody's own settings may decide a test."""
    mine = {
        name: os.environ.pop(name)
        for name in list(os.environ)
        if name.startswith(("CONFIDE_", "ANTHROPIC_", "VOYAGE_"))
    }
    yield
    os.environ.update(mine)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def home() -> AsyncIterator[Path]:
    """The folder of the run's database server; with xdist each worker has its own."""
    folder = Path(tempfile.mkdtemp(prefix="confide-test-"))
    lease = embedded.start(folder, idle_seconds=60, is_kept=False)
    (
        folder / "resident"
    ).touch()  # no process stays: the program that a test starts is what it tests
    shelf = Shelf(folder)
    patch = shelf.put_up()
    yield folder
    patch.undo()
    shelf.clear()
    lease.release()
    embedded.stop(folder)
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def agent() -> str:
    """A fresh agent: nothing of another test is in its memory."""
    return f"t{uuid.uuid4().hex[:12]}"


Opened = Callable[..., AbstractAsyncContextManager[Confide]]


@pytest.fixture
def open_confide(home: Path, clock: Clock, agent: str) -> Opened:
    """A factory, for tests that open the same memory twice or with other settings."""

    def opened(**settings: Any) -> AbstractAsyncContextManager[Confide]:
        # Whoever tests what is for everyone wants it told; that it waits has tests of its own.
        usual = {"agent": agent, "broadcast": "allow"}
        return Confide.open(home, clock=clock, **(usual | settings))

    return opened


@pytest.fixture
async def confide(open_confide: Opened) -> AsyncIterator[Confide]:
    async with open_confide() as opened:
        yield opened
