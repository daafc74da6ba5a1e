"""The decision table of README.md, made from the scenarios: `python -m tests.scenarios.table`."""

from __future__ import annotations

from tests.scenarios.runner import read

BEGIN, END = "<!-- decision table -->", "<!-- /decision table -->"


def table() -> str:
    """What Alice said where, down; who asks where, across."""
    written = read("decision_table.yaml")
    columns = [(c["asker"], c["place"]) for c in written["columns"]]
    headings = [c["heading"] for c in written["columns"]]
    lines = [
        f"| Alice says … | {' | '.join(headings)} |",
        f"|---|{':-:|' * len(headings)}",
    ]
    for row in written["rows"]:
        told = {(one["asker"], one["place"]) for one in row.get("told", ())}
        cells = ["told" if column in told else "—" for column in columns]
        lines.append(f"| {row['says']} | {' | '.join(cells)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    print(table())
