"""`confide sessions`: who talked where and when, and what was learned from; never content."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from confide.surfaces.cli.given import Given, with_given
from confide.surfaces.cli.opened import with_memory
from confide.surfaces.cli.output import console, harmless, say, say_json

if TYPE_CHECKING:
    from confide.store.sessions import Sitting

EXAMPLES = """\b
Example:
    confide sessions --json

\b
JSON: sessions [id, speaker, place, started_at, last_activity_at, messages, unlearned,
      extracted_at, is_open], count
"""


def register(app: typer.Typer) -> None:
    app.command("sessions", epilog=EXAMPLES)(with_given(sessions))


def sessions(given: Given) -> None:
    """List each person's stretches in a place, newest first. Shows no content."""
    given.settings()
    found = with_memory(given, lambda confide: confide.learning.sessions())
    if given.as_json:
        say_json({"sessions": [as_json(one) for one in found], "count": len(found)})
    elif not found:
        say("Nobody said anything yet.")
    else:
        _table(found)


def as_json(one: Sitting) -> dict[str, object]:
    return {
        "id": one.id,
        "speaker": str(one.speaker),
        "place": one.place,
        "started_at": one.started_at,
        "last_activity_at": one.last_activity_at,
        "messages": one.message_count,
        "unlearned": one.unlearned,
        "extracted_at": one.extracted_at,
        "is_open": one.is_open,
    }


def _table(found: list[Sitting]) -> None:
    from rich.table import Table

    table = Table("who", "where", "since", "last", "messages", "to learn from", box=None)
    for one in found:
        table.add_row(
            harmless(str(one.speaker)),
            harmless(one.place),
            f"{one.started_at:%Y-%m-%d %H:%M}",
            f"{one.last_activity_at:%Y-%m-%d %H:%M}",
            str(one.message_count),
            str(one.unlearned),
        )
    console().print(table)
