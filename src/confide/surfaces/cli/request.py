"""`confide request`: what somebody wants done about what others said of them."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Annotated

import typer

from confide.surfaces.cli.given import Given, with_given
from confide.surfaces.cli.opened import with_memory
from confide.surfaces.cli.output import console, faint, harmless, say, say_json

if TYPE_CHECKING:
    from confide.keep.data_requests import DataRequest

ONE = "id, asker, what, memory, wanted, asked_at, due_at, answered_at, granted, reason"
ASK = """\b
Example:
    confide request {what} {more}--as human:bob

\b
JSON: {one}
"""
LIST = f"""\\b
Examples:
    confide request list
    confide request list --as human:bob --all

\\b
JSON: requests [{ONE}], count
"""
ANSWER = f"""\\b
Examples:
    confide request answer 5f0c… --grant --reason "Bob is right, nobody asked him"
    confide request answer 5f0c… --refuse --reason "it is needed for the safety of others"

\\b
JSON: {ONE}
"""
Whose = Annotated[str, typer.Option("--as", metavar="ENTITY", help="Whom it is about.")]
By = Annotated[
    str | None,
    typer.Option("--actor", metavar="ENTITY", help="The guardian who asks for them."),
]
Which = Annotated[
    str | None,
    typer.Option("--memory", metavar="ID", help="One memory; without it, all that others said."),
]
Why = Annotated[str | None, typer.Option("--reason", metavar="TEXT", help="Why you ask.")]


def register(app: typer.Typer) -> None:
    request = typer.Typer(
        help="Ask what happens with what others said about you, and answer those who ask.",
        no_args_is_help=True,
    )
    for what, more, command in (
        ("access", "", access),
        ("object", "--memory 5f0c… ", object_),
        ("correct", '5f0c… "Bob is a painter" ', correct),
        ("erase", "--memory 5f0c… ", erase),
    ):
        epilog = ASK.format(what=what, more=more, one=ONE)
        request.command(what, epilog=epilog)(with_given(command))
    request.command("list", epilog=LIST)(with_given(list_))
    request.command("answer", epilog=ANSWER)(with_given(answer))
    app.add_typer(request, name="request")


def access(given: Given, asker: Whose, actor: By = None, reason: Why = None) -> None:
    """Ask to be told what others said about you and you cannot hear."""
    _ask(given, "access", asker, actor, None, reason)


def object_(
    given: Given, asker: Whose, memory: Which = None, actor: By = None, reason: Why = None
) -> None:
    """Ask that what others said about you is told to nobody but whoever said it."""
    _ask(given, "object", asker, actor, memory, reason)


def correct(
    given: Given,
    memory: Annotated[str, typer.Argument(metavar="ID", help="The memory that is wrong.")],
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What is right.")],
    asker: Whose,
    actor: By = None,
) -> None:
    """Ask that a memory of somebody else's about you says something else."""
    _ask(given, "correct", asker, actor, memory, text)


def erase(
    given: Given, asker: Whose, memory: Which = None, actor: By = None, reason: Why = None
) -> None:
    """Ask that what others said about you is gone."""
    _ask(given, "erase", asker, actor, memory, reason)


def list_(
    given: Given,
    asker: Annotated[
        str | None,
        typer.Option("--as", metavar="ENTITY", help="Only theirs. Without it, the whole queue."),
    ] = None,
    with_answered: Annotated[
        bool, typer.Option("--all", help="Also those that were answered.")
    ] = False,
) -> None:
    """List what was asked, the most urgent first."""
    from confide.actor import operator_as
    from confide.reading import read_entity

    given.settings()
    who = read_entity(asker, "asker") if asker is not None else None
    found = with_memory(
        given,
        lambda confide: confide.data_requests.list(
            who, actor=operator_as(who), with_answered=with_answered
        ),
    )
    if given.as_json:
        say_json({"requests": [as_json(one) for one in found], "count": len(found)})
    elif not found:
        say("Nothing waits for an answer.")
    else:
        _table(found)


def answer(
    given: Given,
    request: Annotated[str, typer.Argument(metavar="ID", help="The id of the request.")],
    reason: Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why so.")],
    grants: Annotated[
        bool, typer.Option("--grant/--refuse", help="Yes takes effect at once; no changes nothing.")
    ],
) -> None:
    """Decide on a request, as the operator. Whoever asked reads the reason."""
    from confide.actor import operator_as

    given.settings()
    id = _read_id(request)
    done = with_memory(
        given,
        lambda confide: confide.data_requests.answer(
            id, grants=grants, reason=reason, actor=operator_as()
        ),
    )
    _say(given, done, "Granted." if grants else "Refused.")


def _ask(
    given: Given,
    what: str,
    asker: str,
    actor: str | None,
    memory: str | None,
    wanted: str | None,
) -> None:
    from confide.actor import operator_as
    from confide.keep.data_requests import Wanted
    from confide.reading import read_entity, read_memory_id

    given.settings()
    who = read_entity(asker, "asker")
    by = operator_as(read_entity(actor, "actor") if actor else who)
    id = read_memory_id(memory) if memory is not None else None
    asked = with_memory(
        given,
        lambda confide: confide.data_requests.ask(
            Wanted(what), who, actor=by, memory_id=id, wanted=wanted
        ),
    )
    _say(given, asked, f"Asked. An answer is due by {asked.due_at:%Y-%m-%d}.")


def _say(given: Given, one: DataRequest, words: str) -> None:
    if given.as_json:
        say_json(as_json(one))
    else:
        say(words)
        say(faint(f"id {one.id}"))


def _read_id(written: str) -> uuid.UUID:
    from confide.errors import NotFound

    try:
        return uuid.UUID(written)
    except ValueError:
        raise NotFound("there is no such request") from None


def as_json(one: DataRequest) -> dict[str, object]:
    return {
        "id": one.id,
        "asker": str(one.asker),
        "what": one.what.value,
        "memory": one.memory_id,
        "wanted": one.wanted,
        "asked_at": one.asked_at,
        "due_at": one.due_at,
        "answered_at": one.answered_at,
        "granted": one.is_granted,
        "reason": one.reason,
    }


def _table(found: list[DataRequest]) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("request", "asked by", "wants", "about", "due", "answer"):
        table.add_column(heading, overflow="fold")
    for one in found:
        said = f": {one.reason}" if one.reason else ""
        answered = {None: "waits", True: "granted", False: "refused"}[one.is_granted] + said
        wants = one.what.value + (f": {one.wanted}" if one.wanted else "")
        about = str(one.memory_id) if one.memory_id else "all that others said"
        table.add_row(
            str(one.id), harmless(str(one.asker)), harmless(wants), about,
            f"{one.due_at:%Y-%m-%d}", harmless(answered),
        )  # fmt: skip
    console().print(table)
