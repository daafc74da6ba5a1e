"""`confide people`: who is who, what they are called, and which identities are one person."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from confide.surfaces.cli.given import Given, with_given
from confide.surfaces.cli.opened import call
from confide.surfaces.cli.output import faint, harmless, say, say_answer

if TYPE_CHECKING:
    from confide.verbs.people import Merge

LIST = """\b
Example:
    confide people list --as human:alice

\b
JSON: people [entity, name], count
"""
SHOW = """\b
Example:
    confide people show human:sarah --as human:alice

\b
JSON: entity, name, aliases, relationships [entity, relation, other, memory, said_by], accounts
"""
NAME = """\b
Example:
    confide people name human:alice "Alice L."

\b
JSON: done
"""
LINK = """\b
Examples:
    confide people link human:sarah --alias "Sarah from work" --as human:alice
    confide people link dog:bella --relation "dog of" --to human:sean --memory 5f0c…
        --as human:sean
    confide people link human:sarah --account discord:1234

\b
JSON: done
"""
MERGE = """\b
Examples:
    confide people merge human:sarah human:discord.1234 --because "same phone" --as human:alice
    confide people merge --confirm 7be0… --as human:sarah
    confide people merge --list

\b
JSON: merges [id, one, other, evidence, proposed_by, confirmed_by, is_confirmed], count
"""
SPLIT = """\b
Example:
    confide people split 7be0… --as human:sarah

\b
JSON: done
"""
GUARDIAN = """\b
Examples:
    confide people guardian human:kid_123 human:sean
    confide people guardian human:kid_123 human:sean --end

\b
JSON: done
"""
CLAIMS = """\b
Examples:
    confide people claims --as human:anna
    confide people claims --confirm 7be0… --as human:anna
    confide people claims --refuse 7be0… --as human:anna

