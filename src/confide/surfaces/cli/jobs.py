"""`confide jobs`: what is to be learned from, what failed and why; never content."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from confide.model import shown
from confide.surfaces.cli.given import Given, with_given
from confide.surfaces.cli.opened import tell
from confide.surfaces.cli.output import console, harmless, say

if TYPE_CHECKING:
    from confide.store.sessions import Job

EXAMPLES = """\b
Examples:
    confide jobs
    confide jobs --retry

\b
JSON: jobs [id, speaker, place, unlearned, due_at, due_because, attempts, is_held, try_after,
      failed_because, state], count; with --retry: jobs (how many)
"""
Retry = Annotated[bool, typer.Option("--retry", help="Try again what was given up.")]


def register(app: typer.Typer) -> None:
    app.command("jobs", epilog=EXAMPLES)(with_given(jobs))


def jobs(given: Given, retry: Retry = False) -> None:
    """List what is to be learned from, and what was given up with the reason. Shows no content."""
    if retry:
        tell(given, "learning.retry", lambda count: say(f"{count} will be tried again."))
    else:
        tell(given, "learning.jobs", _table)


def _table(found: list[Job]) -> None:
    if not found:
        say("Nothing is due.")
        return
    from rich.table import Table

    table = Table("who", "where", "messages", "state", "why", box=None)
    for job in found:
        why = job.failed_because or job.due_because
        where = harmless(job.place)
        table.add_row(harmless(shown(job.speaker)), where, str(job.unlearned), job.state, why)
    console().print(table)
