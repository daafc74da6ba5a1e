"""`confide stack`: give another agent what it may hear, and take what it gives."""

from __future__ import annotations

from typing import Annotated

import typer

from confide.surfaces.cli.given import Given, with_given
from confide.surfaces.cli.opened import with_memory
from confide.surfaces.cli.output import harmless, say, say_json

EXPORT = """\b
Example:
    confide stack export --to si:tutor_b --out tutor_b.stack --for 7d

\b
JSON: to, serial, memories, expires_at, file, stack
"""
LOAD = """\b
Example:
    confide stack load tutor_b.stack --agent tutor_b

\b
JSON: from, serial, kept, left_out, expires_at
"""
Acts = Annotated[
    str | None, typer.Option("--as", metavar="ENTITY", help="The agent; left out, the operator.")
]


def register(app: typer.Typer) -> None:
    stack = typer.Typer(
        help="Signed bundles of memories between agents; each keeps every clause it came with.",
        no_args_is_help=True,
    )
    stack.command("export", epilog=EXPORT)(with_given(export))
    stack.command("load", epilog=LOAD)(with_given(load))
    app.add_typer(stack, name="stack")


def export(
    given: Given,
    to: Annotated[str, typer.Option("--to", metavar="ENTITY", help="The agent it is for.")],
    out: Annotated[
        str | None, typer.Option("--out", metavar="FILE", help="Left out, it is printed.")
    ] = None,
    lasts: Annotated[
        str, typer.Option("--for", metavar="TIME", help="How long it can be used.")
    ] = "7d",
    acts: Acts = None,
) -> None:
    """Write what another agent may hear, and nothing else, into a signed bundle."""
    from pathlib import Path

    from confide.actor import operator_as
    from confide.errors import InvalidInput
    from confide.reading import read_entity, read_lifetime

    given.settings()
    peer, duration = read_entity(to, "to"), read_lifetime(lasts)
    actor = operator_as(read_entity(acts, "asker") if acts else None)
    written, bundle = with_memory(
        given, lambda confide: confide.stacks.export(peer, actor=actor, lasts=duration)
    )
    if out is not None:
        try:
            Path(out).write_text(written, encoding="utf-8")
        except OSError:
            raise InvalidInput(
                "out", f"cannot write {out!r}; name a file in a folder of yours"
            ) from None
    if given.as_json:
        say_json(
            {
                "to": str(peer),
                "serial": bundle.serial,
                "memories": len(bundle.entries),
                "expires_at": bundle.ends_at,
                "file": out,
                "stack": None if out else written,
            }
        )
    elif out is None:
        say(harmless(written))
    else:
        say(
            f"{len(bundle.entries)} memories for {peer}, until {bundle.ends_at:%Y-%m-%d %H:%M} UTC."
        )


def load(
    given: Given,
    file: Annotated[str, typer.Argument(metavar="FILE", help="What `stack export` wrote.")],
    acts: Acts = None,
) -> None:
    """Take what another agent gave; it replaces what that agent gave before."""
    from pathlib import Path

    from confide.actor import operator_as
    from confide.errors import InvalidInput
    from confide.reading import read_entity

    given.settings()
    actor = operator_as(read_entity(acts, "asker") if acts else None)
    try:
        written = Path(file).read_text(encoding="utf-8")
    except (OSError, ValueError):
        raise InvalidInput("file", f"cannot read {file!r}") from None
    done = with_memory(given, lambda confide: confide.stacks.load(written, actor=actor))
    if given.as_json:
        say_json(
            {
                "from": str(done.maker),
                "serial": done.serial,
                "kept": done.kept,
                "left_out": done.left_out,
                "expires_at": done.ends_at,
            }
        )
    else:
        say(f"{done.kept} memories from {done.maker}, until {done.ends_at:%Y-%m-%d %H:%M} UTC.")
