"""`confide leaktest`: plant canaries in every kind of room, ask from every other, print the matrix."""

from __future__ import annotations

import functools
import secrets
import shutil
import sys
import tempfile
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from confide.surfaces.cli.given import Given, with_given
from confide.surfaces.cli.output import say_json

if TYPE_CHECKING:
    from confide.leaktest.report import Report
    from confide.leaktest.run import Opener
    from confide.leaktest.surfaces import Library, Surface

EXAMPLES = """\b
Examples:
    confide leaktest
    confide leaktest --size full --json
    confide leaktest --here        in the configured database, as an agent of its own
"""
SizeOf = Annotated[
    str,
    typer.Option("--size", metavar="SIZE", help="quick (half a minute) or full (many minutes)."),
]
Seed = Annotated[
    int | None, typer.Option("--seed", help="Draw the same words and people as another run.")
]
Here = Annotated[
    bool,
    typer.Option(
        "--here",
        help="Use the configured database instead of a throw-away one. A made-up agent plants and"
        " asks; nothing it was told stays.",
    ),
]


def register(app: typer.Typer) -> None:
    app.command("leaktest", epilog=EXAMPLES)(with_given(leaktest))


def leaktest(given: Given, size: SizeOf = "quick", seed: Seed = None, here: Here = False) -> None:
    """Show that nothing is told to the wrong people, and nothing withheld from the right ones.

    Plants made-up facts for many people in every kind of room, lets people join, leave and forget,
    rooms open and close and time pass, asks from every room after each, and compares each answer
    with an oracle that looks at every single reader. Then it looks beside recall, at counts, ids,
    times and errors, and tries to let others hear more with keys that a model may hold. Exit code 1
    if any answer is wrong.
    """
    import asyncio

    from confide.errors import InvalidInput
    from confide.leaktest.run import ACTS, SIZES

    if size not in SIZES:
        raise InvalidInput("--size", f"{size!r} is none of {', '.join(SIZES)}")
    drawn = secrets.randbelow(10**8) if seed is None else seed
    with _home(given, here) as opener, _progress(SIZES[size].towns * ACTS, given) as step:
        report = asyncio.run(_run(opener, size, drawn, step))
    _note(given, report)
    if given.as_json:
        say_json(report.fields())
    else:
        _show(report)
    if not report.passed:
        raise typer.Exit(1)


def _note(given: Given, report: Report) -> None:
    """For `confide report`: numbers only."""
    from datetime import UTC, datetime

    from confide.keep.reporting import Leaks, write_leaks

    between_people = sum(leak.is_between_people for leak in report.leaks)
    found = Leaks(
        datetime.now(UTC), report.total, between_people, len(report.leaks) - between_people
    )
    with suppress(OSError):  # a folder that cannot be written is no reason to lose the result
        write_leaks(given.settings().home, found)


async def _run(opener: Opener, size: str, seed: int, step: Callable[[str], None]) -> Report:
    from confide.leaktest.run import SETTINGS, run
    from confide.surfaces.http.probes import probe

    report = await run(opener, size, seed=seed, surfaces=surfaces, step=step)
    report.probes = await probe(opener, SETTINGS)
    return report


def surfaces(library: Library) -> Sequence[Surface]:
    """Every way a memory reaches somebody. A new surface is added here."""
    from confide.leaktest.command_line import CommandLine
    from confide.leaktest.run import own_surfaces
    from confide.surfaces.cli.app import build
    from confide.surfaces.http.leaks import OverHttp

    return [*own_surfaces(library), CommandLine(build(), library), OverHttp(library)]


@contextmanager
def _home(given: Given, here: bool) -> Generator[Opener, None, None]:
    """Where the test is run: a database that is thrown away, or the configured one."""
    from confide.memories import Confide
    from confide.store import embedded

    if here:
        fields = {name: value for name, value in given.fields().items() if name != "agent"}
        yield functools.partial(Confide.open, **fields)
        return
    folder = Path(tempfile.mkdtemp(prefix="confide-leaktest-"))
    try:
        yield functools.partial(Confide.open, folder, database_url=None)
    finally:
        embedded.stop(folder)
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _progress(acts: int, given: Given) -> Generator[Callable[[str], None], None, None]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    # The file is named: questions over the command line borrow sys.stderr while they run.
    console = Console(file=sys.stderr)
    columns = TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn()
    is_quiet = given.as_json or not console.is_terminal
    with Progress(*columns, console=console, transient=True, disable=is_quiet) as progress:
        task = progress.add_task("planting", total=acts)
        yield lambda act: progress.update(task, description=act, advance=1)


def _show(report: Report) -> None:
    from confide.leaktest.matrix import show
    from confide.surfaces.cli.output import console

    show(report, console())
