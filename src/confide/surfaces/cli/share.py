"""`confide share` and `confide unshare`: let somebody hear one memory, and take that back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from confide.surfaces.cli.given import Given, with_given
from confide.surfaces.cli.opened import with_memory
from confide.surfaces.cli.options import MemoryId
from confide.surfaces.cli.output import faint, say, say_json

if TYPE_CHECKING:
    from confide.model import Entity
    from confide.privacy.atoms import Atom

SHARE_EXAMPLES = """\b
Examples:
    confide share 5f0c… --with human:bob --as human:alice --for 2w
    confide share 5f0c… --with place:general@guild --as human:alice
    confide share 5f0c… --with human:vet --in ctx:bella_health --purpose treatment
        --as human:sean

\b
JSON: consent, memories
"""
UNSHARE_EXAMPLES = """\b
Example:
    confide unshare 5f0c… --with human:bob --as human:alice

\b
JSON: withdrawn
"""
Grantee = Annotated[
    str,
    typer.Option(
        "--with",
        metavar="WHO",
        help="Who may hear it: an entity, ctx:ID, space:ID, place:ID (a room) or * (anyone).",
    ),
]
Agrees = Annotated[
    str, typer.Option("--as", metavar="ENTITY", help="Who agrees; nobody else's say is touched.")
]
OnlyIn = Annotated[
    str | None,
    typer.Option("--in", metavar="PLACE", help="Only there, for example ctx:bella_health."),
]
Purpose = Annotated[
    str | None,
    typer.Option("--purpose", metavar="P", help="Only for an audience that names this purpose."),
]
Lasts = Annotated[
    str | None,
    typer.Option("--for", metavar="TIME", help="How long: 12h, 3d, 2w, 6m or 1y; 90 days if not."),
]


def register(app: typer.Typer) -> None:
    app.command("share", epilog=SHARE_EXAMPLES)(with_given(share))
    app.command("unshare", epilog=UNSHARE_EXAMPLES)(with_given(unshare))


def share(
    given: Given,
    memory_id: MemoryId,
    grantee: Grantee,
    agrees: Agrees,
    place: OnlyIn = None,
    purpose: Purpose = None,
    lasts: Lasts = None,
) -> None:
    """Let somebody hear a memory, as far as you have a say in it.

    Everyone who has a say must agree: the owner, whoever said it, and whom it is about.
    """
    from confide.actor import operator_as
    from confide.reading import read_access, read_entity, read_lifetime, read_memory_id

    given.settings()
    who = read_entity(agrees, "asker")
    id, to, where = read_memory_id(memory_id), read_access(grantee), read_where(place, who)
    duration = read_lifetime(lasts) if lasts else None
    done = with_memory(
        given,
        lambda confide: confide.consents.share(
            id, to, actor=operator_as(who), where=where, purpose=purpose, lasts=duration
        ),
    )
    if given.as_json:
        say_json({"consent": done.consent_id, "memories": done.memories})
    else:
        say(f"{who} agrees that {grantee} may hear it. Others who have a say must agree, too.")
        say(faint(f"consent {done.consent_id}"))


def unshare(given: Given, memory_id: MemoryId, grantee: Grantee, agrees: Agrees) -> None:
    """Take back what you shared; it ends at once."""
    from confide.actor import operator_as
    from confide.reading import read_access, read_entity, read_memory_id

    given.settings()
    actor = operator_as(read_entity(agrees, "asker"))
    id, to = read_memory_id(memory_id), read_access(grantee)
    done = with_memory(given, lambda confide: confide.consents.unshare(id, to, actor=actor))
    if given.as_json:
        say_json({"withdrawn": [one.consent_id for one in done]})
    else:
        say(f"Taken back. {grantee} is told it no longer on your word.")


def read_where(written: str | None, who: Entity) -> Atom | None:
    """A place or `space:ID` that a consent is limited to."""
    from confide.privacy import atoms
    from confide.reading import read_access, read_place

    if written is None:
        return None
    if written.startswith(("space:", "place:")):
        return read_access(written)
    return atoms.place(read_place(written, who).id)
