"""`confide generalize`: an insight that can be shared, from memories that cannot."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from confide.surfaces.cli.given import Given, with_given
from confide.surfaces.cli.opened import with_memory
from confide.surfaces.cli.options import MemoryId
from confide.surfaces.cli.output import faint, harmless, say, say_json

GENERALIZE = """\b
Examples:
    confide generalize 5f0c… 81d2… 9ac1… --as si:ash
        --text "Visual fraction models help kids who are concrete thinkers"
    confide generalize 5f0c… --as human:sean --text "Short walks help" --access ctx:dog_park

\b
JSON: id, open, waits_because, independent_sources
"""
LIST = """\b
Example:
    confide generalizations list

\b
JSON: generalizations [id, for, note, proposed_by, proposed_at, sources], count
"""
APPROVE = """\b
Example:
    confide generalizations approve 5f0c…

\b
JSON: id, approved
"""
REJECT = """\b
Example:
    confide generalizations reject 5f0c…

\b
JSON: id, approved
"""
SOURCES = """\b
Example:
    confide generalizations sources 5f0c… --as si:ash

\b
JSON: id, sources
"""
Whose = Annotated[
    str, typer.Option("--as", metavar="ENTITY", help="Whose memories these are, or the agent.")
]


def register(app: typer.Typer) -> None:
    app.command("generalize", epilog=GENERALIZE)(with_given(generalize))
    group = typer.Typer(
        help="Insights made from private memories, for their reviewer.", no_args_is_help=True
    )
    group.command("list", epilog=LIST)(with_given(list_))
    group.command("approve", epilog=APPROVE)(with_given(approve))
    group.command("reject", epilog=REJECT)(with_given(reject))
    group.command("sources", epilog=SOURCES)(with_given(sources))
    app.add_typer(group, name="generalizations")


def generalize(
    given: Given,
    memory_ids: Annotated[list[str], typer.Argument(metavar="ID...", help="The memories.")],
    whose: Whose,
    text: Annotated[str, typer.Option("--text", help="The insight, without names or details.")],
    access: Annotated[
        list[str] | None,
        typer.Option("--access", metavar="WHO", help="Whom it is for; left out, anyone."),
    ] = None,
    note: Annotated[str | None, typer.Option("--note", help="How it was abstracted.")] = None,
) -> None:
    """Keep an insight made from private memories.

    Names of anyone concerned are refused; dates, places, numbers and rare details wait for a
    reviewer. Until three independent sources or a reviewer stand for it, it is told only where all
    its sources could be told.
    """
    from confide.actor import operator_as
    from confide.privacy.atoms import ANYONE
    from confide.reading import read_access, read_entity, read_memory_id

    given.settings()
    ids = [read_memory_id(one) for one in memory_ids]
    actor = operator_as(read_entity(whose, "asker"))
    grants = frozenset(map(read_access, access)) if access else frozenset({ANYONE})
    done = with_memory(
        given,
        lambda confide: confide.insights.generalize(
            ids, text, actor=actor, grants=grants, note=note
        ),
    )
    if given.as_json:
        say_json(
            {
                "id": done.id,
                "open": done.is_open,
                "waits_because": done.waits_because,
                "independent_sources": done.independent_sources,
            }
        )
        return
    say(
        "Generalized." if done.is_open else f"Kept, and waits for a reviewer: {done.waits_because}."
    )
    say(faint(f"id {done.id}"))


def list_(given: Given) -> None:
    """List the insights that wait for a reviewer."""
    from confide.wire.forms import write_atom

    given.settings()
    found = with_memory(given, lambda confide: confide.insights.waiting())
    shown: list[dict[str, Any]] = [
        {
            "id": one.memory_id,
            "for": sorted(map(write_atom, one.grants)),
            "note": one.note,
            "proposed_by": one.proposed_by,
            "proposed_at": one.proposed_at,
            "sources": one.sources,
        }
        for one in found
    ]
    if given.as_json:
        say_json({"generalizations": shown, "count": len(shown)})
        return
    say("Nothing waits." if not shown else f"{len(shown)} wait for a reviewer:")
    for one in shown:
        say(f"  {one['id']} for {', '.join(one['for'])}, from {one['sources']} memories")
        say(faint(f"  {harmless(one['note'])}"))


def approve(given: Given, memory_id: MemoryId) -> None:
    """Let an insight go to those it is meant for."""
    _review(given, memory_id, approves=True)


def reject(given: Given, memory_id: MemoryId) -> None:
    """Keep an insight from everybody."""
    _review(given, memory_id, approves=False)


def sources(given: Given, memory_id: MemoryId, whose: Whose) -> None:
    """Show which memories an insight was made from, to its owner."""
    from confide.actor import operator_as
    from confide.reading import read_entity, read_memory_id

    given.settings()
    id, actor = read_memory_id(memory_id), operator_as(read_entity(whose, "asker"))
    found = with_memory(given, lambda confide: confide.insights.sources_of(id, actor=actor))
    if given.as_json:
        say_json({"id": id, "sources": [str(one) for one in found]})
    for one in found if not given.as_json else ():
        say(str(one))


def _review(given: Given, memory_id: str, *, approves: bool) -> None:
    from confide.actor import operator_as
    from confide.reading import read_memory_id

    given.settings()
    id = read_memory_id(memory_id)
    with_memory(
        given,
        lambda confide: (
            confide.insights.review(id, approves=True, actor=operator_as())
            if approves
            else confide.insights.reject(id, actor=operator_as())
        ),
    )
    if given.as_json:
        say_json({"id": id, "approved": approves})
    else:
        say("Approved." if approves else "Rejected; nobody is told.")
