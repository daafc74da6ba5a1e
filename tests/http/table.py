"""The table of routes in docs/http.md, made from the matrix: `python -m tests.http.table`."""

from __future__ import annotations

from tests.http.matrix import ROWS

BEGIN, END = "<!-- routes -->", "<!-- /routes -->"


def table() -> str:
    lines = ["| route | for | because |", "|---|---|---|"]
    lines += [f"| `{row.route}` | {', '.join(row.callers.split())} | {row.why} |" for row in ROWS]
    return "\n".join(lines)


if __name__ == "__main__":
    print(table())
