"""docs/http.md lists the routes as the matrix has them, and every kind of problem."""

from __future__ import annotations

from pathlib import Path

from tests.http.table import BEGIN, END, table

from confide.surfaces.http.problems import KINDS

DOCUMENT = (Path(__file__).parents[2] / "docs" / "http.md").read_text(encoding="utf-8")


def test_the_table_of_routes_is_the_matrix() -> None:
    shown = DOCUMENT.partition(BEGIN)[2].partition(END)[0].strip()
    assert shown == table(), "run `python -m tests.http.table` and paste it"


def test_every_problem_is_listed_with_its_status() -> None:
    for _, (status, name, _) in KINDS:
        assert f"| {status} | `urn:confide:{name}` |" in DOCUMENT, name
