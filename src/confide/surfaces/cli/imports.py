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
    from confide.keep.imported import Imported, Preview
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
JSON: format, messages, people [name, messages, is_you], rooms, in_rooms [room, messages], levels {level: messages}, first, last,
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

    def bring(confide: Confide) -> Awaitable[Preview | Imported]:
        if dry_run:
            return _look(confide, files, format, given, names=names, has_rooms=within is None)
        return _take(confide, files, format, given, importer=me, names=names, namespace=within)

    _say({"format": format.name} | with_memory(given, bring).as_dict(), given)


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

    _say(with_memory(given, send), given)


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
    confide: Confide, files: Files, format: Format, given: Given, **fields: Any
) -> Preview:
    with _counting("reading", None, given) as advance:
        return confide.imports.preview(files, format, lambda: advance(1), **fields)


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


def _say(found: dict[str, Any], given: Given) -> None:
    """What would come in, or what did."""
    if given.as_json:
        say_json(found)
        return
    _tell(found)
    if "sample" in found:
        _tell_preview(found)
        return
    say(f"{found['new']} messages are new, {found['known']} were known already.")
    if found["new"]:
        say("Learning goes on in `confide worker`.")
    say(faint(f"`confide forget --source {found['batch']['id']}` takes it out again."))


def _tell_preview(found: dict[str, Any]) -> None:
    sample = found["sample"]
    kinds, careful = (
        ", ".join(f"{count} {what}" for what, count in sample[of].items())
        for of in ("kinds", "sensitivity")
    )
    for room in found["in_rooms"][:SHOWN]:
        say(f"  in {harmless(room['room'])}: {room['messages']}")
    say(f"Of {sample['messages']} messages looked at closely: {kinds or 'nothing to remember'}.")
    if careful:
        say(f"How careful they are told: {careful}.")
    if sample["refused"] or sample["waiting"]:
        say(
            f"{sample['refused']} hold a credential and are refused;"
            f" {sample['waiting']} wait for review."
        )
    if found["dollars"] is not None:
        say(f"Learning from it with a language model costs about ${found['dollars']:.2f}.")
    say(faint(f"Importing takes about {found['seconds']} seconds, learning from it longer."))


def _tell(found: dict[str, Any]) -> None:
    first, last, rooms = found["first"], found["last"], found["rooms"]
    said = f", {first[:10]} to {last[:10]}" if first and last else ""
    room = f"{rooms} room{'' if rooms == 1 else 's'}"
    say(f"{found['format']}: {found['messages']} messages in {room}{said}.")
    alone, listed = (found["levels"].get(level, 0) for level in ("dm", "group"))
    if alone:
        say(f"  {alone} for you alone (dm)")
    if listed:
        say(f"  {listed} in rooms whose members the file lists (group)")
    for one in found["people"][:SHOWN]:
        say(f"  {harmless(one['name'])}{' (you)' if one['is_you'] else ''}: {one['messages']}")
    for reason, count in found["left_out"].items():
        say(f"{count} left out: {reason}.")
    for problem in found["wrong"][:SHOWN]:
        say(f"Cannot be read: {harmless(problem)}")
    if found["wrong_count"] > SHOWN:
        say(f"and {found['wrong_count'] - SHOWN} more.")
