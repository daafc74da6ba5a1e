"""`confide forget`, and `confide restore` for what was forgotten or backed up."""

from __future__ import annotations

import sys
import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from confide.surfaces.cli.given import Given, with_given
from confide.surfaces.cli.opened import call, with_memory
from confide.surfaces.cli.output import say, say_answer, say_json

if TYPE_CHECKING:
    from confide.actor import Actor
    from confide.keep.forgetting import Erased, Forgotten
    from confide.memories import Confide

FORGET_EXAMPLES = """\b
Examples:
    confide forget 5f0c… --as human:alice
    confide forget 5f0c… --as human:alice --now --yes
    confide forget --person human:alice --as human:alice
    confide forget --place group:crew --now --yes
    confide forget --source discord --as human:alice
    confide forget --source 6f1c… --as human:alice     a file, as `confide sources list` names it
    confide forget --all --now

\b
JSON: id, erased, undo_until; for more than one memory id, undo_until, counts, found, kept,
      is_erased
"""
RESTORE_EXAMPLES = """\b
Examples:
    confide restore 5f0c… --as human:alice         what was forgotten less than a day ago
    confide restore monday.confide                 a backup, into an empty store
    confide restore monday.confide --replace --yes
    age -d -i key.txt monday.confide.age | confide restore -

\b
JSON: id, restored; a backup: agents, rows, replayed, made_at
"""
Whose = Annotated[
    str | None,
    typer.Option(
        "--as",
        metavar="ENTITY",
        help="Who wants it: its owner, its speaker, or whom it is about. Nobody: who runs the agent.",
    ),
]
Now = Annotated[
    bool, typer.Option("--now", help="Erase it at once and everywhere; there is no way back.")
]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]
Person = Annotated[
    str | None, typer.Option("--person", metavar="ENTITY", help="All that is somebody's.")
]
At = Annotated[
    str | None, typer.Option("--place", metavar="PLACE", help="All that was said in a place.")
]
Source = Annotated[
    str | None,
    typer.Option(
        "--source",
        metavar="SOURCE",
        help="All from a platform or a file (`confide sources`), or told by somebody.",
    ),
]
All = Annotated[bool, typer.Option("--all", help="All that the agent keeps.")]


def register(app: typer.Typer) -> None:
    app.command("forget", epilog=FORGET_EXAMPLES)(with_given(forget))
    app.command("restore", epilog=RESTORE_EXAMPLES)(with_given(restore))


def forget(
    given: Given,
    memory_id: Annotated[str | None, typer.Argument(metavar="ID", help="One memory.")] = None,
    asker: Whose = None,
    person: Person = None,
    place: At = None,
    source: Source = None,
    everything: All = False,
    now: Now = False,
    yes: Yes = False,
) -> None:
    """Never tell it again. For a day it can be restored, unless --now erases it.

    Shows how much would go and asks before more than one memory is forgotten.
    """
    actor = given.actor(asker, "asker")
    named = {"person": person, "place": place, "source": source}
    wanted: dict[str, Any] = {name: value for name, value in named.items() if value is not None}
    _require_one(memory_id, wanted, everything)
    if memory_id is not None:
        return _forget_one(given, memory_id, actor, now=now, yes=yes)
    if place is not None:
        wanted["place"] = _place(place, actor)
    if not yes:
        _show_and_ask(given, wanted, actor, now)
    if everything:
        done = with_memory(given, lambda confide: confide.erasure.everything(actor=actor, now=now))
    else:
        done = call(given, "erasure.erase", **wanted, actor=actor, now=now)
    if not say_answer(given, "erasure.erase", done):
        _tell(done)
    return None


