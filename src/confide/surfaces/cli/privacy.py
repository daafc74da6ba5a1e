"""`confide privacy`: what somebody decided about their own memories."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from confide.surfaces.cli.given import Given, with_given
from confide.surfaces.cli.opened import with_memory
from confide.surfaces.cli.options import Workspace
from confide.surfaces.cli.output import say, say_json

if TYPE_CHECKING:
    from confide.keep.fading import Archived
    from confide.keep.opting import PrivacyState

STATUS = """\b
Example:
    confide privacy status --as human:alice

\b
JSON: entity, opted_out, global_only, since, archived [because, memories, until]
"""
OUT = """\b
Examples:
    confide privacy opt-out --as human:alice
    confide privacy opt-out --global --as human:alice

\b
JSON: entity, opted_out, global_only, since
"""
IN = """\b
Example:
    confide privacy opt-in --as human:alice

\b
JSON: entity, opted_out, global_only, since
"""
EXPORT = """\b
Examples:
    confide privacy export --as human:alice --out alice-export
    confide privacy export --as human:alice --source discord --out from-discord
    confide privacy export --as human:alice --namespace thesis --out thesis-export

\b
JSON: entity, folder, files {name: {bytes, sha256}}, counts
"""
DELETE = """\b
Examples:
    confide privacy delete --as human:alice --yes
    confide privacy delete --as human:alice --now --yes

\b
JSON: entity, id, erased, undo_until, counts
"""
Whose = Annotated[str, typer.Option("--as", metavar="ENTITY", help="Whose memories.")]


def register(app: typer.Typer) -> None:
    privacy = typer.Typer(
        help="Your own decisions and data: opt out or back in, export, delete.",
        no_args_is_help=True,
    )
    privacy.command("status", epilog=STATUS)(with_given(status))
    privacy.command("opt-out", epilog=OUT)(with_given(opt_out))
    privacy.command("opt-in", epilog=IN)(with_given(opt_in))
    privacy.command("export", epilog=EXPORT)(with_given(export))
    privacy.command("delete", epilog=DELETE)(with_given(delete))
    app.add_typer(privacy, name="privacy")


def status(given: Given, whose: Whose) -> None:
    """Say what somebody decided."""
    _decide(given, whose, None)


def opt_out(
    given: Given,
    whose: Whose,
    is_global_only: Annotated[
        bool, typer.Option("--global", help="Only what follows you into every place.")
    ] = False,
) -> None:
    """Stop keeping and telling what is yours, at once.

    What others said about you is told to those who said it, alone, and to nobody else.
    """

    async def out(confide: Any, who: Any, actor: Any) -> None:
        await confide.rights.opt_out(who, actor=actor, is_global_only=is_global_only)

    _decide(given, whose, out)


def opt_in(given: Given, whose: Whose) -> None:
    """Be remembered again."""

    async def back(confide: Any, who: Any, actor: Any) -> None:
        await confide.rights.opt_in(who, actor=actor)

    _decide(given, whose, back)


def export(
    given: Given,
    whose: Whose,
    out: Annotated[
        str, typer.Option("--out", metavar="FOLDER", help="A new or empty folder for the files.")
    ],
    source: Annotated[
        str | None,
        typer.Option(
            "--source",
            metavar="SOURCE",
            help="Only from a platform or a file (`confide sources`), or told by somebody.",
        ),
    ] = None,
    namespace: Workspace = None,
) -> None:
    """Write all that is kept of you into a folder: as JSON, for reading, and a manifest.

    Your own words are in it in full, of all workspaces or of one and what it lies in; of what others
    said about you, what you may hear.
    """
    from confide.actor import operator_as
    from confide.reading import read_entity, read_namespace
    from confide.surfaces.cli.folders import new_folder, write_private

    given.settings()
    who = read_entity(whose, "asker")
    folder = new_folder(out)
    narrowed: dict[str, Any] = {"source": source} if source is not None else {}
    if namespace is not None:
        narrowed["namespace"] = read_namespace(namespace)
    done = with_memory(
        given, lambda confide: confide.rights.export(who, actor=operator_as(who), **narrowed)
    )
    for name, body in done.files.items():
        write_private(folder / name, body)
    if given.as_json:
        say_json(
            {
                "entity": str(who),
                "folder": str(folder),
                "files": done.manifest["files"],
                "counts": done.manifest["counts"],
            }
        )
    else:
        counts = done.manifest["counts"]
        say(
            f"Wrote {', '.join(sorted(done.files))} to {folder}: {counts['memories']} memories, "
            f"{counts['said_about_you']} that others said about you."
        )


def delete(
    given: Given,
    whose: Whose,
    now: Annotated[
        bool, typer.Option("--now", help="Erase it at once and everywhere; there is no way back.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Forget all that is yours: memories, messages, names, consents, and what you may hear that
    others said about you. For a day `confide restore` brings it back, unless --now erases it."""
    from confide.actor import operator_as
    from confide.reading import read_entity
    from confide.surfaces.cli.forget import ask_first

    given.settings()
    who = read_entity(whose, "asker")
    ask_first(f"Forget all that is of {who}?", yes)
    done = with_memory(
        given, lambda confide: confide.rights.delete(who, actor=operator_as(who), now=now)
    )
    if given.as_json:
        say_json(
            {
                "entity": str(who),
                "id": done.id,
                "erased": done.is_erased,
                "undo_until": done.undo_until,
                "counts": done.counts,
            }
        )
    elif done.undo_until is None:
        say("Forgotten. Nothing is left; every table was looked through.")
    else:
        say(
            f"Forgotten. `confide restore {done.id}` brings it back until {done.undo_until:%H:%M} UTC."
        )


def _decide(given: Given, whose: str, act: Any) -> None:
    from confide.actor import operator_as
    from confide.reading import read_entity

    given.settings()
    who = read_entity(whose, "asker")

    async def acted(confide: Any) -> tuple[PrivacyState, list[Archived]]:
        if act is not None:
            await act(confide, who, operator_as(who))
        return await confide.rights.state(who), await confide.fading.archived(who)

    found, archived = with_memory(given, acted)
    if given.as_json:
        say_json(
            {
                "entity": str(who),
                "opted_out": found.is_opted_out,
                "global_only": found.is_global_only,
                "since": found.since,
                "archived": [
                    {"because": one.because, "memories": one.memories, "until": one.until}
                    for one in archived
                ],
            }
        )
        return
    if not found.is_opted_out:
        say(f"{who} has not opted out.")
    elif found.is_global_only:
        say(f"{who} opted out of what follows them everywhere, since {found.since:%Y-%m-%d}.")
    else:
        say(f"{who} opted out, since {found.since:%Y-%m-%d}. Nothing of theirs is kept or told.")
    for one in archived:
        why = "there are too many" if one.because == "quota" else "their time was over"
        say(
            f"{one.memories} memories are archived, because {why}."
            f" `confide restore ID` brings one back; the first goes on {one.until:%Y-%m-%d}."
        )
