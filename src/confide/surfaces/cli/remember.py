"""`confide remember`: keep what somebody said."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from confide.surfaces.cli.given import Given, with_given
from confide.surfaces.cli.opened import with_memory
from confide.surfaces.cli.options import By, In, With, Workspace
from confide.surfaces.cli.output import faint, say, say_json

if TYPE_CHECKING:
    from confide.remember.keep import Remembered

EXAMPLES = """\b
Examples:
    confide remember "Looking for a new job" --by human:alice --in dm
    confide remember "Bella limps since Monday" --by human:sean --in ctx:bella_health
        --about dog:bella --with human:vet --kind event --for 2w
    confide remember "Likes tea" --by human:alice --in group:tea --access human:bob
        --consent human:alice

\b
JSON: id, status, scope, sensitivity, kind, is_new, waits_because, expires_at, requests
"""
About = Annotated[
    list[str] | None,
    typer.Option("--about", metavar="ENTITY", help="Whom it is about; nobody named: the speaker."),
]
KindOf = Annotated[
    str | None,
    typer.Option(
        "--kind",
        metavar="KIND",
        help="preference, identity, relationship, knowledge (these last), context, event, task"
        " or observation (these fade).",
    ),
]
Careful = Annotated[
    str | None,
    typer.Option(
        "--sensitivity",
        metavar="S",
        help="public, personal or sensitive. Left out, the screen decides; it may raise what is"
        " given, never lower it.",
    ),
]
Access = Annotated[
    list[str] | None,
    typer.Option(
        "--access",
        metavar="WHO",
        help="Who may hear it instead of those its place gives: an entity, ctx:ID, space:ID,"
        " place:ID or *. Everyone concerned has to consent.",
    ),
]
Consent = Annotated[
    list[str] | None,
    typer.Option("--consent", metavar="ENTITY", help="Who agreed to that. Can be repeated."),
]
Source = Annotated[
    str | None,
    typer.Option("--source", metavar="ENTITY", help="Who told it, if that is not --by."),
]
For = Annotated[
    str | None,
    typer.Option("--for", metavar="TIME", help="How long it lasts: 12h, 3d, 2w, 6m or 1y."),
]
ScopeOf = Annotated[
    str | None,
    typer.Option(
        "--scope",
        metavar="SCOPE",
        help="Narrower than the place gives (dm, self_only), or global for a harmless attribute.",
    ),
]
Confidential = Annotated[
    bool,
    typer.Option(
        "--confidential", help="Between those who are there now: nobody who comes later hears it."
    ),
]
OnlyFor = Annotated[
    list[str] | None,
    typer.Option(
        "--only-for",
        metavar="ENTITY",
        help="Who of those there may know it: people and roles. Can be repeated.",
    ),
]


def register(app: typer.Typer) -> None:
    app.command("remember", epilog=EXAMPLES)(with_given(remember))


def remember(
    given: Given,
    text: Annotated[str, typer.Argument(help="What to remember, at most 32 KiB.")],
    by: By,
    place: In,
    about: About = None,
    present: With = None,
    kind: KindOf = None,
    sensitivity: Careful = None,
    access: Access = None,
    consent: Consent = None,
    source: Source = None,
    lifetime: For = None,
    scope: ScopeOf = None,
    namespace: Workspace = None,
    confidential: Confidential = False,
    only_for: OnlyFor = None,
) -> None:
    """Keep what somebody said, for those who may hear it.

    Where it is said decides where it may be told: in a dm to that person alone, in a public
    channel to everyone in its space. Credentials are refused.
    """
    from confide.actor import operator_as
    from confide.reading import statement

    given.settings()
    said = statement(
        text,
        by=by,
        place=place,
        about=about or (),
        present=present or (),
        kind=kind,
        sensitivity=sensitivity,
        access=access or None,
        consent=consent or None,
        source=source,
        lifetime=lifetime,
        scope=scope,
        namespace=namespace,
        confidential=confidential,
        only_for=only_for or None,
    )
    actor = operator_as(said.by)
    done = with_memory(given, lambda confide: confide.remember(said, actor=actor))
    if given.as_json:
        say_json(as_json(done))
    else:
        _tell(done)


def as_json(done: Remembered) -> dict[str, object]:
    return {
        "id": done.id,
        "status": done.status.value,
        "scope": done.memory.scope.value,
        "sensitivity": done.memory.sensitivity.value,
        "kind": done.memory.kind.value,
        "is_new": done.is_new,
        "waits_because": done.waits_because,
        "expires_at": done.memory.expires_at,
        "requests": list(done.requests),
    }


def _tell(done: Remembered) -> None:
    m = done.memory
    say("Remembered." if done.is_new else "Remembered already; it counts once more.")
    if done.waits_because:
        say(f"It waits for review and is not told: {done.waits_because}.")
    if done.requests:
        say(f"{len(done.requests)} requests wait for an answer: `confide requests`.")
    until = f" · until {m.expires_at:%Y-%m-%d %H:%M} UTC" if m.expires_at else ""
    say(faint(f"{m.scope.value} · {m.sensitivity.value} · {m.kind.value}{until}"))
    say(faint(f"id {done.id}"))
