"""`confide memories`: what is remembered of oneself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final

import typer

from confide.surfaces.cli.given import Given, with_given
from confide.surfaces.cli.opened import with_memory
from confide.surfaces.cli.output import NOTHING, faint, harmless, say, say_json

if TYPE_CHECKING:
    from confide.store.memory import Memory

PAGE: Final = 20
EXAMPLES = """\b
Examples:
    confide memories --as human:alice
    confide memories --as human:alice --scope dm --page 2

\b
JSON: memories [id, text, kind, type, scope, sensitivity, origin, said_at, updated_at,
      expires_at], count, page, has_more
"""


def register(app: typer.Typer) -> None:
    app.command("memories", epilog=EXAMPLES)(with_given(memories))


def memories(
    given: Given,
    asker: Annotated[str, typer.Option("--as", metavar="ENTITY", help="Whose memories to list.")],
    scope: Annotated[
        str | None,
        typer.Option(
            "--scope",
            metavar="SCOPE",
            help="Only these: dm, channel_restricted, group, guild_public, global and so on.",
        ),
    ] = None,
    page: Annotated[int, typer.Option("--page", help=f"{PAGE} on a page, newest first.")] = 1,
) -> None:
    """List a person's own memories, as in a reply that only they can see."""
    from confide.errors import InvalidInput
    from confide.model import Scope
    from confide.reading import read_choice, read_entity

    given.settings()
    who = read_entity(asker, "asker")
    wanted = read_choice(Scope, scope, "scope") if scope is not None else None
    if not 1 <= page <= 1_000_000:
        raise InvalidInput("page", f"{page} is no page; the first is 1")
    found = with_memory(
        given,
        # One more than is shown says whether there is a next page.
        lambda confide: confide.memories(
            who, scope=wanted, limit=PAGE + 1, offset=(page - 1) * PAGE
        ),
    )
    shown, has_more = found[:PAGE], len(found) > PAGE
    if given.as_json:
        listed = [as_json(memory) for memory in shown]
        say_json({"memories": listed, "count": len(listed), "page": page, "has_more": has_more})
    elif not shown:
        say(NOTHING)
    else:
        for memory in shown:
            _tell(memory)
        if has_more:
            say(f"More: --page {page + 1}")


def as_json(memory: Memory) -> dict[str, object]:
    return {
        "id": memory.id,
        "text": memory.text,
        "kind": memory.kind.value,
        "type": memory.type.value,
        "scope": memory.scope.value,
        "sensitivity": memory.sensitivity.value,
        "origin": memory.origin.place.id if memory.origin.place else None,
        "said_at": memory.said_at,
        "updated_at": memory.updated_at,
        "expires_at": memory.expires_at,
    }


def _tell(memory: Memory) -> None:
    origin = memory.origin.place.id if memory.origin.place else "nowhere in particular"
    say(harmless(memory.text))
    about = (
        f"  {memory.scope.value} · {memory.sensitivity.value} · {memory.kind.value} · "
        f"from {origin} · updated {memory.updated_at:%Y-%m-%d}"
    )
    say(faint(about))
    say(faint(f"  id {memory.id}"))
