"""`confide context`: enter and leave places whose participants are listed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from confide.surfaces.cli.given import Given, with_given
from confide.surfaces.cli.opened import with_memory
from confide.surfaces.cli.options import With
from confide.surfaces.cli.output import faint, harmless, say, say_json

if TYPE_CHECKING:
    from confide.keep.contexts import ContextState

ENTER = """\b
Example:
    confide context enter ctx:bella_health --with human:sean --as si:bella_agent
        --role care_agent

\b
JSON: context, participants [entity, role, entered_at]
"""
LEAVE = """\b
Example:
    confide context leave ctx:bella_health --as si:bella_agent

\b
JSON: context, left
"""
LIST = """\b
Examples:
    confide context list
    confide context list --as human:sean

\b
JSON: contexts [context, participants [entity, role, entered_at]], count
"""
SHOW = """\b
Example:
    confide context show ctx:bella_health --as human:sean

\b
JSON: context, participants [entity, role, entered_at]
"""
Context = Annotated[str, typer.Argument(metavar="CONTEXT", help="For example ctx:bella_health.")]
Enters = Annotated[str, typer.Option("--as", metavar="ENTITY", help="Who enters or leaves.")]
Asks = Annotated[
    str | None,
    typer.Option("--as", metavar="ENTITY", help="Who asks; left out, the operator."),
]
Role = Annotated[
    str | None,
    typer.Option(
        "--role", metavar="ROLE", help="As what, for example care_agent. It only describes."
    ),
]


def register(app: typer.Typer) -> None:
    context = typer.Typer(
        help="Contexts such as ctx:bella_health: what is said there is for those who take part.",
        no_args_is_help=True,
    )
    context.command("enter", epilog=ENTER)(with_given(enter))
    context.command("leave", epilog=LEAVE)(with_given(leave))
    context.command("list", epilog=LIST)(with_given(list_))
    context.command("show", epilog=SHOW)(with_given(show))
    app.add_typer(context, name="context")


def enter(
    given: Given, where: Context, who: Enters, present: With = None, role: Role = None
) -> None:
    """Take part in a context, alone or with others."""
    from confide.actor import operator_as
    from confide.reading import read_entities, read_entity, read_place

    given.settings()
    me = read_entity(who, "asker")
    others = read_entities(present or (), "present")
    place = read_place(where, me)
    found = with_memory(
        given,
        lambda confide: confide.contexts.enter(place, *others, actor=operator_as(me), role=role),
    )
    _show(given, found)


def leave(given: Given, where: Context, who: Enters) -> None:
    """Take part no longer; what one heard by being there ends."""
    from confide.actor import operator_as
    from confide.reading import read_entity, read_place

    given.settings()
    me = read_entity(who, "asker")
    place = read_place(where, me)
    with_memory(given, lambda confide: confide.contexts.leave(place, me, actor=operator_as(me)))
    if given.as_json:
        say_json({"context": place.id, "left": str(me)})
    else:
        say(f"{me} left {place.id}.")


def list_(given: Given, who: Asks = None) -> None:
    """List the contexts that somebody is in; all of them for the operator."""
    from confide.reading import read_entity

    given.settings()
    me = read_entity(who, "asker") if who else None
    found = with_memory(given, lambda confide: confide.contexts.known(me))
    if given.as_json:
        say_json({"contexts": [as_json(one) for one in found], "count": len(found)})
    elif not found:
        say("No context is known." if me is None else f"{me} is in no context.")
    for one in found if not given.as_json else ():
        _show(given, one)


def show(given: Given, where: Context, who: Asks = None) -> None:
    """Show who takes part in a context, to those who do."""
    from confide.actor import operator_as
    from confide.errors import InvalidInput
    from confide.privacy.places import parse_place
    from confide.reading import read_entity

    given.settings()
    me = read_entity(who, "asker") if who else None
    if not where.startswith("ctx:"):
        raise InvalidInput("context", f"{where!r} is no context; write ctx:ID")
    place = parse_place(where, me or read_entity("human:operator"))
    _show(
        given,
        with_memory(given, lambda confide: confide.contexts.show(place, actor=operator_as(me))),
    )


def as_json(found: ContextState) -> dict[str, Any]:
    return {
        "context": found.place.id,
        "participants": [
            {"entity": str(one.entity), "role": one.role, "entered_at": one.entered_at}
            for one in found.participants
        ],
    }


def _show(given: Given, found: ContextState) -> None:
    if given.as_json:
        say_json(as_json(found))
        return
    say(f"{found.place.id}: {len(found.participants)} take part")
    for one in found.participants:
        say(f"  {one.entity}{faint(f' as {harmless(one.role)}') if one.role else ''}")
