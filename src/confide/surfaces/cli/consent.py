"""`confide consent`: who agreed to what, who was asked, and what ended."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from confide.surfaces.cli.given import Given, with_given
from confide.surfaces.cli.opened import with_memory
from confide.surfaces.cli.options import MemoryId
from confide.surfaces.cli.output import console, faint, harmless, say, say_json
from confide.surfaces.cli.share import Agrees, Grantee, Lasts, OnlyIn, Purpose, read_where

if TYPE_CHECKING:
    from confide.keep.requesting import Request
    from confide.store.consents import About
    from confide.store.consents import Given as Agreed

GIVE = """\b
Examples:
    confide consent give --said-in ctx:student_123_academic --with human:specialist
        --in ctx:student_123_academic --of human:kid_123 --as human:sean
    confide consent give --memory 5f0c… --with human:bob --as human:alice --for 2w

\b
JSON: consent, memories
"""
WITHDRAW = """\b
Example:
    confide consent withdraw 81d2… --as human:sean

\b
JSON: consent, memories
"""
LIST = """\b
Example:
    confide consent list --as human:sean

\b
JSON: consents [id, grantor, grantee, about, where, purpose, reason, given_by, granted_at,
      expires_at, revoked_at], count
"""
ASK = """\b
Examples:
    confide consent ask 5f0c… --with human:bob --as human:alice
    confide consent ask 5f0c… --with human:bob --of human:carol --reason "for the trip"
        --as human:alice

\b
JSON: requests [id, grantor, grantee, about, where, purpose, reason, asked_by, asked_at], count
"""
REQUESTS = """\b
Example:
    confide consent requests --as human:carol

\b
JSON: requests [id, grantor, grantee, about, where, purpose, reason, asked_by, asked_at], count
"""
ANSWER = """\b
Examples:
    confide consent answer 9ac1… --yes --as human:carol
    confide consent answer 9ac1… --no --as human:carol

\b
JSON: request, agreed, consent
"""
Memory = Annotated[str | None, typer.Option("--memory", metavar="ID", help="One memory.")]
About_ = Annotated[
    str | None, typer.Option("--about", metavar="ENTITY", help="All that is about somebody.")
]
SaidIn = Annotated[
    str | None, typer.Option("--said-in", metavar="PLACE", help="All that is said in a place.")
]
Of = Annotated[
    str | None,
    typer.Option("--of", metavar="ENTITY", help="The child a guardian agrees for; else --as."),
]
Reason = Annotated[str | None, typer.Option("--reason", metavar="TEXT", help="Why; it is kept.")]
Whom = Annotated[
    list[str] | None,
    typer.Option("--of", metavar="ENTITY", help="Whom to ask; left out, all who have a say."),
]
Id = Annotated[str, typer.Argument(metavar="ID", help="The id of the consent or request.")]


def register(app: typer.Typer) -> None:
    consent = typer.Typer(
        help="Who agreed to what. Only the person concerned agrees, or a registered guardian.",
        no_args_is_help=True,
    )
    for name, command, examples in (
        ("give", give, GIVE),
        ("withdraw", withdraw, WITHDRAW),
        ("list", list_, LIST),
        ("ask", ask, ASK),
        ("requests", requests, REQUESTS),
        ("answer", answer, ANSWER),
    ):
        consent.command(name, epilog=examples)(with_given(command))
    app.add_typer(consent, name="consent")


def give(
    given: Given,
    grantee: Grantee,
    agrees: Agrees,
    memory: Memory = None,
    about: About_ = None,
    said_in: SaidIn = None,
    of: Of = None,
    place: OnlyIn = None,
    purpose: Purpose = None,
    lasts: Lasts = None,
    reason: Reason = None,
) -> None:
    """Agree that somebody may hear one memory, all about somebody, or all said in a place."""
    from confide.actor import operator_as
    from confide.reading import read_access, read_entity, read_lifetime

    given.settings()
    who = read_entity(agrees, "asker")
    grantor = read_entity(of, "of") if of else who
    covered = _read_about(memory, about, said_in, who)
    to, where = read_access(grantee), read_where(place, who)
    duration = read_lifetime(lasts) if lasts else None

    done = with_memory(
        given,
        lambda confide: confide.consents.give(
            confide.consents.agreement(grantor, to, where=where, purpose=purpose, lasts=duration),
            covered,
            actor=operator_as(who),
            reason=reason,
        ),
    )
    if given.as_json:
        say_json({"consent": done.consent_id, "memories": done.memories})
    else:
        say(f"{grantor} agrees. It concerns {done.memories} memories so far.")
        say(faint(f"consent {done.consent_id}"))


def withdraw(given: Given, consent_id: Id, agrees: Agrees) -> None:
    """Take a consent back; from now on it was never given."""
    from confide.actor import operator_as
    from confide.reading import read_entity

    given.settings()
    actor = operator_as(read_entity(agrees, "asker"))
    id = _read_id(consent_id, "there is no such consent")
    done = with_memory(given, lambda confide: confide.consents.withdraw(id, actor=actor))
    if given.as_json:
        say_json({"consent": done.consent_id, "memories": done.memories})
    else:
        say(f"Withdrawn. {done.memories} memories are told to fewer people from now on.")


def list_(given: Given, agrees: Agrees) -> None:
    """List what somebody agreed to, also what a guardian agreed to for them."""
    from confide.reading import read_entity

    given.settings()
    who = read_entity(agrees, "asker")
    found = with_memory(given, lambda confide: confide.consents.given_by(who))
    if given.as_json:
        say_json({"consents": [_consent_as_json(one) for one in found], "count": len(found)})
    elif not found:
        say(f"{who} agreed to nothing yet.")
    else:
        _table([_consent_as_json(one) for one in found], ("id", "grantee", "about", "expires_at"))


def ask(
    given: Given,
    memory_id: MemoryId,
    grantee: Grantee,
    agrees: Agrees,
    of: Whom = None,
    place: OnlyIn = None,
    purpose: Purpose = None,
    reason: Reason = None,
) -> None:
    """Ask those who have a say in a memory to agree; until they do, nothing changes."""
    from confide.actor import operator_as
    from confide.keep.requesting import Wish
    from confide.reading import read_access, read_entities, read_entity, read_memory_id

    given.settings()
    who, whom = read_entity(agrees, "asker"), read_entities(of or (), "of")
    id = read_memory_id(memory_id)
    wish = Wish(
        grantee=read_access(grantee),
        where=read_where(place, who),
        purpose=purpose,
        reason=reason,
    )
    actor = operator_as(who)
    left = with_memory(given, lambda confide: confide.consents.ask(id, wish, actor=actor, of=whom))
    _show_requests(given, left, "Asked.")


def requests(given: Given, agrees: Agrees) -> None:
    """List what waits for somebody's answer."""
    from confide.reading import read_entity

    given.settings()
    who = read_entity(agrees, "asker")
    _show_requests(given, with_memory(given, lambda confide: confide.consents.requests(who)), "")