def restore(
    given: Given,
    what: Annotated[
        str,
        typer.Argument(metavar="ID|FILE", help="What `forget` named, or a backup's file, or - ."),
    ],
    asker: Whose = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="A backup: drop what its agents keep here now.")
    ] = False,
    fingerprint: Annotated[
        str | None,
        typer.Option("--fingerprint", metavar="HEX", help="A backup: the one you noted down."),
    ] = None,
    yes: Yes = False,
) -> None:
    """Undo a `forget` that was not --now, or bring back a backup."""
    given.settings()
    try:
        id = uuid.UUID(what)
    except ValueError:
        if what == "-" or "." in what or "/" in what or Path(what).exists():
            from confide.surfaces.cli.backup import restore_file
            from confide.surfaces.cli.remote import refuse

            if given.server() is not None:
                refuse("restore FILE")
            return restore_file(
                given, Path(what), replaces=replace, fingerprint=fingerprint, yes=yes
            )
        from confide.errors import NotFound

        raise NotFound("there is no such memory") from None
    actor = given.actor(asker, "asker")
    count = with_memory(given, lambda confide: _restore(confide, id, actor))
    if given.as_json:
        say_json({"id": id, "restored": True} | ({"memories": count} if count > 1 else {}))
    else:
        say("Restored." if count == 1 else f"Restored {count} memories.")
    return None


async def _restore(confide: Confide, id: uuid.UUID, actor: Actor) -> int:
    from confide.errors import NotFound

    try:
        return await confide.erasure.restore(id, actor=actor)
    except NotFound:  # it may have been put away rather than forgotten
        await confide.restore(id, actor=actor)
        return 1


def as_json(done: Forgotten) -> dict[str, object]:
    return {"id": done.memory_id, "erased": done.is_erased, "undo_until": done.undo_until}


def ask_first(question: str, yes: bool) -> None:
    """Nothing that cannot be undone happens by accident."""
    from confide.errors import InvalidInput

    if yes:
        return
    if sys.stdin is None or not sys.stdin.isatty():
        raise InvalidInput("yes", "nobody can be asked here, so this needs --yes")
    typer.confirm(question, abort=True, err=True)


def _require_one(memory_id: str | None, wanted: dict[str, str], everything: bool) -> None:
    from confide.errors import InvalidInput

    if (memory_id is not None) + len(wanted) + everything != 1:
        raise InvalidInput(
            "id", "name one thing to forget: an ID, --person, --place, --source or --all"
        )


def _forget_one(given: Given, memory_id: str, actor: Actor, *, now: bool, yes: bool) -> None:
    from confide.reading import read_memory_id

    id = read_memory_id(memory_id)
    if not yes and (now or (sys.stdin is not None and sys.stdin.isatty())):
        ask_first("Erase it for good?" if now else "Forget it?", yes)
    done = with_memory(given, lambda confide: confide.forget(id, actor=actor, now=now))
    if given.as_json:
        say_json(as_json(done))
    elif done.undo_until is None:
        say("Forgotten. Nothing of it is left; every table was looked through.")
    else:
        say(
            f"Forgotten. `confide restore` brings it back until {done.undo_until:%Y-%m-%d %H:%M} UTC."
        )


def _place(written: str, actor: Actor) -> Any:
    from confide.errors import InvalidInput
    from confide.model import Entity
    from confide.reading import read_place

    if written == "dm" and actor.entity is None:
        raise InvalidInput("asker", "whose dm? say --as, for example --as human:alice")
    return read_place(written, actor.entity or Entity("human", "nobody"))


def _show_and_ask(given: Given, wanted: dict[str, Any], actor: Actor, now: bool) -> None:
    if wanted:
        counts = call(given, "erasure.count", **wanted, actor=actor)
    else:
        from confide.store.erasing import Target

        counts = with_memory(given, lambda confide: confide.erasure.preview(Target(), actor=actor))
    if not given.as_json:
        typer.echo(_words(counts), err=True)
    ask_first("Erase all of it for good?" if now else "Forget all of it?", False)


def _tell(done: Erased) -> None:
    if done.undo_until is not None:
        say(f"Forgotten: {_words(done.counts)}.")
        say(
            f"`confide restore {done.id}` brings it back until {done.undo_until:%Y-%m-%d %H:%M} UTC."
        )
        return
    say(f"Erased: {_words(done.counts)}.")
    say(f"Looked again in {len(done.found)} tables and found nothing.")
    if done.kept:
        say(f"Kept on purpose (docs/erasure.md): {_words(done.kept)}.")
    say("`confide db scrub` removes it from the files as well.")


def _words(counts: dict[str, int]) -> str:
    told = [f"{name.replace('_', ' ')} {count:,}" for name, count in counts.items() if count]
    return ", ".join(told) or "nothing"
