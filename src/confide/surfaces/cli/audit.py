"""`confide audit` and `confide about-me`: who can hear a memory, what exists about somebody, and the
trail of what was done."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from confide.surfaces.cli.given import Given, with_given
from confide.surfaces.cli.opened import with_memory
from confide.surfaces.cli.options import MemoryId
from confide.surfaces.cli.output import faint, harmless, say, say_answer, say_json

if TYPE_CHECKING:
    from confide.keep.auditing import Audit
    from confide.keep.trail import Entry, Verified

AUDIT = """\b
Examples:
    confide audit memory 5f0c… --as human:alice
    confide audit 5f0c…                    the same, for the operator

\b
JSON: id, complete, conditions [kind, owner, atoms], consents [id, grantor, grantee, granted_at,
      expires_at, revoked_at, reason]; for the operator also heard_by, people [entity, told,
      because, purposes], rooms [place, told_to, because]
"""
ABOUT = """\b
Examples:
    confide about-me --as human:alice
    confide about-me --of human:kid_123 --as human:sean

\b
JSON: memories [id, kind, sensitivity, status, said_at, is_own, text], count
"""
LOG = """\b
Examples:
    confide audit log --since 1d
    confide audit log --of human:alice
    confide audit log --memory 5f0c… --as human:alice

\b
JSON: entries [number, at, actor, doing, what, action, memory, owner, place], count
"""
VERIFY = """\b
Examples:
    confide audit verify
    confide audit verify --accept        after a restore, or once a problem is understood

\b
Exit code 1: somebody has tampered with the trail, or with a memory behind its back.
JSON: sound, entries, seals, not_sealed, anchored, problems
"""
Asks = Annotated[
    str | None,
    typer.Option(
        "--as",
        metavar="ENTITY",
        help="Its owner, its speaker or whom it is about; left out, the operator.",
    ),
]


class OrMemory(TyperGroup):
    """`confide audit ID` is short for `confide audit memory ID`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and args[0] not in (*self.commands, "-h", "--help"):
            args = ["memory", *args]
        return super().parse_args(ctx, args)


def register(app: typer.Typer) -> None:
    group = typer.Typer(
        cls=OrMemory,
        help="Who can hear a memory (confide audit ID), and the trail of all that was done.",
        epilog=AUDIT,
        no_args_is_help=True,
    )
    group.command("memory", epilog=AUDIT)(with_given(audit))
    group.command("log", epilog=LOG)(with_given(log))
    group.command("verify", epilog=VERIFY)(with_given(verify))
    app.add_typer(group, name="audit")
    app.command("about-me", epilog=ABOUT)(with_given(about_me))


def audit(given: Given, memory_id: MemoryId, asker: Asks = None) -> None:
    """Say who can hear a memory: your own conditions; to the operator everybody. No content."""
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


def log(
    given: Given,
    asker: Asks = None,
    of: Annotated[
        str | None, typer.Option("--of", metavar="ENTITY", help="Whose, or done by whom.")
    ] = None,
    memory: Annotated[
        str | None, typer.Option("--memory", metavar="ID", help="What happened to one memory.")
    ] = None,
    since: Annotated[
        str | None, typer.Option("--since", metavar="TIME", help="How far back: 12h, 3d, 2w.")
    ] = None,
    limit: Annotated[int, typer.Option("--limit", min=1, max=10_000, help="At most.")] = 50,
) -> None:
    """List what was done, told and by whom, newest first. It holds no content."""
    from confide.actor import operator_as
    from confide.means import system_clock
    from confide.reading import read_entity, read_lifetime, read_memory_id

    given.settings()
    actor = operator_as(read_entity(asker, "asker") if asker else None)
    person = read_entity(of, "of") if of else None
    id = read_memory_id(memory) if memory else None
    back = read_lifetime(since) if since else None

    first = system_clock() - back if back else None
    found = with_memory(
        given,
        lambda confide: confide.trail.log(
            actor=actor, of=person, memory_id=id, since=first, limit=limit
        ),
    )
    if given.as_json:
        say_json({"entries": [_entry_as_json(one) for one in found], "count": len(found)})
        return
    if not found:
        say("Nothing was done.")
    for one in found:
        whose = f" of {harmless(one.owner)}" if one.owner else ""
        where = f" in {harmless(one.place)}" if one.place else ""
        say(f"{one.at:%Y-%m-%d %H:%M:%S}  {one.what}{whose}{where}: {one.action}")
        say(faint(f"  {one.doing or 'by itself'} · {harmless(one.actor)} · {one.memory_id or ''}"))


