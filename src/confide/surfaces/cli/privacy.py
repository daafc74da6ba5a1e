"""`confide privacy`: what somebody decided about their own memories."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from confide.surfaces.cli.given import Given, with_given
from confide.surfaces.cli.opened import with_memory
from confide.surfaces.cli.output import say, say_json

if TYPE_CHECKING:
    from confide.keep.opting import PrivacyState

STATUS = """\b
Example:
    confide privacy status --as human:alice

\b
JSON: entity, opted_out, global_only, since
"""
OUT = """\b
Examples:
    confide privacy opt-out --as human:alice
    confide privacy opt-out --global --as human:alice

\b
JSON: entity, opted_out, global_only, since
"""
IN = """\b
Example:
    confide privacy opt-in --as human:alice

\b
JSON: entity, opted_out, global_only, since
"""
Whose = Annotated[str, typer.Option("--as", metavar="ENTITY", help="Whose memories.")]


def register(app: typer.Typer) -> None:
    privacy = typer.Typer(
        help="Opt out of being remembered and talked about, or back in.", no_args_is_help=True
    )
    privacy.command("status", epilog=STATUS)(with_given(status))
    privacy.command("opt-out", epilog=OUT)(with_given(opt_out))
    privacy.command("opt-in", epilog=IN)(with_given(opt_in))
    app.add_typer(privacy, name="privacy")


def status(given: Given, whose: Whose) -> None:
    """Say what somebody decided."""
    _decide(given, whose, None)


def opt_out(
    given: Given,
    whose: Whose,
    is_global_only: Annotated[
        bool, typer.Option("--global", help="Only what follows you into every place.")
    ] = False,
) -> None:
    """Stop keeping and telling what is yours, at once.

    What others said about you is told to those who said it, alone, and to nobody else.
    """

    async def out(confide: Any, who: Any, actor: Any) -> None:
        await confide.rights.opt_out(who, actor=actor, is_global_only=is_global_only)

    _decide(given, whose, out)


def opt_in(given: Given, whose: Whose) -> None:
    """Be remembered again."""

    async def back(confide: Any, who: Any, actor: Any) -> None:
        await confide.rights.opt_in(who, actor=actor)

    _decide(given, whose, back)


def _decide(given: Given, whose: str, act: Any) -> None:
    from confide.actor import operator_as
    from confide.reading import read_entity

    given.settings()
    who = read_entity(whose, "asker")

    async def acted(confide: Any) -> PrivacyState:
        if act is not None:
            await act(confide, who, operator_as(who))
        return await confide.rights.state(who)

    found = with_memory(given, acted)
    if given.as_json:
        say_json(
            {
                "entity": str(who),
                "opted_out": found.is_opted_out,
                "global_only": found.is_global_only,
                "since": found.since,
            }
        )
    elif not found.is_opted_out:
        say(f"{who} has not opted out.")
    elif found.is_global_only:
        say(f"{who} opted out of what follows them everywhere, since {found.since:%Y-%m-%d}.")
    else:
        say(f"{who} opted out, since {found.since:%Y-%m-%d}. Nothing of theirs is kept or told.")
