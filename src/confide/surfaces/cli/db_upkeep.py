"""`confide db scrub` and `confide db move`."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Annotated, Any

import typer

from confide.surfaces.cli.backup import progress
from confide.surfaces.cli.given import Given
from confide.surfaces.cli.opened import run, with_memory
from confide.surfaces.cli.output import say, say_json

if TYPE_CHECKING:
    from confide.config import Settings
    from confide.leaktest.report import Report
    from confide.store.backup import Step
    from confide.store.moving import Moved
    from confide.store.scrub import Scrubbed

SCRUB_EXAMPLE = """\b
Example:
    confide forget --person human:alice --now --yes && confide db scrub

\b
JSON: tables, labels, wal_files, left, cannot_verify
"""
MOVE_EXAMPLE = """\b
Example:
    confide db move --to postgresql://confide@db.example/confide

\b
JSON: agents, tables, rows, was_there, leaktest
"""


def scrub(given: Given) -> None:
    """Remove from the files what was erased: tables and indexes are rewritten, old WAL is removed.

    The embedded database is stopped for that moment; whoever uses it connects again. On a server of
    yours it rewrites the tables, and says what it cannot see.
    """
    settings = given.settings()
    with_memory(given, lambda confide: confide.erasure.finish())
    with progress(given, "rewriting") as step:
        done = _scrub(settings, step)
    if given.as_json:
        say_json(
            {"tables": done.tables, "labels": done.labels, "wal_files": done.wal_files,
             "left": done.left, "cannot_verify": list(done.beyond)}
        )  # fmt: skip
        return
    say(f"Tables rewritten: {done.tables}, WAL files removed: {done.wal_files}.")
    for one in done.left:
        say(f"Left: {one}. Remove it when you no longer need it.")
    say("This cannot be seen from here:")
    for one in done.beyond:
        say(f"  {one}")


def _scrub(settings: Settings, step: Step) -> Scrubbed:
    import asyncio

    from confide.store import scrub as scrubbing

    if settings.database_url is None:
        return scrubbing.scrub(settings.home, step)
    return asyncio.run(scrubbing.scrub_server(settings.database_url.get_secret_value(), step))


def move(
    given: Given,
    to: Annotated[str, typer.Option("--to", metavar="URL", help="The server's address.")],
) -> None:
    """Copy the embedded database to a server, compare every table, and run a leak test there.

    Can be run again after it was interrupted. The embedded database stays as it is.
    """
    from confide.surfaces.cli.db import require_embedded

    settings = require_embedded(given)
    with progress(given) as step:
        done = run(_move(settings, to, step))
        step("made-up facts for the leak test")
        report = run(_leaktest(settings, to))
    if given.as_json:
        say_json(
            {"agents": done.agents, "tables": done.tables, "rows": done.rows,
             "was_there": done.was_there, "leaktest": report.passed}
        )  # fmt: skip
    else:
        said = "was there already" if done.was_there else "arrived"
        say(f"{done.rows:,} rows of {', '.join(done.agents)} {said}; every table was compared.")
        say("The leak test passed." if report.passed else "The leak test FAILED.")
        say(
            "Set CONFIDE_DATABASE_URL to use it. What is in CONFIDE_HOME stays until you remove it."
        )
    if not report.passed:
        raise typer.Exit(1)


async def _move(settings: Settings, to: str, step: Step) -> Moved:
    from importlib.metadata import version

    from confide.config import read_settings
    from confide.means import system_clock
    from confide.store import moving
    from confide.store.opening import open_database

    there = read_settings(**_elsewhere(settings, to))
    source = await open_database(settings)
    try:
        target = await open_database(there, migrates=True)
        try:
            return await moving.move(
                source, target, settings.home, version("confide"), system_clock(), step
            )
        finally:
            await target.close()
    finally:
        await source.close()


async def _leaktest(settings: Settings, to: str) -> Report:
    import functools

    from confide.leaktest.run import run as test
    from confide.memories import Confide
    from confide.surfaces.cli.leaktest import surfaces

    fields = _elsewhere(settings, to)
    del fields["agent"]
    opener = functools.partial(Confide.open, **fields)
    return await test(opener, "quick", seed=secrets.randbelow(10**8), surfaces=surfaces)


def _elsewhere(settings: Settings, to: str) -> dict[str, Any]:
    return {"home": settings.home, "agent": settings.agent, "database_url": to}
