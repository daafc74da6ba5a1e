"""`confide report`: what is kept, in numbers."""

from __future__ import annotations

from datetime import timedelta
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from confide.surfaces.cli.given import Given, with_given
from confide.surfaces.cli.opened import call
from confide.surfaces.cli.options import Workspace
from confide.surfaces.cli.output import console, faint, say, say_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from confide.keep.reporting import Level, Overview

EXAMPLES = """\b
Examples:
    confide report
    confide report --out report.html
    confide report --as human:alice --out alice.svg
    confide report --as human:alice --namespace thesis

\b
JSON: made [day, scope, memories], everywhere [kind, memories, updated_at],
      metrics [name, part, whole, value], leaks {at, decisions, between_people, between_scopes}
      with --as: levels [scope, memories, updated_at], count
"""


def register(app: typer.Typer) -> None:
    app.command("report", epilog=EXAMPLES)(with_given(report))


def report(
    given: Given,
    asker: Annotated[
        str | None,
        typer.Option("--as", metavar="ENTITY", help="That person's own, as they may hear it."),
    ] = None,
    out: Annotated[
        str | None, typer.Option("--out", metavar="FILE", help="Write a chart: .svg or .html.")
    ] = None,
    days: Annotated[int, typer.Option("--days", min=1, max=366, help="How far back.")] = 30,
    namespace: Workspace = None,
) -> None:
    """Show memories by day and level, what is told everywhere, and how well it all works.

    With --as: one's own memories by level; with --namespace those of a workspace and of what it
    lies in. Counts only, whoever asks.
    """
    from confide.declare import answer_writer
    from confide.errors import InvalidInput
    from confide.verbs import verb_called

    file, actor = _file(out), given.actor(asker, "asker")
    if asker is None:
        if namespace is not None:
            raise InvalidInput("namespace", "workspaces are people's own; say whose with --as")
        name = "reports.overview"
        found = call(given, name, actor=actor, days=days)
        chart, tables = _by_day(found, days), _tables(found)
    else:
        name = "reports.of_person"
        found = call(given, name, who=actor.entity, actor=actor, namespace=namespace)
        chart, tables = _by_level(found), [_level_table(found)]
    told = answer_writer(verb_called(name))(found)
    if file is not None:
        _write(file, chart, tables)
    if given.as_json:
        say_json(told | ({"file": str(file)} if file else {}))
    else:
        _show(tables)
        if file is not None:
            say(faint(f"Wrote {file}."))


Table = tuple[str, tuple[str, ...], list[tuple[str, ...]]]  # title, headings, rows


def _file(out: str | None) -> Path | None:
    from confide.errors import InvalidInput

    if out is None:
        return None
    if not out.endswith((".svg", ".html")) or "\0" in out:
        raise InvalidInput("out", "ends with .svg or .html, for example report.html")
    return Path(out).expanduser()


def _write(file: Path, chart: str, tables: list[Table]) -> None:
    from confide.errors import InvalidInput

    body = chart if file.suffix == ".svg" else _html(chart, tables)
    try:
        file.write_text(body, encoding="utf-8")
    except OSError as problem:
        raise InvalidInput("out", f"cannot be written ({type(problem).__name__})") from None


def _by_day(found: Overview, days: int) -> str:
    from confide.surfaces.charts import stacked_bars

    if found.made:
        first, last = found.made[0].day, found.made[-1].day
        all_days = [first + timedelta(days=n) for n in range((last - first).days + 1)]
    else:
        all_days = []
    levels = sorted({one.scope.value for one in found.made})
    counts = {(one.day, one.scope.value): one.memories for one in found.made}
    series = {level: [counts.get((day, level), 0) for day in all_days] for level in levels}
    title = f"Memories made in the last {days} days, by level"
    return stacked_bars(title, [f"{day:%d.%m.}" for day in all_days], series)


def _by_level(levels: Sequence[Level]) -> str:
    from confide.surfaces.charts import stacked_bars

    names = [one.scope.value for one in levels]
    return stacked_bars(
        "Your memories by level", names, {"memories": [one.memories for one in levels]}
    )


def _tables(found: Overview) -> list[Table]:
    made: dict[str, int] = {}
    for one in found.made:
        made[one.scope.value] = made.get(one.scope.value, 0) + one.memories
    metrics = [
        (one.name, _percent(one.value), f"{one.part} of {one.whole}") for one in found.metrics
    ]
    if found.leaks is None:
        metrics.append(("leaks", "no result", "run `confide leaktest`"))
    else:
        of = f"of {found.leaks.decisions} decisions, {found.leaks.at:%Y-%m-%d}"
        metrics.append(("leaks between people", str(found.leaks.between_people), of))
        metrics.append(("leaks between scopes", str(found.leaks.between_scopes), of))
    return [
        ("Made lately", ("level", "memories"), [(n, str(c)) for n, c in sorted(made.items())]),
        (
            "Told everywhere, and from a place that not everyone can read",
            ("place", "memories", "last update"),
            [(o.kind.value, str(o.memories), f"{o.updated_at:%Y-%m-%d}") for o in found.everywhere],
        ),
        ("How well it works", ("metric", "value", ""), metrics),
    ]


def _level_table(levels: Sequence[Level]) -> Table:
    rows = [(o.scope.value, str(o.memories), f"{o.updated_at:%Y-%m-%d}") for o in levels]
    return "Your memories", ("level", "memories", "last update"), rows


def _percent(value: float | None) -> str:
    return "no result" if value is None else f"{100 * value:.1f} %"


def _show(tables: list[Table]) -> None:
    from rich.table import Table as Shown

    for title, headings, rows in tables:
        say(title)
        table = Shown(box=None, pad_edge=False, header_style="bold")
        for heading in headings:
            table.add_column(heading, overflow="fold")
        for row in rows or [("nothing", *("" for _ in headings[1:]))]:
            table.add_row(*row)
        console().print(table)
        say()


def _html(chart: str, tables: list[Table]) -> str:
    def cells(tag: str, values: Sequence[str]) -> str:
        return "".join(f"<{tag}>{escape(value)}</{tag}>" for value in values)

    shown = "".join(
        f"<h2>{escape(title)}</h2><table><tr>{cells('th', headings)}</tr>"
        + "".join(f"<tr>{cells('td', row)}</tr>" for row in rows)
        + "</table>"
        for title, headings, rows in tables
    )
    style = "body{font-family:sans-serif;margin:2em}td,th{padding:.2em 1em;text-align:left}"
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>confide report</title>'
        f"<style>{style}</style></head><body><h1>What is kept, in numbers</h1>{chart}{shown}"
        "</body></html>\n"
    )
