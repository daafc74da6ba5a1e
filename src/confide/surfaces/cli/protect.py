"""`confide protect` and `confide unprotect`: what is kept from fading."""

from __future__ import annotations

from typing import Annotated

import typer

from confide.surfaces.cli.given import Given, with_given
from confide.surfaces.cli.opened import with_memory
from confide.surfaces.cli.options import MemoryId
from confide.surfaces.cli.output import say, say_json

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
Whose = Annotated[str, typer.Option("--as", metavar="ENTITY", help="Its owner.")]


def register(app: typer.Typer) -> None:
    app.command("protect", epilog=PROTECT)(with_given(protect))
    app.command("unprotect", epilog=UNPROTECT)(with_given(unprotect))


def protect(given: Given, memory_id: MemoryId, whose: Whose) -> None:
    """Keep a memory: it neither fades nor expires, and is never archived for being one too many."""
    _protect(given, memory_id, whose, is_on=True)


def unprotect(given: Given, memory_id: MemoryId, whose: Whose) -> None:
    """Let a memory fade again, from now on."""
    _protect(given, memory_id, whose, is_on=False)


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
