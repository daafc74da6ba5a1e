"""The program: what is told about all commands, and what each may be given before its name."""

from __future__ import annotations

from typing import Annotated, Final

import typer

from confide.privacy.place_forms import FORMS, PARTS
from confide.surfaces.cli.given import Agent, EnvFile, Given, Home
from confide.surfaces.cli.problems import Program

_HELP: Final = """Long-term memory for AI agents that knows who is listening.

It tells only what is fit for EVERYONE who will see the answer.

An ENTITY is someone, written namespace:id: human:alice, dog:bella, si:ash.

A PLACE is where something is said, or where an answer will appear:

\b
{places}

{parts}

Try it:

\b
    confide demo
    confide remember "Looking for a new job" --by human:alice --in dm
    confide recall "is Alice looking for a job?" --as human:alice --in dm
    confide recall "is Alice looking for a job?" --as human:bob --in public:general@guild
"""
HELP: Final = _HELP.format(
    places="\n".join(f"    {form:<26}{meaning}" for form, meaning in FORMS.items()), parts=PARTS
)


def build() -> typer.Typer:
    """The program with all its commands; what they need is imported when one runs."""
    app = typer.Typer(
        name="confide",
        cls=Program,
        help=HELP,
        no_args_is_help=True,
        add_completion=True,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    )
    app.callback()(given_first)
    return app


def say_version(wanted: bool) -> None:
    """Also without a command, as people expect."""
    if wanted:
        from confide import __version__

        typer.echo(f"confide {__version__}")
        raise typer.Exit


def given_first(
    context: typer.Context,
    home: Home = None,
    agent: Agent = None,
    env_file: EnvFile = None,
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version and exit.", is_eager=True, callback=say_version
        ),
    ] = False,
) -> None:
    context.obj = Given(home=home, agent=agent, env_file=env_file)