def verify(
    given: Given,
    accept: Annotated[
        bool, typer.Option("--accept", help="Take the trail as it is for the true one.")
    ] = False,
) -> None:
    """Find out whether anybody changed, removed or added entries, or cut the trail off."""
    from confide.actor import operator_as

    given.settings()

    async def verified(confide: Any) -> Verified:
        if accept:
            await confide.trail.accept(actor=operator_as())
        return await confide.trail.verify()

    found = with_memory(given, verified)
    if given.as_json:
        say_json(
            {
                "sound": found.is_sound,
                "entries": found.entries,
                "seals": found.seals,
                "not_sealed": found.not_sealed,
                "anchored": found.is_anchored,
                "problems": list(found.problems),
            }
        )
    else:
        say(f"{found.entries} entries under {found.seals} seals.")
        if found.not_sealed:
            say(faint(f"{found.not_sealed} are too new to be sealed."))
        if not found.is_anchored:
            say(faint("This home folder knows no seal: a trail cut off before now is not noticed."))
        for problem in found.problems:
            say(f"PROBLEM: {problem}")
        say("Sound." if found.is_sound else "Somebody has tampered with it.")
    if not found.is_sound:
        raise typer.Exit(1)


def about_me(
    given: Given,
    asker: Annotated[str, typer.Option("--as", metavar="ENTITY", help="Who asks.")],
    of: Annotated[
        str | None,
        typer.Option("--of", metavar="ENTITY", help="A child whose guardian asks."),
    ] = None,
) -> None:
    """List what is yours, and what is about you and you may hear; ask for the rest with
    `confide request`."""
    from confide.actor import operator_as
    from confide.reading import read_entity

    given.settings()
    me = read_entity(asker, "asker")
    who = read_entity(of, "of") if of else me
    found = with_memory(given, lambda confide: confide.access.existing(who, actor=operator_as(me)))
    if say_answer(given, "access.existing", found):
        return
    say(f"{len(found)} memories are {who}'s or about them.")
    for one in found:
        hidden = "(your own words; nobody is told them now)" if one.is_own else "(words of others)"
        say(f"  {harmless(one.text) if one.text else hidden}")
        say(faint(f"  {one.kind.value} · {one.status.value} · {one.said_at:%Y-%m-%d} · {one.id}"))


def as_json(found: Audit) -> dict[str, Any]:
    from confide.surfaces.cli.clauses import clause_as_json
    from confide.wire.forms import write_atom

    return {
        "id": found.memory_id,
        "complete": found.is_complete,
        "conditions": [clause_as_json(one) for one in found.conditions],
        "heard_by": found.heard_by if found.people else None,
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
                "grantee": write_atom(one.consent.grantee),
                "granted_at": one.granted_at,
                "expires_at": one.consent.until,
                "revoked_at": one.revoked_at,
                "reason": one.reason,
            }
            for one in found.consents
        ],
    }


def _entry_as_json(one: Entry) -> dict[str, Any]:
    return {
        "number": one.number,
        "at": one.at,
        "actor": one.actor,
        "doing": one.doing,
        "what": one.what,
        "action": one.action,
        "memory": one.memory_id,
        "owner": one.owner,
        "place": one.place,
    }


def _tell(found: Audit) -> None:
    from confide.surfaces.cli.clauses import clause_in_words

    if not found.people:
        say("It is told where all of these hold:")
        for clause in found.conditions:
            say(f"  {harmless(clause_in_words(clause))}")
        if not found.is_complete:
            say(faint("Somebody else's condition has to hold, too."))
        return
    say(f"{found.heard_by} people can hear it, each alone with the agent:")
    for one in found.people:
        if one.told:
            say(f"  {one.who}")
        elif one.purposes:
            say(f"  {one.who} {faint('for ' + ', '.join(map(harmless, one.purposes)))}")
    for room in found.rooms:
        if room.told_to:
            say(f"  in {harmless(room.place.id)}: {', '.join(map(str, room.told_to))}")
    withheld = [one for one in found.people if not one.told]
    for reason in sorted({one.because for one in withheld}):
        count = sum(one.because == reason for one in withheld)
        say(faint(f"Not told to {count}: {reason}."))
