"""`confide places`: the places that are known, and who is in them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from confide.surfaces.cli.given import Given, with_given
from confide.surfaces.cli.opened import with_memory
from confide.surfaces.cli.output import console, harmless, say, say_json

if TYPE_CHECKING:
    from confide.keep.world import KnownPlace
    from confide.memories import Confide
    from confide.model import Entity, Place

JOIN_EXAMPLE = """\b
Example:
    confide places join restricted:mods@guild human:alice human:mia

\b
JSON: place, joined
"""
LEAVE_EXAMPLE = """\b
Example:
    confide places leave restricted:mods@guild human:mia

\b
JSON: place, left
"""
LIST_EXAMPLE = """\b
Example:
    confide places list --json

\b
JSON: places [id, kind, space, parent, members, needs_review], count
"""
Where = Annotated[
    str, typer.Argument(metavar="PLACE", help="For example restricted:mods@guild or ctx:care.")
]
Who = Annotated[list[str], typer.Argument(metavar="ENTITY...", help="For example human:mia.")]


def register(app: typer.Typer) -> None:
    places = typer.Typer(
        help="The places that are known, and who is in them. A chat platform keeps them current.",
        no_args_is_help=True,
    )
    places.command("list", epilog=LIST_EXAMPLE)(with_given(list_))
    places.command("join", epilog=JOIN_EXAMPLE)(with_given(join))
    places.command("leave", epilog=LEAVE_EXAMPLE)(with_given(leave))
    app.add_typer(places, name="places")


def list_(given: Given) -> None:
    """List the places in which something was said or asked."""
    given.settings()
    found = with_memory(given, lambda confide: confide.world.places())
    if given.as_json:
        say_json({"places": [as_json(one) for one in found], "count": len(found)})
    elif not found:
        say("No place is known yet.")
    else:
        _table(found)


def join(given: Given, place: Where, who: Who) -> None:
    """Take note that people are in a place: from now on they read what is said there."""
    where, people = _read(given, place, who)
    with_memory(given, lambda confide: confide.world.join(where, *people))
    if given.as_json:
        say_json({"place": where.id, "joined": [str(one) for one in people]})
    else:
        say(f"In {where.id}: {', '.join(map(str, people))}.")


def leave(given: Given, place: Where, who: Who) -> None:
    """Take note that people are in a place no longer: what they heard by being there ends."""
    where, people = _read(given, place, who)

    async def all_leave(confide: Confide) -> None:
        for one in people:
            await confide.world.leave(where, one)

    with_memory(given, all_leave)
    if given.as_json:
        say_json({"place": where.id, "left": [str(one) for one in people]})
    else:
        say(f"No longer in {where.id}: {', '.join(map(str, people))}.")


def as_json(known: KnownPlace) -> dict[str, object]:
    return {
        "id": known.place.id,
        "kind": known.place.kind.value,
        "space": known.place.space,
        "parent": known.place.parent,
        "members": known.members,
        "needs_review": known.needs_review,
    }


def _read(given: Given, place: str, who: list[str]) -> tuple[Place, list[Entity]]:
    from confide.errors import InvalidInput
    from confide.reading import read_entity, read_place

    given.settings()
    people = [read_entity(one, "who") for one in who]
    where = read_place(place, people[0])
    if where.kind.value == "direct":
        raise InvalidInput("place", "nobody joins or leaves a direct chat; use group:ID")
    return where, people


def _table(found: list[KnownPlace]) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("place", "kind", "space", "members", ""):
        table.add_column(heading, overflow="fold")
    for known in found:
        review = "opened: review what was said before" if known.needs_review else ""
        p = known.place
        table.add_row(
            harmless(p.id), p.kind.value, harmless(p.space or ""), str(known.members), review
        )
    console().print(table)
