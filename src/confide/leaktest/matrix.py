"""The rooms × rooms matrix and the failures, for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final, cast

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from confide.leaktest.report import Cell, Failure, Report
from confide.leaktest.rooms import TITLES

SHOWN_FAILURES: Final = 20
_ROW_WIDTH, _CELL_WIDTH = 34, 12


def show(report: Report, console: Console) -> None:
    for part in _parts(report, console.width):
        console.print(part)
    for failure in report.failures[:SHOWN_FAILURES]:
        console.print(_failure(failure))
    if len(report.failures) > SHOWN_FAILURES:
        console.print(
            f"… and {len(report.failures) - SHOWN_FAILURES} more; --json prints them all."
        )
    for leak in report.probed[:SHOWN_FAILURES]:
        console.print(Text(f"LEAK: {leak}", "red"))
    console.print(_summary(report))


def _parts(report: Report, width: int) -> Iterator[RenderableType]:
    """The matrix in as many tables side by side, below each other, as the terminal needs."""
    yield Text("Rows: where it was said. Columns: where it was asked. Cells: told/asked.", "dim")
    said = [title for title in TITLES if any(row == title for row, _ in report.cells)]
    asked = iter([title for title in TITLES if any(column == title for _, column in report.cells)])
    many = max(3, (width - _ROW_WIDTH) // _CELL_WIDTH)
    while columns := list(islice(asked, many)):
        yield _table(report, said, columns)


def _table(report: Report, said: Sequence[str], asked: Sequence[str]) -> Table:
    table = Table("said in \\ asked in", box=None, padding=(0, 1))
    for column in asked:
        table.add_column(column, justify="right", max_width=_CELL_WIDTH, overflow="fold")
    for row in said:
        table.add_row(row, *(_cell(report.cells.get((row, column))) for column in asked))
    return table


def _cell(cell: Cell | None) -> Text:
    if cell is None:
        return Text("·", "dim")
    text = f"{cell.told}/{cell.asked}"
    if cell.leaks:
        return Text(f"{text} !{cell.leaks}", "bold white on red")
    if cell.withheld:
        return Text(f"{text} -{cell.withheld}", "bold black on yellow")
    return Text(text, "green" if cell.told else "dim")


def _failure(failure: Failure) -> Text:
    f = failure.fields()
    style = "red" if failure.is_leak else "yellow"
    said = f"said by {f['by']} in {f['said_in']} ({f['sensitivity']} {f['kind']}, {f['level']})"
    more = [
        f"{name} {', '.join(map(str, cast('list[object]', value))) if isinstance(value, list) else value}"
        for name in ("source", "about", "were_there", "access", "consent", "namespace")
        if (value := f[name])
    ]
    asked = f"asked by {f['asker']} in {f['asked_in']} over {f['surface']}, after: {f['after']}"
    lines = [f"{f['what'].upper()}: {f['text']}", said, *more, asked, f"oracle: {f['oracle']}"]
    return Text("\n  ".join([*lines, f"memory {f['memory']}"]), style)


def _probes(report: Report) -> str:
    said = {"beside": "looks beside recall", "widening": "attempts to widen with a model's keys"}
    parts = [f"{found.asked} {said[name]}" for name, found in report.probes.items()]
    return f"{', '.join(parts)}.\n" if parts else ""


def _summary(report: Report) -> Text:
    asked = ", ".join(f"{count:,} over {name}" for name, count in report.questions.items())
    text = (
        f"{report.canaries} canaries, questions: {asked}; {report.total:,} decisions, "
        f"{report.told:,} told, in {report.seconds:.0f} s (seed {report.seed}).\n"
        f"{_probes(report)}"
        f"Leaks: {len(report.leaks) + len(report.probed)}. Wrongly withheld: {len(report.withheld)}."
    )
    return Text(text, "green" if report.passed else "bold red")
