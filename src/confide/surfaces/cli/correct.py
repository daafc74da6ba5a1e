"""`confide correct` and `confide history`: say it right, and see what it said before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from confide.surfaces.cli.given import Given, with_given
from confide.surfaces.cli.opened import with_memory
from confide.surfaces.cli.options import MemoryId
from confide.surfaces.cli.output import faint, harmless, say, say_json

if TYPE_CHECKING:
    from confide.keep.history import Version

CORRECT = """\b
Example:
    confide correct 5f0c… "I moved to Lisbon" --as human:alice

\b
JSON: id, replaces, status, waits_because
"""
HISTORY = """\b
Example:
    confide history 5f0c… --as human:alice

\b
JSON: versions [id, text, status, said_at, changed_at, current], count
"""
Whose = Annotated[str, typer.Option("--as", metavar="ENTITY", help="Whose memory it is.")]


def register(app: typer.Typer) -> None:
    app.command("correct", epilog=CORRECT)(with_given(correct))
    app.command("history", epilog=HISTORY)(with_given(history))


def correct(
    given: Given,
    memory_id: MemoryId,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What is right.")],
    asker: Whose,
) -> None:
    """Put the right words in the place of a memory of yours.

    They are screened like any others and told where the old ones were, or in fewer places. What
    others agreed about the old words does not count for the new ones.
    """
    from confide.actor import operator_as
    from confide.reading import read_entity, read_memory_id

    given.settings()
    actor = operator_as(read_entity(asker, "asker"))
    id = read_memory_id(memory_id)
    done = with_memory(given, lambda confide: confide.rights.correct(id, text, actor=actor))
    if given.as_json:
        say_json(
            {
                "id": done.id,
                "replaces": done.replaces,
                "status": done.status.value,
                "waits_because": done.waits_because,
            }
        )
    elif done.waits_because:
        say(f"Corrected, and told after a review: {done.waits_because}.")
        say(faint(f"id {done.id}"))
    else:
        say("Corrected. The old words are kept as history and told to nobody.")
        say(faint(f"id {done.id}"))


def history(given: Given, memory_id: MemoryId, asker: Whose) -> None:
    """Show what a memory of yours said before, oldest first."""
    from confide.actor import operator_as
    from confide.reading import read_entity, read_memory_id

    given.settings()
    actor = operator_as(read_entity(asker, "asker"))
    id = read_memory_id(memory_id)
    found = with_memory(given, lambda confide: confide.rights.history(id, actor=actor))
    if given.as_json:
        say_json({"versions": [as_json(one) for one in found], "count": len(found)})
        return
    for one in found:
        say(harmless(one.text))
        when = "told now" if one.is_current else f"{one.status.value} {one.changed_at:%Y-%m-%d}"
        say(faint(f"  said {one.said_at:%Y-%m-%d} · {when} · id {one.id}"))


def as_json(one: Version) -> dict[str, object]:
    return {
        "id": one.id,
        "text": one.text,
        "status": one.status.value,
        "said_at": one.said_at,
        "changed_at": one.changed_at,
        "current": one.is_current,
    }
