"""Text that tries to instruct the model (B6). It is held for review, never dropped."""

import re
from functools import cache

from confide.screen.findings import Finding
from confide.screen.lists import table


def find_instruction(text: str) -> Finding | None:
    """The first instruction to the model in the text."""
    for says, pattern in _patterns():
        match = pattern.search(text)
        if match:
            return Finding(kind="instruction", reason=says, span=match.span())
    return None


@cache
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """One pattern per group of the list, so that the reason can say which."""
    groups = table("instructions").values()
    return tuple(
        (group["says"], re.compile("|".join(f"(?:{p})" for p in group["patterns"]), re.IGNORECASE))
        for group in groups
    )
