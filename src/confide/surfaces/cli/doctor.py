"""`confide doctor`: is everything that is kept in order?"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from confide.surfaces.cli.given import Given, with_given
from confide.surfaces.cli.opened import with_memory
from confide.surfaces.cli.output import console, faint, harmless, say, say_json

if TYPE_CHECKING:
    from confide.keep.doctor import Examination
    from confide.keep.findings import Finding

EXAMPLES = """\b
Examples:
    confide doctor
    confide doctor --fix

\b
JSON: well, memories, findings [check, problem, remedy, count, fixed, examples]
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
    given.settings()
    with _progress(given) as progress:
        found = with_memory(
            given,
            lambda confide: (
                confide.doctor.mend(progress=progress)
                if fix
                else confide.doctor.examine(progress=progress)
            ),
        )
    if given.as_json:
        say_json(as_json(found))
    else:
        _show(found, fix=fix)
    if not found.is_well:
        raise typer.Exit(1)


def as_json(found: Examination) -> dict[str, object]:
    return {
        "well": found.is_well,
        "memories": found.memories,
        "findings": [
            {
                "check": one.problem.name,
                "problem": one.problem.says,
                "remedy": one.problem.remedy,
                "count": one.count,
                "fixed": one.fixed,
                "examples": list(one.examples),
            }
            for one in found.findings
        ],
    }


def _show(found: Examination, *, fix: bool) -> None:
    from rich.table import Table

    if not found.findings:
        say(f"All is well with {found.memories} memories.")
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("check", "count", "what is wrong", "fixed" if fix else "with --fix"):
        table.add_column(heading, overflow="fold")
    for one in found.findings:
        table.add_row(one.problem.name, str(one.count), one.problem.says, _remedy(one, fix))
    console().print(table)
    for one in found.findings:
        say(faint(harmless(f"{one.problem.name}: {', '.join(one.examples)}")))


def _remedy(one: Finding, fix: bool) -> str:
    if one.problem.remedy is None:
        return "somebody has to look"
    return str(one.fixed) if fix else one.problem.remedy


@contextmanager
def _progress(given: Given) -> Iterator[Callable[[str, int, int], None]]:
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
