"""`confide forget` and `confide restore`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from confide.surfaces.cli.given import Given, with_given
from confide.surfaces.cli.opened import with_memory
from confide.surfaces.cli.options import MemoryId
from confide.surfaces.cli.output import say, say_json

if TYPE_CHECKING:
    from confide.keep.forgetting import Forgotten

FORGET_EXAMPLES = """\b
Examples:
    confide forget 5f0c… --as human:alice
    confide forget 5f0c… --as human:alice --now --yes

\b
JSON: id, erased, undo_until
"""
RESTORE_EXAMPLES = """\b
Example:
    confide restore 5f0c… --as human:alice

\b
JSON: id, restored
"""
Whose = Annotated[
    str,
    typer.Option(
        "--as", metavar="ENTITY", help="Who wants it: its owner, its speaker, or whom it is about."
    ),
]


def register(app: typer.Typer) -> None:
    app.command("forget", epilog=FORGET_EXAMPLES)(with_given(forget))
    app.command("restore", epilog=RESTORE_EXAMPLES)(with_given(restore))


def forget(
    given: Given,
    memory_id: MemoryId,
    asker: Whose,
    now: Annotated[
        bool, typer.Option("--now", help="Erase it at once and everywhere; there is no way back.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Never tell a memory again. For a while it can be restored, unless --now erases it."""
    from confide.actor import operator_as
    from confide.reading import read_entity, read_memory_id

    given.settings()
    actor = operator_as(read_entity(asker, "asker"))
    id = read_memory_id(memory_id)
    if not yes:
        _confirm(now)
    done = with_memory(given, lambda confide: confide.forget(id, actor=actor, now=now))
    if given.as_json:
        say_json(as_json(done))
    elif done.undo_until is None:
        say("Forgotten. Nothing of it is left; every table was looked through.")
    else:
        say(
            f"Forgotten. `confide restore` brings it back until {done.undo_until:%Y-%m-%d %H:%M} UTC."
        )


def restore(given: Given, memory_id: MemoryId, asker: Whose) -> None:
    """Undo a `forget` that was not --now."""
    from confide.actor import operator_as
    from confide.reading import read_entity, read_memory_id

    given.settings()
    actor = operator_as(read_entity(asker, "asker"))
    id = read_memory_id(memory_id)
    with_memory(given, lambda confide: confide.restore(id, actor=actor))
    if given.as_json:
        say_json({"id": id, "restored": True})
    else:
        say("Restored.")


def as_json(done: Forgotten) -> dict[str, object]:
    return {"id": done.memory_id, "erased": done.is_erased, "undo_until": done.undo_until}


def _confirm(now: bool) -> None:
    from confide.errors import InvalidInput

    if sys.stdin is not None and sys.stdin.isatty():
        question = "Erase it for good?" if now else "Forget it?"
        typer.confirm(question, abort=True, err=True)
    elif now:
        raise InvalidInput("yes", "nobody can be asked here, so --now needs --yes")
