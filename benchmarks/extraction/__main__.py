"""`python -m benchmarks.extraction` measures and writes docs/research/extraction.md; `… show` prints what to judge."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from benchmarks.extraction.judging import counted, show
from benchmarks.extraction.locomo import conversations
from benchmarks.extraction.measures import Coverage, coverage, small_talk, speed
from confide.providers.builtin import BuiltinExtractor

PAGE = Path(__file__).parents[2] / "docs" / "research" / "extraction.md"
_NUMBERS = re.compile(r"(<!-- measured -->\n).*?(<!-- /measured -->)", re.DOTALL)


def main() -> None:
    if sys.argv[1:] == ["show"]:
        show()
        return
    table = measured()
    page = PAGE.read_text("utf-8")
    PAGE.write_text(_NUMBERS.sub(lambda found: found[1] + table + found[2], page), "utf-8")
    print(table)


def measured() -> str:
    everything = conversations()
    lines, made = small_talk()
    found = counted()
    why = ", ".join(f"{reason} {count}" for reason, count in found.reasons.most_common())
    return "\n".join(
        [
            f"Extractor `{BuiltinExtractor.version}`, memories of confidence 0.7 or more.",
            "",
            "| conversations | turns remembered | evidence covered | per question | by length alone |",
            "|---|---|---|---|---|",
            _row("tuned on (5)", coverage(everything[0::2])),
            _row("held out (5)", coverage(everything[1::2])),
            _row("all (10)", coverage(everything)),
            "",
            "| | |",
            "|---|---|",
            f"| memories judged by hand, of a seeded sample of 200 | {found.judged} |",
            f"| true, rightly attributed and standing on their own | {found.good / max(found.judged, 1):.1%} |",
            f"| the same among those of confidence 1.0 | {found.outright:.1%} |",
            f"| why the others do not | {why} |",
            f"| memories from {lines} greetings, questions and acknowledgements | {made} |",
            f"| messages a second, one core | {speed(everything):,.0f} |",
            "",
            "",
        ]
    )


def _row(name: str, found: Coverage) -> str:
    numbers = (found.remembered, found.covered, found.weighted, found.by_length)
    return f"| {name} | {' | '.join(f'{number:.1%}' for number in numbers)} |"


if __name__ == "__main__":
    main()
