"""`confide sessions`: who talked where and when, and what was learned from; never content."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from confide.model import shown
from confide.surfaces.cli.given import Given, with_given
from confide.surfaces.cli.opened import tell
from confide.surfaces.cli.output import console, harmless, say

if TYPE_CHECKING:
    from confide.store.sessions import Sitting

EXAMPLES = """\b
Example:
    confide sessions --json

\b
JSON: sessions [id, speaker, place, started_at, last_activity_at, message_count, unlearned,
      extracted_at, is_open, due_because], count
"""


def register(app: typer.Typer) -> None:
    app.command("sessions", epilog=EXAMPLES)(with_given(sessions))


def sessions(given: Given) -> None:
    """List each person's stretches in a place, newest first. Shows no content."""
    tell(given, "learning.sessions", _table)


def _table(found: list[Sitting]) -> None:
    if not found:
        say("Nobody said anything yet.")
        return
    from rich.table import Table

    table = Table("who", "where", "since", "last", "messages", "to learn from", box=None)
    for one in found:
        table.add_row(
            harmless(shown(one.speaker)),
            harmless(one.place),
            f"{one.started_at:%Y-%m-%d %H:%M}",
            f"{one.last_activity_at:%Y-%m-%d %H:%M}",
            str(one.message_count),
            str(one.unlearned),
        )
    console().print(table)
