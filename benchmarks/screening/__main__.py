"""Measures the screen and rewrites the tables between the markers in docs/research/screening.md."""

import re
from collections.abc import Sequence

from benchmarks.screening import lists, measures
from benchmarks.screening.datasets import ROOT

DOCUMENT = ROOT / "docs" / "research" / "screening.md"
HEADS = {
    "secrets": ("measured", "result"),
    "sensitivity": ("sentences", "language", "pairs", "found", "false alarms"),
    "judged": ("judged", "statements", "above public", "95 % interval"),
    "elsewhere": ("measured", "texts", "low caution", "usual", "high"),
    "promotion": ("measured", "result"),
    "pii": ("type", "there", "found", "false alarms"),
    "instructions": ("texts", "number", "held"),
    "speed": ("screen", "messages a second on one core"),
}


def main() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    screen = measures.new_screen()
    for name, head in HEADS.items():
        rows = [tuple(map(written, row)) for row in getattr(measures, name)(screen)]
        print(name, *rows, sep="\n  ")
        text = replaced(text, name, table(head, rows))
    for name, (head, rows) in lists.tables().items():
        text = replaced(text, name, table(head, rows))
    DOCUMENT.write_text(text, encoding="utf-8")


def written(cell: object) -> str:
    return f"{cell:.1f} %" if isinstance(cell, float) else str(cell)


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def replaced(text: str, name: str, made: str) -> str:
    """`text` with what stands between the markers of `name` replaced."""
    between = re.compile(rf"(<!-- {name} -->\n).*?(\n<!-- /{name} -->)", re.DOTALL)
    if not between.search(text):
        raise SystemExit(f"docs/research/screening.md has no markers for {name}")
    return between.sub(lambda match: match[1] + made + match[2], text)


if __name__ == "__main__":
    main()
