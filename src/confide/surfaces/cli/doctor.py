"""`confide doctor`: is everything that is kept in order?"""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from confide.surfaces.cli.given import Given, with_given
from confide.surfaces.cli.opened import call
from confide.surfaces.cli.output import console, faint, harmless, say, say_answer

if TYPE_CHECKING:
    from confide.keep.doctor import Examination
    from confide.keep.findings import Finding

EXAMPLES = """\b
Examples:
    confide doctor
    confide doctor --fix

\b
JSON: memories, is_well, findings [name, says, remedy, count, examples, fixed]
"""


def register(app: typer.Typer) -> None:
    app.command("doctor", epilog=EXAMPLES)(with_given(doctor))


def doctor(
    given: Given,
    fix: Annotated[bool, typer.Option("--fix", help="Put right what can be put right.")] = False,
) -> None:
    """Look for what is wrong with memories, labels, jobs and indexes. Nobody's words are shown.

    Without --fix nothing is changed. Exit code 1 if something is left to be put right.
    """
    name = "doctor.mend" if fix else "doctor.examine"
    with _progress(given) as progress:
        found = call(given, name, progress=progress)
    if not say_answer(given, name, found):
        _show(found, fix=fix)
    if not found.is_well:
        raise typer.Exit(1)


def _show(found: Examination, *, fix: bool) -> None:
    from rich.table import Table

    if not found.findings:
        say(f"All is well with {found.memories} memories.")
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("check", "count", "what is wrong", "fixed" if fix else "with --fix"):
        table.add_column(heading, overflow="fold")
    for one in found.findings:
        table.add_row(one.name, str(one.count), one.says, _remedy(one, fix))
    console().print(table)
    for one in found.findings:
        say(faint(harmless(f"{one.name}: {', '.join(one.examples)}")))


def _remedy(one: Finding, fix: bool) -> str:
    if one.remedy is None:
        return "somebody has to look"
    return str(one.fixed) if fix else one.remedy


@contextmanager
def _progress(given: Given) -> Generator[Callable[[str, int, int], None], None, None]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    errors = Console(file=sys.stderr)
    columns = TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn()
    is_quiet = given.as_json or not errors.is_terminal
    with Progress(*columns, console=errors, transient=True, disable=is_quiet) as shown:
        task = shown.add_task("looking", total=None)
        yield lambda what, done, all: shown.update(
            task, description=what, completed=done, total=all
        )
