"""`confide console`: links to sign in with a browser."""

from __future__ import annotations

from typing import Annotated

import typer

from confide.surfaces.cli.given import Given, with_given
from confide.surfaces.cli.opened import with_memory
from confide.surfaces.cli.output import faint, say, say_json

LINK = """\\b
Examples:
    confide console link --as human:alice
    confide console link --operator

\\b
JSON: url, whose, expires_at
"""


def register(app: typer.Typer) -> None:
    console = typer.Typer(
        help="The console in the browser, which `confide serve` has under /.",
        no_args_is_help=True,
    )
    console.command("link", epilog=LINK)(with_given(link))
    app.add_typer(console, name="console")


def link(
    given: Given,
    as_: Annotated[
        str | None, typer.Option("--as", metavar="ENTITY", help="Who asked you for it.")
    ] = None,
    operator: Annotated[
        bool, typer.Option("--operator", help="For yourself: numbers and labels, no words.")
    ] = False,
    url: Annotated[
        str | None,
        typer.Option("--url", metavar="URL", help="Where the console is, if not on this machine."),
    ] = None,
) -> None:
    """Make a link that signs somebody in, once and within ten minutes.

    Opening it shows whose it is; pressing the button there uses it up. Whoever has it is that
    person to the console, so give it to nobody else. The person sees that it was made.
    """
    from confide.actor import operator_as
    from confide.errors import InvalidInput
    from confide.memories import Confide
    from confide.reading import read_entity

    if (as_ is None) != operator:
        raise InvalidInput("as", "say whose it is: --as ENTITY, or --operator for yourself")
    settings = given.settings()
    shown = "127.0.0.1" if settings.host in ("0.0.0.0", "::", "") else settings.host
    base = (url or f"http://{shown}:{settings.port}").rstrip("/")

    async def make(confide: Confide) -> None:
        who = None if as_ is None else read_entity(as_, "as")
        made = await confide.browser.link(actor=operator_as(who))
        if given.as_json:
            say_json(
                {
                    "url": base + made.path,
                    "whose": str(made.whose) if made.whose else None,
                    "expires_at": made.expires_at.isoformat(),
                }
            )
            return
        say(base + made.path)
        whose = made.whose or "the operator"
        say(faint(f"Signs in {whose}, once, within ten minutes. `confide serve` must be running."))

    with_memory(given, make)