def answer(
    given: Given,
    request_id: Id,
    yes: Annotated[bool, typer.Option("--yes/--no", help="Agree, or refuse.")],
    agrees: Agrees,
    lasts: Lasts = None,
) -> None:
    """Answer a request: yes does what was asked for, from that moment on."""
    from confide.actor import operator_as
    from confide.reading import read_entity, read_lifetime

    given.settings()
    actor = operator_as(read_entity(agrees, "asker"))
    id = _read_id(request_id, "there is no such request")
    duration = read_lifetime(lasts) if lasts else None
    done = with_memory(
        given, lambda confide: confide.consents.answer(id, agrees=yes, actor=actor, lasts=duration)
    )
    if given.as_json:
        say_json({"request": id, "agreed": yes, "consent": done.consent_id if done else None})
    else:
        say("Agreed." if yes else "Refused; everything stays as it was.")


def _read_about(memory: str | None, about: str | None, said_in: str | None, who: Any) -> About:
    from confide.errors import InvalidInput
    from confide.reading import read_entity, read_memory_id, read_place
    from confide.store.consents import About

    if not (memory or about or said_in):
        raise InvalidInput("about", "say what it is about: --memory, --about or --said-in")
    return About(
        memory_id=read_memory_id(memory) if memory else None,
        subject=read_entity(about, "about") if about else None,
        origin=read_place(said_in, who).id if said_in else None,
    )


def _read_id(written: str, absent: str) -> Any:
    import uuid

    from confide.errors import NotFound

    try:
        return uuid.UUID(written)
    except ValueError:
        raise NotFound(absent) from None


def _consent_as_json(one: Agreed) -> dict[str, Any]:
    from confide.wire.forms import write_atom

    c = one.consent
    return {
        "id": one.id,
        "grantor": str(c.grantor),
        "grantee": write_atom(c.grantee),
        "about": _about_in_words(one.about),
        "where": write_atom(c.where) if c.where else None,
        "purpose": c.purpose,
        "reason": one.reason,
        "given_by": str(one.given_by) if one.given_by else None,
        "granted_at": one.granted_at,
        "expires_at": c.until,
        "revoked_at": one.revoked_at,
    }


def _request_as_json(one: Request) -> dict[str, Any]:
    from confide.wire.forms import write_atom

    wish = one.wish
    return {
        "id": one.id,
        "act": one.act.name.lower(),
        "grantor": str(one.grantor),
        "grantee": write_atom(wish.grantee) if wish else None,
        "about": _about_in_words(one.about) or one.asked.target,
        "words": one.asked.words,
        "where": write_atom(wish.where) if wish and wish.where else None,
        "purpose": wish.purpose if wish else None,
        "reason": wish.reason if wish else None,
        "asked_by": one.asked_by,
        "asked_at": one.asked_at,
    }


def _about_in_words(about: About) -> str:
    said = {
        "memory": about.memory_id,
        "about": about.subject,
        "said in": about.origin,
    }
    return ", ".join(f"{name} {value}" for name, value in said.items() if value)


def _show_requests(given: Given, found: list[Request], first: str) -> None:
    shown = [_request_as_json(one) for one in found]
    if given.as_json:
        say_json({"requests": shown, "count": len(shown)})
        return
    say(first or ("Nothing waits for an answer." if not shown else "These wait for an answer:"))
    if shown:
        _table(shown, ("id", "act", "grantor", "grantee", "about", "asked_by"))


def _table(rows: list[dict[str, Any]], columns: tuple[str, ...]) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in columns:
        table.add_column(name.replace("_", " "), overflow="fold")
    for row in rows:
        table.add_row(*(harmless(str(row[name] or "")) for name in columns))
    console().print(table)
