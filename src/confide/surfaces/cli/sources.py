"""`confide sources`: what came from which platform, file or agent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from confide.surfaces.cli.given import Given, with_given
from confide.surfaces.cli.opened import with_memory
from confide.surfaces.cli.output import faint, harmless, say, say_json

if TYPE_CHECKING:
    from confide.actor import Actor
    from confide.store.sources import Batch, Source

LIST = """\b
Examples:
    confide sources list --as human:alice
    confide sources list

\b
JSON: platforms [name, messages, memories, first_said_at, last_said_at], batches [as `show`], stacks
"""
SHOW = """\b
Examples:
    confide sources show 6f1c… --as human:alice
    confide sources show 6f1c…

\b
JSON: id, platforms, messages, memories, given_at, finished_at, first_said_at, last_said_at, file_name,
    sha256; to who runs the agent also given_by, times_given, counts {lines, stored, known, refused}
"""
Whose = Annotated[
    str | None,
    typer.Option("--as", metavar="ENTITY", help="Whose own words. Nobody: who runs the agent."),
]


def register(app: typer.Typer) -> None:
    sources = typer.Typer(
        help="Where what is kept came from: platforms, files, other agents.", no_args_is_help=True
    )
    sources.command("list", epilog=LIST)(with_given(list_sources))
    sources.command("show", epilog=SHOW)(with_given(show))
    app.add_typer(sources, name="sources")


def list_sources(given: Given, whose: Whose = None) -> None:
    """List what came from where: your own words, or as who runs the agent all of it in numbers.

    `confide forget --source` and `confide privacy export --source` take a platform's name or a
    file's id from here.
    """
    given.settings()
    actor = _actor(whose)
    found = with_memory(given, lambda confide: confide.sources.list(actor=actor))
    if given.as_json:
        say_json(
            {
                "platforms": [_source_as_json(one) for one in found.platforms],
                "batches": [as_json(one) for one in found.batches],
                "stacks": [_source_as_json(one) for one in found.stacks],
            }
        )
        return
    if not (found.platforms or found.batches or found.stacks):
        say("Nothing came from anywhere.")
    for one in found.platforms:
        say(f"{harmless(one.name)}: {one.messages} messages, {one.memories} memories")
        say(faint(f"  {_said(one)}"))
    for one in found.batches:
        _tell(one)
    for one in found.stacks:
        say(f"{harmless(one.name)}: {one.memories} memories of another agent")


def show(
    given: Given,
    batch_id: Annotated[str, typer.Argument(metavar="ID", help="A file, as `list` names it.")],
    whose: Whose = None,
) -> None:
    """Show what one file brought: of your own words, or as who runs the agent in all."""
    from confide.errors import NotFound
    from confide.keep.sources import NO_SUCH_SOURCE
    from confide.store.sources import read_batch_id

    given.settings()
    actor = _actor(whose)
    id = read_batch_id(batch_id)
    if id is None:
        raise NotFound(NO_SUCH_SOURCE)
    found = with_memory(given, lambda confide: confide.sources.show(id, actor=actor))
    if given.as_json:
        say_json(as_json(found))
    else:
        _tell(found)


def as_json(one: Batch) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "id": one.id,
        "platforms": list(one.platforms),
        "messages": one.messages,
        "memories": one.memories,
        "given_at": one.given_at,
        "finished_at": one.finished_at,
        "first_said_at": one.first_said_at,
        "last_said_at": one.last_said_at,
        "file_name": one.file_name,
        "sha256": one.sha256,
    }
    if one.counts is not None:
        shown |= {
            "given_by": one.given_by,
            "times_given": one.times_given,
            "counts": {
                "lines": one.counts.lines,
                "stored": one.counts.stored,
                "known": one.counts.known,
                "refused": one.counts.refused,
            },
        }
    return shown


def _actor(whose: str | None) -> Actor:
    from confide.actor import operator_as
    from confide.reading import read_entity

    return operator_as(read_entity(whose, "asker") if whose is not None else None)


def _source_as_json(one: Source) -> dict[str, Any]:
    return {
        "name": one.name,
        "messages": one.messages,
        "memories": one.memories,
        "first_said_at": one.first_said_at,
        "last_said_at": one.last_said_at,
    }


def _tell(one: Batch) -> None:
    name = f" {harmless(one.file_name)}" if one.file_name else ""
    came = ", ".join(map(harmless, one.platforms)) or "nowhere"
    say(f"File {one.id}{name} ({came}): {one.messages} messages, {one.memories} memories")
    if one.counts is not None:
        c = one.counts
        say(
            f"  {c.lines} lines: {c.stored} stored, {c.known} known already, {c.refused} refused;"
            f" given {one.times_given} times by {harmless(one.given_by or 'somebody')}"
        )
    if one.sha256 is not None:
        say(faint(f"  sha-256 {one.sha256}"))
    ended = "" if one.finished_at or one.counts is None else ", cut off: give it again to go on"
    say(faint(f"  taken in {one.given_at:%Y-%m-%d %H:%M} UTC{ended}; {_said(one)}"))


def _said(one: Batch | Source) -> str:
    if one.first_said_at is None or one.last_said_at is None:
        return "nothing is left of it"
    return f"said {one.first_said_at:%Y-%m-%d} to {one.last_said_at:%Y-%m-%d}"
