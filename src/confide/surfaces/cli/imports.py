"""`confide import`: chats of other programs, brought along."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from confide.surfaces.cli.given import Given, with_given
from confide.surfaces.cli.opened import with_memory
from confide.surfaces.cli.options import Workspace
from confide.surfaces.cli.output import faint, harmless, say, say_json
from confide.surfaces.cli.progress import Reached, progress

if TYPE_CHECKING:
    from confide.imports import Files, Format
    from confide.keep.imports import Imported, Preview, Tally
    from confide.memories import Confide
    from confide.model import Entity

EXAMPLES = """\b
Examples:
    confide import chatgpt-export.zip --as human:me --dry-run
    confide import chatgpt-export.zip --as human:me
    confide import "WhatsApp Chat with Anna.txt" --as human:me --map "Me"=human:me
    confide import result.json --as human:me --map "Anna M."=human:discord.42
    confide import notes.md --as human:me --namespace thesis

\b
JSON: format, messages, people [name, messages], rooms, in_rooms [room, messages], levels {level: messages}, first, last,
    left_out {reason: count}, wrong [text], wrong_count; with --dry-run also sample {messages, kinds,
    sensitivity, refused, waiting}, seconds, dollars; else new, known, batch {id, known, resumed}
"""
SHOWN: Final = 20
FileName = Annotated[
    Path, typer.Argument(metavar="FILE", help="A file, a folder or a zip, as the program gave it.")
]
Whose = Annotated[str, typer.Option("--as", metavar="ENTITY", help="Whose chats these are: you.")]
From = Annotated[
    str | None,
    typer.Option(
        "--from", metavar="FORMAT", help="Which program; without it the file is looked at."
    ),
]
Map = Annotated[
    list[str] | None,
    typer.Option(
        "--map",
        metavar="NAME=ENTITY",
        help="Who is who. Remembered. Somebody else hears nothing by it until they confirm it"
        " (`confide people claims`).",
    ),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show what would come in; store nothing.")]


def register(app: typer.Typer) -> None:
    app.command("import", epilog=EXAMPLES)(with_given(import_))


def import_(
    given: Given,
    file: FileName,
    whose: Whose,
    from_: From = None,
    map_: Map = None,
    dry_run: DryRun = False,
    namespace: Workspace = None,
    as_it_was: Annotated[
        bool,
        typer.Option(
            "--as-it-was", help="The operator's: a confide export back in, with every field kept."
        ),
    ] = False,
) -> None:
    """Bring chats along from ChatGPT, Claude, Gemini, Discord, Slack, Telegram, WhatsApp, mem0,
    JSON Lines, Markdown or plain text.

    What a file holds is told to its importer alone, whoever said it: a file proves nothing about who
    is in a live room. Rooms whose members it lists (Slack) are told also to those members who
    confirmed who they are. Giving a file again, or a newer export of the same chats, adds only what
    is new; one that was cut off goes on. Learning goes on in `confide worker`.
    """
    from confide.imports import open_files, recognise
    from confide.reading import read_entity, read_namespace

    given.settings()
    me, within = read_entity(whose, "as"), read_namespace(namespace)
    names = read_names(map_ or ())
    if as_it_was:
        _bring_back(given, file, me)
        return
    if given.server() is not None:
        _send(given, file, importer=me, names=names, format=from_, namespace=within, dry=dry_run)
        return
    files = open_files(file)
    format = recognise(files, from_)
    if dry_run:
        preview = with_memory(given, lambda confide: _look(confide, files, format, given, names))
        _tell_preview(preview, format.name, given)
        return

    def bring(confide: Confide) -> Awaitable[Imported]:
        return _take(confide, files, format, given, importer=me, names=names, namespace=within)

    done = with_memory(given, bring)
    _tell_done(done, format.name, given)


def _send(given: Given, file: Path, *, dry: bool, **fields: Any) -> None:
    """To a server, which says how far it got."""
    from confide.errors import InvalidInput

    if not file.is_file():
        raise InvalidInput("file", "a server takes one file; pack a folder into a zip")

    async def send(confide: Any) -> dict[str, Any]:
        with ExitStack() as bars:
            sending = bars.enter_context(progress("sending", is_quiet=given.as_json, is_bytes=True))
            importing: Reached | None = None

            def each(done: int, total: int) -> None:
                nonlocal importing
                if importing is None:  # one bar at a time
                    bars.close()
                    importing = bars.enter_context(progress("importing", is_quiet=given.as_json))
                importing(done, total)

            return await confide.imports.bring(
                file, is_dry_run=dry, sent=sending, each=each, **fields
            )

    done = with_memory(given, send)
    if given.as_json:
        say_json(done)
        return
    say(f"{done['format']}: {done['messages']} messages in {_rooms(done['rooms'])}.")
    for problem in done["wrong"][:SHOWN]:
        say(f"Cannot be read: {harmless(problem)}")
    if not dry:
        say(f"{done['new']} messages are new, {done['known']} were known already.")


def _bring_back(given: Given, file: Path, whose: Entity) -> None:
    import json

    from confide.actor import operator_as
    from confide.errors import InvalidInput

    try:
        text = file.read_text("utf-8")
        lines = [json.loads(line) for line in text.splitlines() if line.strip()]
    except (OSError, ValueError):
        raise InvalidInput("file", "is no JSON Lines of `confide export`") from None
    if not all(isinstance(line, dict) for line in lines):
        raise InvalidInput("file", "is no JSON Lines of `confide export`")
    done = with_memory(
        given, lambda confide: confide.imports.bring_back(lines, whose, actor=operator_as())
    )
    if given.as_json:
        say_json({"new": done.new, "known": done.known})
    else:
        say(f"{done.new} memories are back as they were, {done.known} were known already.")


def read_names(written: list[str] | tuple[str, ...]) -> dict[str, Entity]:
    from confide.errors import InvalidInput
    from confide.reading import read_entity

    names: dict[str, Entity] = {}
    for one in written:
        name, equals, entity = one.rpartition("=")
        if not equals or not name.strip():
            raise InvalidInput(
                "map", f'{one!r} is not NAME=ENTITY, for example "Anna M."=human:anna'
            )
        names[name] = read_entity(entity, "map")
    return names


@contextmanager
def _counting(
    what: str, total: int | None, given: Given
) -> Generator[Callable[[int], None], None, None]:
    """For who says how many came, not how many there are by now."""
    done = 0
    with progress(what, is_quiet=given.as_json) as reached:

        def advance(by: int) -> None:
            nonlocal done
            done += by
            reached(done, total)

        yield advance


async def _look(
    confide: Confide, files: Files, format: Format, given: Given, names: dict[str, Entity]
) -> Preview:
    with _counting("reading", None, given) as advance:
        return confide.imports.preview(files, format, lambda: advance(1), names=names)


async def _take(
    confide: Confide, files: Files, format: Format, given: Given, *, importer: Entity, **fields: Any
) -> Imported:
    from confide.actor import operator_as

    with _counting("reading", None, given) as advance:
        looked = confide.imports.look(files, format, lambda: advance(1))
    actor = operator_as(importer)
    with _counting("importing", looked.messages, given) as advance:
        return await confide.imports.take(
            files, format, importer=importer, actor=actor, looked=looked, each=advance, **fields
        )


def _tell_preview(preview: Preview, format: str, given: Given) -> None:
    tally = preview.tally
    if given.as_json:
        sample = {
            "messages": preview.sampled,
            "kinds": dict(preview.kinds),
            "sensitivity": dict(preview.sensitivity),
            "refused": preview.refused,
            "waiting": preview.waiting,
        }
        after = {"sample": sample, "seconds": preview.seconds, "dollars": preview.dollars}
        say_json(as_json(tally, format) | after)
        return
    _tell(tally, format, is_preview=True)
    kinds = ", ".join(f"{count} {kind}" for kind, count in preview.kinds.most_common())
    careful = ", ".join(f"{count} {level}" for level, count in preview.sensitivity.most_common())
    say(f"Of {preview.sampled} messages looked at closely: {kinds or 'nothing to remember'}.")
    if careful:
        say(f"How careful they are told: {careful}.")
    if preview.refused or preview.waiting:
        say(
            f"{preview.refused} hold a credential and are refused; {preview.waiting} wait for review."
        )
    if preview.dollars is not None:
        say(f"Learning from it with a language model costs about ${preview.dollars:.2f}.")
    say(faint(f"Importing takes about {preview.seconds} seconds, learning from it longer."))


def _tell_done(done: Imported, format: str, given: Given) -> None:
    if given.as_json:
        batch = {
            "id": done.batch.id,
            "known": done.batch.is_known,
            "resumed": done.batch.is_resumed,
        }
        say_json(
            as_json(done.tally, format) | {"new": done.new, "known": done.known, "batch": batch}
        )
        return
    _tell(done.tally, format)
    say(f"{done.new} messages are new, {done.known} were known already.")
    if done.new:
        say("Learning goes on in `confide worker`.")
    say(faint(f"`confide forget --source {done.batch.id}` takes it out again."))


def _tell(tally: Tally, format: str, *, is_preview: bool = False) -> None:
    said = "" if tally.first is None or tally.last is None else (
        f", {tally.first:%Y-%m-%d} to {tally.last:%Y-%m-%d}"
    )  # fmt: skip
    say(f"{format}: {tally.messages} messages in {_rooms(len(tally.rooms))}{said}.")
    alone, listed = tally.levels["dm"], tally.levels["group"]
    if alone:
        say(f"  {alone} for you alone (dm)")
    if listed:
        say(f"  {listed} in rooms whose members the file lists (group)")
    for key, count in tally.said_by.most_common(SHOWN):
        one = tally.people[key]
        say(f"  {harmless(one.name)}{' (you)' if one.is_importer else ''}: {count}")
    for room, count in tally.rooms.most_common(SHOWN) if is_preview else ():
        say(f"  in {harmless(room)}: {count}")
    for reason, count in tally.left_out.most_common():
        say(f"{count} left out: {reason}.")
    for one in tally.wrong[:SHOWN]:
        say(f"Cannot be read: {harmless(str(one))}")
    if tally.wrong_count > SHOWN:
        say(f"and {tally.wrong_count - SHOWN} more.")


def _rooms(count: int) -> str:
    return f"{count} room{'' if count == 1 else 's'}"


def as_json(tally: Tally, format: str) -> dict[str, Any]:
    return {
        "format": format,
        "messages": tally.messages,
        "people": [
            {"name": tally.people[key].name, "messages": count}
            for key, count in tally.said_by.most_common()
        ],
        "rooms": len(tally.rooms),
        "in_rooms": [{"room": one, "messages": n} for one, n in tally.rooms.most_common(1000)],
        "levels": dict(tally.levels),
        "first": tally.first,
        "last": tally.last,
        "left_out": dict(tally.left_out),
        "wrong": [str(one) for one in tally.wrong],
        "wrong_count": tally.wrong_count,
    }
