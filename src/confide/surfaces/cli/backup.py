"""`confide backup`, and the part of `confide restore` that brings one back."""

from __future__ import annotations

import io
import shutil
import sys
import tempfile
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Annotated, Any, cast

import typer

from confide.surfaces.cli.given import Given, with_given
from confide.surfaces.cli.opened import with_memory
from confide.surfaces.cli.output import say, say_json

EXAMPLES = """\b
Examples:
    confide backup monday.confide
    confide restore monday.confide --home ~/elsewhere
    confide backup - | age -r age1… > monday.confide.age       encrypted before it reaches a disk
    age -d -i key.txt monday.confide.age | confide restore -

\b
JSON: file, fingerprint, agents, rows, made_at
"""


def register(app: typer.Typer) -> None:
    app.command("backup", epilog=EXAMPLES)(with_given(backup))


def backup(
    given: Given,
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A new file, or - for standard output.")
    ],
) -> None:
    """Write all that is kept, of every agent, to one file that only you can read.

    It is a snapshot of one moment; others may go on working. The file is not encrypted: write it to
    standard output and through a program that encrypts.
    """
    from confide.actor import operator_as

    given.settings()
    is_stream = str(file) == "-"
    target = standard_output() if is_stream else file
    with progress(given) as step:
        made = with_memory(
            given, lambda confide: confide.backups.make(target, actor=operator_as(), step=step)
        )
    rows = sum(part.rows for part in made.parts)
    if is_stream:
        typer.echo(f"{rows:,} rows. Fingerprint: {made.fingerprint}", err=True)
    elif given.as_json:
        say_json(
            {"file": str(file), "fingerprint": made.fingerprint, "agents": made.agents,
             "rows": rows, "made_at": made.made_at}
        )  # fmt: skip
    else:
        say(f"{rows:,} rows of {', '.join(made.agents) or 'no agent'} are in {file}.")
        say(f"Fingerprint: {made.fingerprint}")
        say("It is not encrypted: keep it where you would keep the memory itself.")


def restore_file(
    given: Given, path: Path, *, replaces: bool, fingerprint: str | None, yes: bool
) -> None:
    from confide.actor import operator_as
    from confide.surfaces.cli.forget import ask_first

    file = spooled() if str(path) == "-" else path

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


def standard_output() -> IO[bytes]:
    """Where no terminal would show the bytes of a backup."""
    if sys.stdout.isatty():
        from confide.errors import InvalidInput

        raise InvalidInput("file", "- is a terminal; name a file, or pipe it into a program")
    return cast(IO[bytes], _Stream(sys.stdout.buffer))


class _Stream(io.RawIOBase):
    """Standard output as a stream that cannot go back, also where it is a file that could: whoever
    appended to it would find it overwritten."""

    def __init__(self, out: IO[bytes]) -> None:
        self._out = out

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        return self._out.write(data)

    def flush(self) -> None:
        self._out.flush()


def spooled() -> IO[bytes]:
    """What standard input brings, in a file without a name: its end has to be read first."""
    file = tempfile.TemporaryFile()  # noqa: SIM115 - it ends with the program
    shutil.copyfileobj(sys.stdin.buffer, file)
    return file


@contextmanager
def progress(given: Given, title: str = "copying") -> Generator[Callable[[str], None], None, None]:
    """Which table is being copied, where somebody looks."""
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    columns = SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn()
    is_quiet = given.as_json or not console.is_terminal
    with Progress(*columns, console=console, transient=True, disable=is_quiet) as shown:
        task = shown.add_task(title, total=None)
        yield lambda name: shown.update(task, description=f"{title} {name}")
