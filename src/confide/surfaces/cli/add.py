"""`confide add`: give a conversation as a chat program writes it, and see what was remembered."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from confide.surfaces.cli.given import Given, with_given
from confide.surfaces.cli.opened import with_memory
from confide.surfaces.cli.options import In, With, Workspace
from confide.surfaces.cli.output import faint, harmless, say, say_json

if TYPE_CHECKING:
    from confide.remember.adding import Added
    from confide.store.turns import Noted

EXAMPLES = """\b
Examples:
    echo '[{"role": "user", "content": "I live in Ghent"}]' |
        confide add - --by human:alice --in dm
    confide add chat.json --in group:tea --who Anna=human:anna --who Ben=human:ben

\b
JSON: remembered [{id, text, kind}], waits [{id, text, kind, because}],
    refused [{number, because}], known, is_learned
"""
FileName = Annotated[
    str,
    typer.Argument(
        metavar="FILE",
        help='A list of {"role", "content"} in JSON, or one of them a line; - is standard input.',
    ),
]
By = Annotated[
    str | None,
    typer.Option("--by", metavar="ENTITY", help="Who said what names nobody."),
]
Names = Annotated[
    list[str] | None,
    typer.Option("--who", metavar="NAME=ENTITY", help="Whose a name is. Can be repeated."),
]


def register(app: typer.Typer) -> None:
    app.command("add", epilog=EXAMPLES)(with_given(add))


def add(
    given: Given,
    file: FileName,
    place: In,
    by: By = None,
    present: With = None,
    names: Names = None,
    namespace: Workspace = None,
) -> None:
    """Learn from a conversation at once.

    Use it after something was said, with the whole conversation or its last messages: only what is
    new is learned from. Each message has a role (user, assistant; system and tool are left out) and
    a content, and may have by, name, at and id. Prints what was remembered, what waits for review
    and why, and what was refused.
    """
    given.settings()
    messages, people = _read(file), _people(names or [])
    done = with_memory(
        given,
        lambda confide: confide.add(
            messages, by=by, place=place, present=present or [], people=people or None,
            namespace=namespace,
        ),
    )  # fmt: skip
    if given.as_json:
        say_json(_written(done))
        return
    for one in done.remembered:
        say(f"Remembered: {harmless(one.text)}  {faint(str(one.memory_id))}")
    for one in done.waits:
        say(f"Waits: {harmless(one.text)}  {faint(f'{one.waits_because}; {one.memory_id}')}")
    for one in done.refused:
        say(f"Message {one.number + 1} was not kept: {one.because}.")
    if not (done.remembered or done.waits or done.refused):
        say("Nothing new to remember.")
    if not done.is_learned:
        say("The language model is away; learning goes on when it answers.")


def _read(file: str) -> list[Any]:
    import json

    from confide.errors import InvalidInput

    try:
        text = sys.stdin.read() if file == "-" else open(file, encoding="utf-8").read()  # noqa: SIM115
    except (OSError, UnicodeDecodeError) as problem:
        why = getattr(problem, "strerror", None) or "it is no text"
        raise InvalidInput("FILE", f"cannot be read ({why}); check its name") from None
    try:
        found = json.loads(text)
    except ValueError:
        try:
            return [json.loads(line) for line in text.splitlines() if line.strip()]
        except ValueError:
            raise InvalidInput("FILE", 'is no JSON; write [{"role": …, "content": …}]') from None
    if isinstance(found, dict):
        found = cast("dict[str, Any]", found).get("messages", found)
    return cast("list[Any]", found) if isinstance(found, list) else [found]


def _people(written: list[str]) -> dict[str, str]:
    from confide.errors import InvalidInput

    people: dict[str, str] = {}
    for one in written:
        name, equals, entity = one.rpartition("=")
        if not (name and equals):
            raise InvalidInput("who", f"{one!r} is no NAME=ENTITY; write Anna=human:anna")
        people[name] = entity
    return people


def _written(done: Added) -> dict[str, Any]:
    def one(noted: Noted) -> dict[str, Any]:
        return {"id": noted.memory_id, "text": noted.text, "kind": noted.kind.value}

    return {
        "remembered": [one(noted) for noted in done.remembered],
        "waits": [one(noted) | {"because": noted.waits_because} for noted in done.waits],
        "refused": [{"number": r.number, "because": r.because} for r in done.refused],
        "known": done.known,
        "is_learned": done.is_learned,
    }
