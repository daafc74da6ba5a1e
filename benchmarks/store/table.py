"""Write what was measured into the documentation, between two markers."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks.bars import Bar, lines
from benchmarks.store.measuring import Heard

BEGIN: Final = "<!-- store: written by `python -m benchmarks.store` -->"
END: Final = "<!-- /store -->"
Growth = list[tuple[int, Heard, float]]  # memories, what was heard, by meaning asked by turns


@dataclass(frozen=True, slots=True)
class Report:
    memories: int
    people: int
    spaces: int
    labels: int
    heard: list[Heard]
    one_at_a_time: dict[str, float]
    in_bulk: float
    grown: Growth


def write(report: Report, document: Path, load: tuple[float, float]) -> str:
    """Replace what stands between the markers; a document without them gets them at its end."""
    table = "\n".join([*_lines(report), "", _loaded(*load)])
    text = document.read_text() if document.exists() else ""
    if BEGIN not in text:
        text = f"{text.rstrip()}\n\n{BEGIN}\n{END}\n".lstrip()
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    document.write_text(f"{before}{BEGIN}\n{table}\n{END}{after}")
    return table


def _lines(report: Report) -> Iterator[str]:
    yield (
        f"{report.memories:,} memories of {report.people:,} people in {report.spaces:,} spaces, "
        f"{report.labels:,} labels; medians in milliseconds."
    )
    yield ""
    yield (
        "| may hear | rows | labels | find labels | every label judged | bare query "
        "| bare, covered | enter | by meaning | whole recall | access log | recall of permitted |"
    )
    yield "|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|"
    for heard in report.heard:
        yield _row(heard, f"{100 * heard.rows / report.memories:.3g} %")
    if report.grown:
        yield ""
        yield "The same number of permitted rows in a small store and in a large one, by turns:"
        yield ""
        yield "| memories | labels | rows | their labels | find labels | by meaning | × | permitted |"
        yield "|--:|--:|--:|--:|--:|--:|--:|--:|"
        for size, heard, time in report.grown:
            yield (
                f"| {size:,} | {heard.stored_labels:,} | {heard.rows:,} | {heard.labels:,} "
                f"| {heard.times['labels']:.2f} | {time:.2f} | {time / report.grown[0][2]:.2f} "
                f"| {heard.recall_of_permitted:.3f} |"
            )
    yield ""
    times = report.one_at_a_time
    yield (
        f"Remember one at a time: {times['remember']:.2f} ms; a bare INSERT of the same row "
        f"{times['insert']:.2f} ms; ratio {times['remember'] / times['insert']:.1f}. In bulk: "
        f"{report.in_bulk:,.0f} memories a second."
    )
    yield ""
    yield from lines(bars(report))


def bars(report: Report) -> Iterator[Bar]:
    """Each thing to reach, and whether this run did."""
    for heard in report.heard:
        t, share = heard.times, f"{100 * heard.rows / report.memories:.3g} %"
        yield _at_most(f"find labels, {share}", t["labels"], 3.0)
        for bare, beside in ((t["bare"], ""), (t["covered"], ", beside the covered query")):
            yield _at_most(f"by meaning, {share}{beside}", t["meaning"], max(2 * bare, bare + 3))
            yield _at_most(f"whole recall, {share}{beside}", t["recall"], max(2 * bare, bare + 5))
    every = [*report.heard, *(heard for _, heard, _ in report.grown)]
    least = min(heard.recall_of_permitted for heard in every)
    yield Bar("recall of the permitted", "1.000", f"{least:.3f}", is_met=least == 1)
    for size, _, time in report.grown[1:]:
        yield _at_most(f"{size:,} memories", time / report.grown[0][2], 1.5, "times as long")
    times = report.one_at_a_time
    yield _at_most("remember", times["remember"] / times["insert"], 10, "bare inserts")
    yield Bar(
        "in bulk",
        "1,000 a second",
        f"{report.in_bulk:,.0f} a second",
        is_met=report.in_bulk >= 1000,
    )


def _at_most(name: str, measured: float, most: float, unit: str = "ms") -> Bar:
    return Bar(name, f"at most {most:.2f}", f"{measured:.2f} {unit}", is_met=measured <= most)


def _loaded(before: float, after: float) -> str:
    """What else the machine did; the benchmark itself keeps one core busy."""
    return (
        f"Load average {before:.1f} when it started, {after:.1f} when it ended, on "
        f"{os.cpu_count()} cores: {'a quiet run' if before < 1 else 'not a quiet run'}."
    )


def _row(heard: Heard, first: str) -> str:
    t = heard.times
    naive = f"{t['naive']:.0f}" if "naive" in t else "–"
    cells = [
        first, f"{heard.rows:,}", f"{heard.labels:,}", f"{t['labels']:.2f}", naive,
        f"{t['bare']:.2f}", f"{t['covered']:.2f}", f"{t['enter']:.2f}", f"{t['meaning']:.2f}",
        f"{t['recall']:.2f}", f"{t['log']:.2f}", f"{heard.recall_of_permitted:.3f}",
    ]  # fmt: skip
    return f"| {' | '.join(cells)} |"
