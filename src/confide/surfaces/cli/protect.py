"""`confide protect`, `unprotect` and `archived`: what is kept from fading, and what has faded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from confide.surfaces.cli.given import Given, with_given
from confide.surfaces.cli.opened import tell
from confide.surfaces.cli.options import MemoryId
from confide.surfaces.cli.output import faint, harmless, say

if TYPE_CHECKING:
    from confide.keep.fading import Restorable

PROTECT = """\b
Example:
    confide protect 5f0c… --as human:alice

\b
JSON: done
"""
UNPROTECT = """\b
Example:
    confide unprotect 5f0c… --as human:alice

\b
JSON: done
"""
ARCHIVED = """\b
Examples:
    confide archived --as human:alice
    confide restore 5f0c… --as human:alice

\b
JSON: memories [id, text, kind, because, until], count
"""
Whose = Annotated[str, typer.Option("--as", metavar="ENTITY", help="Its owner.")]


def register(app: typer.Typer) -> None:
    app.command("protect", epilog=PROTECT)(with_given(protect))
    app.command("unprotect", epilog=UNPROTECT)(with_given(unprotect))
    app.command("archived", epilog=ARCHIVED)(with_given(archived))


def protect(given: Given, memory_id: MemoryId, whose: Whose) -> None:
    """Keep a memory: it neither fades nor expires, and is never archived for being one too many."""
    actor = given.actor(whose, "asker")
    tell(given, "fading.protect", "Protected.", memory_id=memory_id, actor=actor)


def unprotect(given: Given, memory_id: MemoryId, whose: Whose) -> None:
    """Let a memory fade again, from now on."""
    actor, done = given.actor(whose, "asker"), "It fades like others again."
    tell(given, "fading.unprotect", done, memory_id=memory_id, actor=actor)


def archived(
    given: Given,
    whose: Whose,
    limit: Annotated[int, typer.Option("--limit", min=1, max=1000, help="At most.")] = 50,
) -> None:
    """List your own memories that ended or were too many, and can still be restored."""
    actor = given.actor(whose, "asker")
    tell(given, "fading.restorable", _show, actor=actor, limit=limit)


def _show(found: list[Restorable]) -> None:
    if not found:
        say("Nothing of yours is archived.")
    for one in found:
        say(harmless(one.text))
        say(faint(f"  {one.kind.value} · {one.because} · until {one.until:%Y-%m-%d} · {one.id}"))
