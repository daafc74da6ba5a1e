"""`confide protect`, `unprotect` and `archived`: what is kept from fading, and what has faded."""

from __future__ import annotations

from typing import Annotated

import typer

from confide.surfaces.cli.given import Given, with_given
from confide.surfaces.cli.opened import with_memory
from confide.surfaces.cli.options import MemoryId
from confide.surfaces.cli.output import faint, harmless, say, say_json

PROTECT = """\b
Example:
    confide protect 5f0c… --as human:alice

\b
JSON: id, protected
"""
UNPROTECT = """\b
Example:
    confide unprotect 5f0c… --as human:alice

\b
JSON: id, protected
"""
ARCHIVED = """\b
Examples:
    confide archived --as human:alice
    confide restore 5f0c… --as human:alice

\b
JSON: archived [id, text, kind, because, until], count
"""
Whose = Annotated[str, typer.Option("--as", metavar="ENTITY", help="Its owner.")]


def register(app: typer.Typer) -> None:
    app.command("protect", epilog=PROTECT)(with_given(protect))
    app.command("unprotect", epilog=UNPROTECT)(with_given(unprotect))
    app.command("archived", epilog=ARCHIVED)(with_given(archived))


def protect(given: Given, memory_id: MemoryId, whose: Whose) -> None:
    """Keep a memory: it neither fades nor expires, and is never archived for being one too many."""
    _protect(given, memory_id, whose, is_on=True)


def unprotect(given: Given, memory_id: MemoryId, whose: Whose) -> None:
    """Let a memory fade again, from now on."""
    _protect(given, memory_id, whose, is_on=False)


def archived(
    given: Given,
    whose: Whose,
    limit: Annotated[int, typer.Option("--limit", min=1, max=10_000, help="At most.")] = 50,
) -> None:
    """List your own memories that ended or were too many, and can still be restored."""
    from confide.actor import operator_as
    from confide.reading import read_entity

    given.settings()
    actor = operator_as(read_entity(whose, "asker"))
    found = with_memory(given, lambda confide: confide.fading.restorable(actor=actor, limit=limit))
    if given.as_json:
        shown = [
            {
                "id": one.id,
                "text": one.text,
                "kind": one.kind.value,
                "because": one.because,
                "until": one.until,
            }
            for one in found
        ]
        say_json({"archived": shown, "count": len(found)})
        return
    if not found:
        say("Nothing of yours is archived.")
    for one in found:
        say(harmless(one.text))
        say(faint(f"  {one.kind.value} · {one.because} · until {one.until:%Y-%m-%d} · {one.id}"))


def _protect(given: Given, memory_id: str, whose: str, *, is_on: bool) -> None:
    from confide.actor import operator_as
    from confide.reading import read_entity, read_memory_id

    given.settings()
    actor, id = operator_as(read_entity(whose, "asker")), read_memory_id(memory_id)
    with_memory(
        given,
        lambda confide: (
            confide.fading.protect(id, actor=actor)
            if is_on
            else confide.fading.unprotect(id, actor=actor)
        ),
    )
    if given.as_json:
        say_json({"id": id, "protected": is_on})
    else:
        say("Protected." if is_on else "It fades like others again.")
