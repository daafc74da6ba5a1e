"""`confide backup`, and the part of `confide restore` that brings one back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from confide.surfaces.cli.given import Given, with_given
from confide.surfaces.cli.opened import with_memory
from confide.surfaces.cli.output import say, say_json

EXAMPLES = """\b
Examples:
    confide backup monday.confide
    confide restore monday.confide --home ~/elsewhere

\b
JSON: file, fingerprint, agents, rows, made_at
"""


def register(app: typer.Typer) -> None:
    app.command("backup", epilog=EXAMPLES)(with_given(backup))


def backup(
    given: Given,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A new file.")],
) -> None:
    """Write all that is kept, of every agent, to one file that only you can read.

    It is a snapshot of one moment; others may go on working. The file is not encrypted.
    """
    from confide.actor import operator_as

    given.settings()
    with progress(given) as step:
        made = with_memory(
            given, lambda confide: confide.backups.make(file, actor=operator_as(), step=step)
        )
    rows = sum(part.rows for part in made.parts)
    if given.as_json:
        say_json(
            {"file": str(file), "fingerprint": made.fingerprint, "agents": made.agents,
             "rows": rows, "made_at": made.made_at}
        )  # fmt: skip
    else:
        say(f"{rows:,} rows of {', '.join(made.agents) or 'no agent'} are in {file}.")
        say(f"Fingerprint: {made.fingerprint}")
        say("It is not encrypted: keep it where you would keep the memory itself.")


def restore_file(
    given: Given, file: Path, *, replaces: bool, fingerprint: str | None, yes: bool
) -> None:
    from confide.actor import operator_as
    from confide.surfaces.cli.forget import ask_first

    if replaces:
        ask_first("Drop what these agents keep now, and bring back the backup?", yes)
    with progress(given) as step:
        done = with_memory(
            given,
            lambda confide: confide.backups.restore(
                file, actor=operator_as(), replaces=replaces, fingerprint=fingerprint, step=step
            ),
        )
    if given.as_json:
        say_json(
            {"agents": done.agents, "rows": done.rows, "replayed": done.replayed,
             "made_at": done.made_at}
        )  # fmt: skip
    else:
        say(f"Restored {done.rows:,} rows of {', '.join(done.agents) or 'no agent'}.")
        if done.replayed:
            say(f"{done.replayed} erasures since then were done again.")


@contextmanager
def progress(given: Given, title: str = "copying") -> Iterator[Callable[[str], None]]:
    """Which table is being copied, where somebody looks."""
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    columns = SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn()
    is_quiet = given.as_json or not console.is_terminal
    with Progress(*columns, console=console, transient=True, disable=is_quiet) as shown:
        task = shown.add_task(title, total=None)
        yield lambda name: shown.update(task, description=f"{title} {name}")
