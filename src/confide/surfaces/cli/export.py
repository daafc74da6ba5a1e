"""`confide export`: one person's own memories as a file, to take elsewhere or to read."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from confide.surfaces.cli.given import Given, with_given
from confide.surfaces.cli.opened import with_memory
from confide.surfaces.cli.options import Workspace
from confide.surfaces.cli.output import faint, say, say_json

EXAMPLES = """\b
Examples:
    confide export --as human:alice --out alice.jsonl
    confide export --as human:alice --format markdown --out alice.md
    confide export --as human:alice --namespace thesis

\b
JSON: entity, file, memories
"""


class Written(StrEnum):
    JSONL = "jsonl"
    MARKDOWN = "markdown"


def register(app: typer.Typer) -> None:
    app.command("export", epilog=EXAMPLES)(with_given(export))


def export(
    given: Given,
    whose: Annotated[str, typer.Option("--as", metavar="ENTITY", help="Whose memories: yours.")],
    format: Annotated[
        Written, typer.Option("--format", help="jsonl: every field; markdown: for reading.")
    ] = Written.JSONL,
    out: Annotated[
        str | None, typer.Option("--out", metavar="FILE", help="Where to; else it is printed.")
    ] = None,
    source: Annotated[
        str | None,
        typer.Option("--source", metavar="SOURCE", help="Only from a platform, file or person."),
    ] = None,
    namespace: Workspace = None,
) -> None:
    """Write your own memories to a file. `confide privacy export` writes all that is kept of you.

    `confide import` takes the file in again as an import: scope, trust, speakers, consents and
    portability in it are claims. With --as-it-was the operator keeps every field.
    """
    import json

    from confide.actor import operator_as
    from confide.keep.exporting import as_lines
    from confide.reading import read_entity, read_namespace
    from confide.surfaces.cli.folders import write_private

    given.settings()
    who = read_entity(whose, "as")
    narrowed: dict[str, Any] = {"source": source} if source is not None else {}
    if namespace is not None:
        narrowed["namespace"] = read_namespace(namespace)
    done = with_memory(
        given, lambda confide: confide.rights.export(who, actor=operator_as(who), **narrowed)
    )
    kept = json.loads(done.files["export.json"])
    lines = as_lines(kept)
    text = lines if format is Written.JSONL else done.files["export.md"].decode()
    if out is not None:
        write_private(Path(out).expanduser(), text.encode())
    elif not given.as_json:
        typer.echo(text, nl=False)
        return
    count = lines.count("\n")
    if given.as_json:
        say_json({"entity": str(who), "file": out, "memories": count})
    else:
        say(faint(f"Wrote {count} memories to {out}."))
