"""`confide places`: the places that are known, and who is in them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from confide.surfaces.cli.given import Given, with_given
from confide.surfaces.cli.opened import with_memory
from confide.surfaces.cli.output import console, harmless, say, say_answer, say_json

if TYPE_CHECKING:
    from datetime import datetime

    from confide.keep.syncing import Change
    from confide.model import Entity, Place
    from confide.verbs.places import KnownPlace

JOIN_EXAMPLE = """\b
Example:
    confide places join restricted:mods@guild human:alice human:mia

\b
JSON: place, joined, changed
"""
LEAVE_EXAMPLE = """\b
Example:
    confide places leave restricted:mods@guild human:mia

\b
JSON: place, left, changed
"""
ATTEST_EXAMPLE = """\b
Example:
    confide places attest restricted:general@guild --at 2026-03-01T09:30:00+01:00

\b
JSON: place, kind
"""
JOIN_SPACE_EXAMPLE = """\b
Example:
    confide places join-space guild/verified human:mia

\b
JSON: space, joined, changed
"""
LEAVE_SPACE_EXAMPLE = """\b
Example:
    confide places leave-space guild human:mia

\b
JSON: space, left, changed
"""
LIST_EXAMPLE = """\b
Example:
    confide places list --json

\b
JSON: places [place, kind, space, parent, members, needs_review], count
"""
SYNC_EXAMPLE = """\b
Examples:
    confide places sync places.jsonl --preview
    my-platform list-channels | confide places sync - --all-of guild

\b
Each line, or each element of one list: {"place": "restricted:mods@guild", "members": ["human:mia"]}
Without members, who is in a place is left as it is.

\b
JSON: preview, changes [place, kind, space, parent, was, became, memories, joined, left], count
"""
RECLASSIFY_EXAMPLE = """\b
Examples:
    confide places reclassify restricted general@guild help@guild --preview
    confide places reclassify restricted --space guild --kind public

\b
JSON: preview, changes [place, kind, space, parent, was, became, memories, joined, left], count
"""
REVIEWED_EXAMPLE = """\b
Example:
    confide places reviewed general@guild

