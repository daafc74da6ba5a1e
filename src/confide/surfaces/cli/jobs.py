"""`confide jobs`: what is to be learned from, what failed and why; never content."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from confide.surfaces.cli.given import Given, with_given
from confide.surfaces.cli.opened import with_memory
from confide.surfaces.cli.output import console, harmless, say, say_json

if TYPE_CHECKING:
    from confide.store.sessions import Job

EXAMPLES = """\b
Examples:
    confide jobs
    confide jobs --retry

\b
JSON: jobs [id, speaker, place, messages, state, due_because, attempts, failed_because], count
"""
Retry = Annotated[bool, typer.Option("--retry", help="Try again what was given up.")]


def register(app: typer.Typer) -> None:
    app.command("jobs", epilog=EXAMPLES)(with_given(jobs))


def jobs(given: Given, retry: Retry = False) -> None:
    """List what is to be learned from, and what was given up with the reason. Shows no content."""
    given.settings()
    if retry:
        count = with_memory(given, lambda confide: confide.learning.retry())
        if given.as_json:
            say_json({"retried": count})
        else:
            say(f"{count} will be tried again.")
        return
    found = with_memory(given, lambda confide: confide.learning.jobs())
    if given.as_json:
        say_json({"jobs": [as_json(one) for one in found], "count": len(found)})
    elif not found:
        say("Nothing is due.")
    else:
        _table(found)


def state(job: Job) -> str:
    if job.failed_because:
        return "given up"
    if job.is_held:
        return "being learned from"
    return "waits to try again" if job.attempts else "due"


def as_json(job: Job) -> dict[str, object]:
    return {
        "id": job.id,
        "speaker": str(job.speaker),
        "place": job.place,
        "messages": job.unlearned,
        "state": state(job),
        "due_because": job.due_because,
        "attempts": job.attempts,
        "failed_because": job.failed_because,
    }


def _table(found: list[Job]) -> None:
    from rich.table import Table

    table = Table("who", "where", "messages", "state", "why", box=None)
    for job in found:
        why = job.failed_because or job.due_because
        where = harmless(job.place)
        table.add_row(harmless(str(job.speaker)), where, str(job.unlearned), state(job), why)
    console().print(table)
