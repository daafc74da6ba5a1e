"""`confide why` and `confide tellings`: what an answer was based on, and when a memory was told."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from confide.surfaces.cli.given import Given, with_given
from confide.surfaces.cli.opened import with_memory
from confide.surfaces.cli.options import As, In, MemoryId, With
from confide.surfaces.cli.output import faint, harmless, named, say, say_answer, say_json

if TYPE_CHECKING:
    from confide.recall.why import Basis

WHY_EXAMPLE = """\b
Example:
    confide why --as human:bob --in group:friends

\b
JSON: told_at, memories [id, text, owner, owner_name, kind]
"""
TELLINGS_EXAMPLE = """\b
Example:
    confide tellings 5f0c… --as human:alice

\b
JSON: tellings [told_at, place_kind, place, to_you], count; a place whose id names who asked is null
"""


def register(app: typer.Typer) -> None:
    app.command("why", epilog=WHY_EXAMPLE)(with_given(why))
    app.command("tellings", epilog=TELLINGS_EXAMPLE)(with_given(tellings))


def why(given: Given, asker: As, place: In, present: With = None) -> None:
    """Say what the last answer to somebody in a place was based on.

    If nothing was told then, or it may no longer be told here, that is what it says.
    """
    from confide.reading import audience

    given.settings()
    listening = audience(asker, place, present=present or ())
    basis = with_memory(given, lambda confide: confide.why(listening))
    if given.as_json:
        say_json(_as_json(basis))
    elif not basis.memories:
        say("The last answer here was based on no memory.")
    for memory in () if given.as_json else basis.memories:
        say(harmless(memory.text))
        owner = named(memory.owner, basis.owner_name(memory))
        say(faint(f"  of {owner} · {memory.kind.value} · id {memory.id}"))


def tellings(given: Given, memory_id: MemoryId, owner: As) -> None:
    """Show its owner when and where a memory was told. Who asked is not named."""
    from confide.actor import operator_as
    from confide.reading import read_entity, read_memory_id

    given.settings()
    actor, id = operator_as(read_entity(owner, "as")), read_memory_id(memory_id)
    found = with_memory(given, lambda confide: confide.tellings(id, actor=actor))
    if say_answer(given, "told.tellings", found):
        return
    if not found:
        say("It was never told.")
    for one in found:
        where = harmless(one.place or "")
        to = "to you" if one.is_to_you else ""
        say(f"{one.told_at:%Y-%m-%d %H:%M}  {one.place_kind}  {where}  {to}".rstrip())


def _as_json(basis: Basis) -> dict[str, object]:
    return {
        "told_at": basis.told_at,
        "memories": [
            {
                "id": str(m.id),
                "text": m.text,
                "owner": str(m.owner),
                "owner_name": basis.owner_name(m),
                "kind": m.kind.value,
            }
            for m in basis.memories
        ],
    }
