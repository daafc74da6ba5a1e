"""`confide audit` and `confide about-me`: who can hear a memory, and what exists about somebody."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from confide.surfaces.cli.given import Given, with_given
from confide.surfaces.cli.opened import with_memory
from confide.surfaces.cli.options import MemoryId
from confide.surfaces.cli.output import faint, harmless, say, say_json

if TYPE_CHECKING:
    from confide.keep.auditing import Audit, Existing

AUDIT = """\b
Examples:
    confide audit 5f0c… --as human:alice
    confide audit 5f0c…

\b
JSON: id, heard_by, complete, people [entity, told, because, purposes],
      rooms [place, told_to, because], consents [id, grantor, grantee, granted_at, expires_at,
      revoked_at, reason]
"""
ABOUT = """\b
Examples:
    confide about-me --as human:alice
    confide about-me --of human:kid_123 --as human:sean

\b
JSON: memories [id, kind, sensitivity, status, said_at, own, text], count
"""
Asks = Annotated[
    str | None,
    typer.Option(
        "--as",
        metavar="ENTITY",
        help="Its owner, its speaker or whom it is about; left out, the operator.",
    ),
]


def register(app: typer.Typer) -> None:
    app.command("audit", epilog=AUDIT)(with_given(audit))
    app.command("about-me", epilog=ABOUT)(with_given(about_me))


def audit(given: Given, memory_id: MemoryId, asker: Asks = None) -> None:
    """Say who can hear a memory and why, person by person and room by room. Never its content."""
    from confide.actor import operator_as
    from confide.reading import read_entity, read_memory_id

    given.settings()
    actor = operator_as(read_entity(asker, "asker") if asker else None)
    id = read_memory_id(memory_id)
    found = with_memory(given, lambda confide: confide.access.audit(id, actor=actor))
    if given.as_json:
        say_json(as_json(found))
    else:
        _tell(found)


def about_me(
    given: Given,
    asker: Annotated[str, typer.Option("--as", metavar="ENTITY", help="Who asks.")],
    of: Annotated[
        str | None,
        typer.Option("--of", metavar="ENTITY", help="A child whose guardian asks."),
    ] = None,
) -> None:
    """List what exists that is yours or about you; the words only where you may hear them."""
    from confide.actor import operator_as
    from confide.reading import read_entity

    given.settings()
    me = read_entity(asker, "asker")
    who = read_entity(of, "of") if of else me
    found = with_memory(given, lambda confide: confide.access.existing(who, actor=operator_as(me)))
    if given.as_json:
        say_json({"memories": [_existing_as_json(one) for one in found], "count": len(found)})
        return
    say(f"{len(found)} memories are {who}'s or about them.")
    for one in found:
        shown = harmless(one.text) if one.text else "(somebody else's words)"
        say(f"  {shown}")
        say(faint(f"  {one.kind.value} · {one.status.value} · {one.said_at:%Y-%m-%d} · {one.id}"))


def as_json(found: Audit) -> dict[str, Any]:
    from confide.surfaces.cli.clauses import atom_in_words

    return {
        "id": found.memory_id,
        "heard_by": found.heard_by,
        "complete": found.is_complete,
        "people": [
            {
                "entity": str(one.who),
                "told": one.told,
                "because": one.because,
                "purposes": list(one.purposes),
            }
            for one in found.people
        ],
        "rooms": [
            {
                "place": one.place.id,
                "told_to": [str(who) for who in one.told_to],
                "because": one.because,
            }
            for one in found.rooms
        ],
        "consents": [
            {
                "id": one.id,
                "grantor": str(one.consent.grantor),
                "grantee": atom_in_words(one.consent.grantee),
                "granted_at": one.granted_at,
                "expires_at": one.consent.until,
                "revoked_at": one.revoked_at,
                "reason": one.reason,
            }
            for one in found.consents
        ],
    }


def _existing_as_json(one: Existing) -> dict[str, Any]:
    return {
        "id": one.id,
        "kind": one.kind.value,
        "sensitivity": one.sensitivity.value,
        "status": one.status.value,
        "said_at": one.said_at,
        "own": one.is_own,
        "text": one.text,
    }


def _tell(found: Audit) -> None:
    say(f"{found.heard_by} people can hear it, each alone with the agent:")
    for one in found.people:
        if one.told:
            say(f"  {one.who}")
        elif one.purposes:
            say(f"  {one.who} {faint('for ' + ', '.join(map(harmless, one.purposes)))}")
    if not found.is_complete:
        say(faint("Who they are is told to its owner and to whoever said it."))
    for room in found.rooms:
        if room.told_to:
            say(f"  in {harmless(room.place.id)}: {', '.join(map(str, room.told_to))}")
    withheld = [one for one in found.people if not one.told]
    for reason in sorted({one.because for one in withheld}):
        count = sum(one.because == reason for one in withheld)
        say(faint(f"Not told to {count}: {reason}."))
