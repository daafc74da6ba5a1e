"""README.md shows what the scenarios prove."""

from __future__ import annotations

from pathlib import Path

from tests.scenarios.runner import read
from tests.scenarios.table import BEGIN, END, table

README = Path(__file__).parents[2] / "README.md"


def test_the_table_in_the_readme_is_the_one_the_scenarios_make() -> None:
    _, _, rest = README.read_text(encoding="utf-8").partition(BEGIN)
    shown, end, _ = rest.partition(END)
    assert end, f"README.md lost its decision table: put it between {BEGIN} and {END}"
    assert shown.strip() == table(), "run `python -m tests.scenarios.table` and paste its output"


def test_every_cell_of_the_table_is_asked() -> None:
    written = read("decision_table.yaml")
    columns = {(c["asker"], c["place"]) for c in written["columns"]}
    for row in written["rows"]:
        asked = [(one["asker"], one["place"]) for one in row["told"] + row["withheld"]]
        assert len(asked) == len(columns), row["id"]
        assert set(asked) == columns, row["id"]