\b
JSON: place, reviewed
"""
Preview = Annotated[bool, typer.Option("--preview", help="Say what would change, change nothing.")]
Where = Annotated[
    str, typer.Argument(metavar="PLACE", help="For example restricted:mods@guild or ctx:care.")
]
At = Annotated[
    str | None,
    typer.Option(
        "--at", metavar="TIME", help="When it happened; left out, now. The newest statement counts."
    ),
]
Space = Annotated[str, typer.Argument(metavar="SPACE", help="guild, or guild/verified.")]
Who = Annotated[list[str], typer.Argument(metavar="ENTITY...", help="For example human:mia.")]


def register(app: typer.Typer) -> None:
    places = typer.Typer(
        help="The places that are known, and who is in them. A chat platform keeps them current.",
        no_args_is_help=True,
    )
    places.command("list", epilog=LIST_EXAMPLE)(with_given(list_))
    places.command("join", epilog=JOIN_EXAMPLE)(with_given(join))
    places.command("leave", epilog=LEAVE_EXAMPLE)(with_given(leave))
    places.command("attest", epilog=ATTEST_EXAMPLE)(with_given(attest))
    places.command("join-space", epilog=JOIN_SPACE_EXAMPLE)(with_given(join_space))
    places.command("leave-space", epilog=LEAVE_SPACE_EXAMPLE)(with_given(leave_space))
    places.command("sync", epilog=SYNC_EXAMPLE)(with_given(sync))
    places.command("reclassify", epilog=RECLASSIFY_EXAMPLE)(with_given(reclassify))
    places.command("reviewed", epilog=REVIEWED_EXAMPLE)(with_given(reviewed))
    app.add_typer(places, name="places")


def list_(given: Given) -> None:
    """List the places in which something was said or asked."""
    given.settings()
    found = with_memory(given, lambda confide: confide.world.places())
    if say_answer(given, "world.places", found):
        return
    if not found:
        say("No place is known yet.")
    else:
        _table(found)


def join(given: Given, place: Where, who: Who, at: At = None) -> None:
    """Take note that people are in a place: from then on they read what is said there."""
    where, people = _read(given, place, who)
    when = _when(at)
    changed = with_memory(given, lambda confide: confide.world.join(where, *people, at=when))
    if given.as_json:
        say_json({"place": where.id, "joined": [str(p) for p in people], "changed": changed})
    else:
        say(f"In {where.id}: {', '.join(map(str, people))}.{_news(changed)}")


def leave(given: Given, place: Where, who: Who, at: At = None) -> None:
    """Take note that people are in a place no longer: what they heard by being there ends."""
    where, people = _read(given, place, who)
    when = _when(at)
    changed = with_memory(given, lambda confide: confide.world.leave(where, *people, at=when))
    if given.as_json:
        say_json({"place": where.id, "left": [str(p) for p in people], "changed": changed})
    else:
        say(f"No longer in {where.id}: {', '.join(map(str, people))}.{_news(changed)}")


def attest(given: Given, place: Where, at: At = None) -> None:
    """Take note of what a place is: one that closed narrows, one that opened starts anew."""
    given.settings()
    when = _when(at)
    known = with_memory(given, lambda confide: confide.world.attest(place, at=when))
    if given.as_json:
        say_json({"place": known.id, "kind": known.kind.value})
    else:
        say(f"{known.id} is {known.kind.value}.")


def join_space(given: Given, space: Space, who: Who, at: At = None) -> None:
    """Take note that people are in a space, or hold the role of one inside it."""
    given.settings()
    when = _when(at)
    changed = with_memory(given, lambda confide: confide.world.join_space(space, *who, at=when))
    _said_of_space(given, space, "joined", who, changed)


def leave_space(given: Given, space: Space, who: Who, at: At = None) -> None:
    """Take note that people left a space, with every place in it."""
    given.settings()
    when = _when(at)
    changed = with_memory(given, lambda confide: confide.world.leave_space(space, *who, at=when))
    _said_of_space(given, space, "left", who, changed)


def _said_of_space(given: Given, space: str, verb: str, who: list[str], changed: bool) -> None:
    if given.as_json:
        say_json({"space": space, verb: who, "changed": changed})
    else:
        say(harmless(f"{space}: {', '.join(who)} {verb}.{_news(changed)}"))


def _news(changed: bool) -> str:
    return "" if changed else " That was known, or a newer statement says otherwise."


def _when(at: str | None) -> datetime | None:
    from confide.wire.forms import read_time

    return None if at is None else read_time(at, "at")


def sync(
    given: Given,
    file: Annotated[str, typer.Argument(metavar="FILE", help="JSON lines; - reads the input.")],
    all_of: Annotated[
        str | None,
        typer.Option(
            "--all-of", metavar="SPACE", help="Every place of it is in FILE; others are gone."
        ),
    ] = None,
    preview: Preview = False,
) -> None:
    """Compare what a platform says about its places with what is stored, and take it over.

    A place that closed narrows what was said in it, at once. One that opened starts anew and is
    flagged: what was said before stays with those who could hear it.
    """
    from confide.surfaces.place_lines import read_sights

    given.settings()
    seen = read_sights(_text(file))
    changes = with_memory(
        given, lambda confide: confide.world.sync(seen, all_of=all_of, is_preview=preview)
    )
    _show_changes(given, changes, preview)


def reclassify(
    given: Given,
    to: Annotated[str, typer.Argument(metavar="KIND", help="For example restricted or public.")],
    places: Annotated[
        list[str] | None, typer.Argument(metavar="ID...", help="As `places list` shows them.")
    ] = None,
    space: Annotated[
        str | None, typer.Option("--space", metavar="SPACE", help="All places of a space instead.")
    ] = None,
    kind: Annotated[
        str | None, typer.Option("--kind", metavar="KIND", help="Of those only this kind.")
    ] = None,
    preview: Preview = False,
) -> None:
    """Give many places another kind at once."""
    from confide.model import PlaceKind
    from confide.reading import read_choice

    given.settings()
    wanted = read_choice(PlaceKind, to, "to")
    only = read_choice(PlaceKind, kind, "kind") if kind is not None else None
    changes = with_memory(
        given,
        lambda confide: confide.world.reclassify(
            wanted, places=places or (), space=space, kind=only, is_preview=preview
        ),
    )
    _show_changes(given, changes, preview)


def reviewed(
    given: Given,
    place: Annotated[str, typer.Argument(metavar="ID", help="As `places list` shows it.")],
) -> None:
    """Take note that somebody looked at what was said before a place opened."""
    given.settings()
    with_memory(given, lambda confide: confide.world.reviewed(place))
    if given.as_json:
        say_json({"place": place, "reviewed": True})
    else:
        say("Noted.")


def _text(file: str) -> str:
    import sys
    from pathlib import Path

    from confide.errors import InvalidInput

    try:
        return sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError, ValueError) as problem:
        raise InvalidInput("file", f"cannot be read ({type(problem).__name__})") from None


def _show_changes(given: Given, changes: list[Change], preview: bool) -> None:
    if say_answer(given, "world.sync", changes, preview=preview):
        return
    real = [one for one in changes if one.is_any]
    for one in real:
        about = f", {one.memories} memories" if one.memories else ""
        moved = f", {one.joined} joined, {one.left} left" if one.joined or one.left else ""
        was = f"{one.was.value} → " if one.was and one.was is not one.place.kind else ""
        say(
            harmless(
                f"{one.became.value:<9} {one.place.id} ({was}{one.place.kind.value}{about}{moved})"
            )
        )
    same = len(changes) - len(real)
    would = "Nothing was changed yet. " if preview and real else ""
    say(f"{would}{len(real)} changed, {same} as before.")


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