\b
JSON: claims [id, account, importer, name, platform, standing], count
"""
Who = Annotated[str, typer.Argument(metavar="ENTITY", help="For example human:sarah.")]
As = Annotated[str, typer.Option("--as", metavar="ENTITY", help="Who asks.")]
Acts = Annotated[
    str | None, typer.Option("--as", metavar="ENTITY", help="Who says so; left out, the operator.")
]
Called = Annotated[
    str | None,
    typer.Option("--alias", metavar="NAME", help="What you call them. Others are not affected."),
]
Relation = Annotated[
    str | None, typer.Option("--relation", metavar="WORDS", help='For example "dog of".')
]
To = Annotated[str | None, typer.Option("--to", metavar="ENTITY", help="The other of the two.")]
FromMemory = Annotated[
    str | None, typer.Option("--memory", metavar="ID", help="Your memory that says so.")
]
Account = Annotated[
    str | None,
    typer.Option("--account", metavar="PLATFORM:ID", help="An account that proves who it is."),
]


def register(app: typer.Typer) -> None:
    people = typer.Typer(
        help="People: names, relationships, accounts. A name or alias never opens anything.",
        no_args_is_help=True,
    )
    for name, command, examples in (
        ("list", list_, LIST),
        ("show", show, SHOW),
        ("name", name_, NAME),
        ("link", link, LINK),
        ("merge", merge, MERGE),
        ("split", split, SPLIT),
        ("guardian", guardian, GUARDIAN),
        ("claims", claims, CLAIMS),
    ):
        people.command(name, epilog=examples)(with_given(command))
    app.add_typer(people, name="people")


def list_(given: Given, asker: As) -> None:
    """List those whom somebody knows of by the memories they may hear."""
    found = call(given, "people.known", asker=asker)
    if say_answer(given, "people.known", found):
        return
    if not found:
        say("Nobody is known here.")
    for one in found:
        name = harmless(one.name or "")
        relation = f", your {harmless(one.relation)}" if one.relation else ""
        say(f"{one.entity}  {name}".rstrip() if one.entity else f"{name}{relation}")


def show(given: Given, who: Who, asker: As) -> None:
    """Show what somebody may know of a person."""
    found = call(given, "people.show", entity=who, asker=asker)
    if say_answer(given, "people.show", found):
        return
    say(f"{found.entity}  {harmless(found.name or '')}".rstrip())
    for name in found.aliases:
        say(f"  you call them {harmless(name)}")
    for r in found.relationships:
        said = faint(f"  {r.said_by} said so, memory {r.memory}")
        say(f"  {r.entity} is {harmless(r.relation)} {r.other}{said}")
    for account in found.accounts:
        say(f"  account {harmless(str(account))}")


def name_(
    given: Given, who: Who, name: Annotated[str, typer.Argument(help="The name to show.")]
) -> None:
    """Say what somebody is called from now on."""
    call(given, "people.name", entity=who, name=name)
    if not say_answer(given, "people.name", None):
        say(f"{who} is called {harmless(name)} now.")


def link(
    given: Given,
    who: Who,
    alias: Called = None,
    relation: Relation = None,
    to: To = None,
    memory: FromMemory = None,
    account: Account = None,
    acts: Acts = None,
) -> None:
    """Add an alias of yours, a relationship that a memory of yours says, or a proven account."""
    from confide.errors import InvalidInput

    if sum(part is not None for part in (alias, relation, account)) != 1:
        raise InvalidInput("alias", "give one of --alias, --relation and --account")
    if relation is not None and (to is None or memory is None):
        raise InvalidInput("relation", "needs --to and the --memory that says so")
    actor = given.actor(acts)

    if alias is not None:
        what = "alias"
        call(given, "people.alias", entity=who, alias=alias, actor=actor)
    elif relation is not None:
        what = "relationship"
        linked = {"relation": relation, "other": to, "memory": memory}
        call(given, "people.relate", entity=who, **linked, actor=actor)
    else:
        what = "account"
        call(given, "people.prove", entity=who, account=account, actor=actor)
    if not say_answer(given, "people.alias", None):
        say(f"Linked: {what} of {who}.")


def merge(
    given: Given,
    who: Annotated[
        list[str] | None, typer.Argument(metavar="ENTITY ENTITY", help="The two identities.")
    ] = None,
    because: Annotated[
        str | None, typer.Option("--because", metavar="TEXT", help="The evidence; it is kept.")
    ] = None,
    confirm: Annotated[
        str | None, typer.Option("--confirm", metavar="ID", help="Confirm a proposal.")
    ] = None,
    lists: Annotated[bool, typer.Option("--list", help="List proposals and merges.")] = False,
    acts: Acts = None,
) -> None:
    """Propose that two identities are one person. It counts when both have confirmed it."""
    from confide.errors import InvalidInput

    actor = given.actor(acts)
    if lists:
        found = call(given, "people.merges", who=actor.entity)
    elif confirm is not None:
        found = [call(given, "people.confirm_merge", merge=confirm, actor=actor)]
    else:
        if who is None or len(who) != 2 or not because:
            raise InvalidInput("people", "name two identities, and --because with the evidence")
        two = {"one": who[0], "other": who[1], "because": because}
        found = [call(given, "people.propose_merge", **two, actor=actor)]
    _show_merges(given, found)


def split(
    given: Given, merge_id: Annotated[str, typer.Argument(metavar="ID")], acts: Acts = None
) -> None:
    """Undo a merge, or refuse a proposed one."""
    actor = given.actor(acts)
    call(given, "people.split", merge=merge_id, actor=actor)
    if not say_answer(given, "people.split", None):
        say("They are two again.")


def guardian(
    given: Given,
    child: Annotated[str, typer.Argument(metavar="CHILD")],
    who: Annotated[str, typer.Argument(metavar="GUARDIAN")],
    end: Annotated[bool, typer.Option("--end", help="They confirm no longer.")] = False,
) -> None:
    """Register who confirms for a child. Only the operator does this."""
    change = "people.end_guardian" if end else "people.appoint_guardian"
    call(given, change, entity=child, guardian=who, actor=given.actor())
    if not say_answer(given, "people.end_guardian", None):
        say(f"{who} {'no longer confirms' if end else 'confirms'} for {child}.")


def claims(
    given: Given,
    asker: As,
    confirm: Annotated[
        str | None, typer.Option("--confirm", metavar="ID", help="Yes, that is me.")
    ] = None,
    refuse: Annotated[
        str | None, typer.Option("--refuse", metavar="ID", help="No, or no longer.")
    ] = None,
) -> None:
    """List in whose imported chats you are said to be, and say whether it is so.

    Until you confirm it you hear nothing by it; then what was said in rooms whose members the file
    lists, while you were there. Refusing ends that again.
    """
    from confide.errors import InvalidInput

    if confirm is not None and refuse is not None:
        raise InvalidInput("confirm", "give one of --confirm and --refuse")
    actor = given.actor(asker)
    if confirm is not None:
        found = [call(given, "claims.confirm", claim=confirm, actor=actor)]
    elif refuse is not None:
        found = [call(given, "claims.refuse", claim=refuse, actor=actor)]
    else:
        found = call(given, "claims.on", asker=asker)
    if say_answer(given, "claims.on", found):
        return
    if not found:
        say("Nobody says that you are in a chat of theirs.")
    for one in found:
        say(
            f"{one.importer} says that you are {harmless(one.name)} on {one.platform}: {one.standing}"
        )
        say(faint(f"  {one.id}"))


def _show_merges(given: Given, found: list[Merge]) -> None:
    if say_answer(given, "people.merges", found):
        return
    if not found:
        say("Nothing is proposed.")
    for one in found:
        waits = sorted(map(str, {one.one, one.other} - one.confirmed_by))
        state = f"waits for {', '.join(waits)}" if waits else "one person"
        say(f"{one.one} = {one.other}: {state}")
        say(faint(f"  {harmless(one.evidence)} · {one.id}"))
