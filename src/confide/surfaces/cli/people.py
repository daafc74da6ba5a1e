"""`confide people`: who is who, what they are called, and which identities are one person."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from confide.surfaces.cli.given import Given, with_given
from confide.surfaces.cli.opened import with_memory
from confide.surfaces.cli.output import faint, harmless, say, say_json

if TYPE_CHECKING:
    from confide.keep.people import Merge, Person

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
JSON: entity, name
"""
LINK = """\b
Examples:
    confide people link human:sarah --alias "Sarah from work" --as human:alice
    confide people link dog:bella --relation "dog of" --to human:sean --memory 5f0c…
        --as human:sean
    confide people link human:sarah --account discord:1234

\b
JSON: entity, linked
"""
MERGE = """\b
Examples:
    confide people merge human:sarah human:discord.1234 --because "same phone" --as human:alice
    confide people merge --confirm 7be0… --as human:sarah
    confide people merge --list

\b
JSON: merges [id, one, other, evidence, proposed_by, confirmed_by, confirmed], count
"""
SPLIT = """\b
Example:
    confide people split 7be0… --as human:sarah

\b
JSON: merge, split
"""
GUARDIAN = """\b
Examples:
    confide people guardian human:kid_123 human:sean
    confide people guardian human:kid_123 human:sean --end

\b
JSON: child, guardian, ended
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
    ):
        people.command(name, epilog=examples)(with_given(command))
    app.add_typer(people, name="people")


def list_(given: Given, asker: As) -> None:
    """List those whom somebody knows of by the memories they may hear."""
    from confide.reading import read_entity

    given.settings()
    me = read_entity(asker, "asker")
    found = with_memory(given, lambda confide: confide.people.known(me))
    if given.as_json:
        shown = [{"entity": str(one.entity), "name": one.display_name} for one in found]
        say_json({"people": shown, "count": len(shown)})
    elif not found:
        say("Nobody is known here.")
    for one in found if not given.as_json else ():
        say(f"{one.entity}  {harmless(one.display_name or '')}".rstrip())


def show(given: Given, who: Who, asker: As) -> None:
    """Show what somebody may know of a person."""
    from confide.reading import read_entity

    given.settings()
    one, me = read_entity(who, "people"), read_entity(asker, "asker")
    found = with_memory(given, lambda confide: confide.people.show(one, asker=me))
    if given.as_json:
        say_json(_person_as_json(found))
        return
    say(f"{found.entity}  {harmless(found.display_name or '')}".rstrip())
    for name in found.aliases:
        say(f"  you call them {harmless(name)}")
    for r in found.relationships:
        said = faint(f"  {r.said_by} said so, memory {r.memory_id}")
        say(f"  {r.entity} is {harmless(r.relation)} {r.other}{said}")
    for platform, account in found.accounts:
        say(f"  account {harmless(platform)}:{harmless(account)}")


def name_(
    given: Given, who: Who, name: Annotated[str, typer.Argument(help="The name to show.")]
) -> None:
    """Say what somebody is called from now on."""
    from confide.reading import read_entity

    given.settings()
    one = read_entity(who, "people")
    with_memory(given, lambda confide: confide.world.name(one, name))
    if given.as_json:
        say_json({"entity": str(one), "name": name})
    else:
        say(f"{one} is called {harmless(name)} now.")


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
    from confide.actor import operator_as
    from confide.errors import InvalidInput
    from confide.reading import read_entity, read_memory_id

    given.settings()
    one = read_entity(who, "people")
    actor = operator_as(read_entity(acts, "asker") if acts else None)
    if sum(part is not None for part in (alias, relation, account)) != 1:
        raise InvalidInput("alias", "give one of --alias, --relation and --account")
    if relation is not None and (to is None or memory is None):
        raise InvalidInput("relation", "needs --to and the --memory that says so")
    other = read_entity(to, "to") if to else None
    id = read_memory_id(memory) if memory else None
    platform, colon, account_id = (account or "").partition(":")
    if account is not None and not (colon and account_id):
        raise InvalidInput("account", "is written PLATFORM:ID, for example discord:1234")

    async def linked(confide: Any) -> None:
        if alias is not None:
            await confide.people.alias(one, alias, actor=actor)
        elif relation is not None:
            await confide.people.relate(one, relation, other, id, actor=actor)
        else:
            await confide.people.prove(one, platform, account_id, actor=actor)

    with_memory(given, linked)
    what = "alias" if alias is not None else "relationship" if relation is not None else "account"
    if given.as_json:
        say_json({"entity": str(one), "linked": what})
    else:
        say(f"Linked: {what} of {one}.")


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
    from confide.actor import operator_as
    from confide.errors import InvalidInput
    from confide.reading import read_entity

    given.settings()
    me = read_entity(acts, "asker") if acts else None
    actor = operator_as(me)
    if lists:
        found = with_memory(given, lambda confide: confide.people.merges(me))
    elif confirm is not None:
        id = _read_id(confirm)
        found = [with_memory(given, lambda confide: confide.people.confirm_merge(id, actor=actor))]
    else:
        if len(who or ()) != 2 or not because:
            raise InvalidInput("people", "name two identities, and --because with the evidence")
        one, other = (read_entity(name, "people") for name in who or ())
        why = because
        found = [
            with_memory(
                given, lambda confide: confide.people.propose_merge(one, other, why, actor=actor)
            )
        ]
    _show_merges(given, found)


def split(
    given: Given, merge_id: Annotated[str, typer.Argument(metavar="ID")], acts: Acts = None
) -> None:
    """Undo a merge, or refuse a proposed one."""
    from confide.actor import operator_as
    from confide.reading import read_entity

    given.settings()
    actor = operator_as(read_entity(acts, "asker") if acts else None)
    id = _read_id(merge_id)
    with_memory(given, lambda confide: confide.people.split(id, actor=actor))
    if given.as_json:
        say_json({"merge": id, "split": True})
    else:
        say("They are two again.")


def guardian(
    given: Given,
    child: Annotated[str, typer.Argument(metavar="CHILD")],
    who: Annotated[str, typer.Argument(metavar="GUARDIAN")],
    end: Annotated[bool, typer.Option("--end", help="They confirm no longer.")] = False,
) -> None:
    """Register who confirms for a child. Only the operator does this."""
    from confide.actor import operator_as
    from confide.reading import read_entity

    given.settings()
    minor, adult = read_entity(child, "child"), read_entity(who, "guardian")

    async def registered(confide: Any) -> None:
        if end:
            await confide.consents.end_guardian(minor, adult, actor=operator_as())
        else:
            await confide.consents.register_guardian(minor, adult, actor=operator_as())

    with_memory(given, registered)
    if given.as_json:
        say_json({"child": str(minor), "guardian": str(adult), "ended": end})
    else:
        say(f"{adult} {'no longer confirms' if end else 'confirms'} for {minor}.")


def _read_id(written: str) -> Any:
    import uuid

    from confide.errors import NotFound

    try:
        return uuid.UUID(written)
    except ValueError:
        raise NotFound("there is no such proposal") from None


def _person_as_json(found: Person) -> dict[str, Any]:
    return {
        "entity": str(found.entity),
        "name": found.display_name,
        "aliases": list(found.aliases),
        "relationships": [
            {
                "entity": str(r.entity),
                "relation": r.relation,
                "other": str(r.other),
                "memory": r.memory_id,
                "said_by": str(r.said_by),
            }
            for r in found.relationships
        ],
        "accounts": [f"{platform}:{account}" for platform, account in found.accounts],
    }


def _merge_as_json(one: Merge) -> dict[str, Any]:
    return {
        "id": one.id,
        "one": str(one.one),
        "other": str(one.other),
        "evidence": one.evidence,
        "proposed_by": one.proposed_by,
        "confirmed_by": sorted(map(str, one.confirmed_by)),
        "confirmed": one.is_confirmed,
    }


def _show_merges(given: Given, found: list[Merge]) -> None:
    if given.as_json:
        say_json({"merges": [_merge_as_json(one) for one in found], "count": len(found)})
        return
    if not found:
        say("Nothing is proposed.")
    for one in found:
        waits = sorted(map(str, {one.one, one.other} - one.confirmed_by))
        state = f"waits for {', '.join(waits)}" if waits else "one person"
        say(f"{one.one} = {one.other}: {state}")
        say(faint(f"  {harmless(one.evidence)} · {one.id}"))
