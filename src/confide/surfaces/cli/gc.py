"""`confide gc`: put away what ended, and clear what was put away long ago."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from confide.surfaces.cli.given import Given, with_given
from confide.surfaces.cli.opened import tell
from confide.surfaces.cli.output import faint, say

if TYPE_CHECKING:
    from confide.keep.gc import Collected

EXAMPLES = """\b
Examples:
    confide gc --preview
    confide gc

\b
JSON: expired, over_quota, cleared, tellings, raw_messages, erasures
"""
Preview = Annotated[
    bool, typer.Option("--preview", "--dry-run", help="Only say what would be done.")
]
IN_WORDS = {
    "expired": "memories archived, their time was over",
    "over_quota": "memories archived, their owner has too many",
    "cleared": "memories gone for good, archived or replaced long ago",
    "tellings": "entries taken out of the access log",
    "raw_messages": "raw messages purged",
    "erasures": "erasures made final",
}


def register(app: typer.Typer) -> None:
    app.command("gc", epilog=EXAMPLES)(with_given(gc))


def gc(given: Given, preview: Preview = False) -> None:
    """Archive what ended or is over the quota, and clear what was archived long ago.

    An open program does this at start and daily (CONFIDE_AUTO_GC). What is archived can be restored
    for 30 days (CONFIDE_ARCHIVE_DAYS) with `confide restore`.
    """

    def progress(part: str, done: int) -> None:
        if not given.as_json:
            typer.echo(faint(f"{part}: {done}"), err=True)

    def show(found: Collected) -> None:
        for name, words in IN_WORDS.items():
            if count := getattr(found, name):
                say(f"{count:>7}  {words}")
        if found.is_nothing:
            say("Nothing is to be done.")
        elif preview:
            say(faint("Nothing was changed yet."))

    actor = given.actor()
    tell(given, "upkeep.gc", show, preview=preview, actor=actor, progress=progress)
