"""Text that tries to instruct the model (B6). It is held for review, never dropped."""

import re
from dataclasses import dataclass
from functools import cache

from confide.screen.findings import Finding
from confide.screen.lists import table
from confide.screen.words import Terms, Word

NOTHING = re.compile(r"(?!)")


@dataclass(frozen=True, slots=True)
class _Group:
    says: str
    words: Terms
    anywhere: re.Pattern[str]
    orders: re.Pattern[str]


def find_instruction(text: str, words: list[Word]) -> Finding | None:
    """The first instruction to the model in the text."""
    openings = [match.end() for match in _opening().finditer(text)]
    for group in _groups():
        match = _order(group, text, openings) or _anywhere(group, text, words)
        if match:
            return Finding(kind="instruction", reason=group.says, span=match.span())
    return None


def _order(group: _Group, text: str, openings: list[int]) -> re.Match[str] | None:
    tried = (group.orders.match(text, opening) for opening in openings)
    return next((match for match in tried if match), None)


def _anywhere(group: _Group, text: str, words: list[Word]) -> re.Match[str] | None:
    # Looking for the words first keeps ordinary talk cheap.
    has_words = next(group.words.find(words), None) is not None
    return group.anywhere.search(text) if has_words else None


@cache
def _opening() -> re.Pattern[str]:
    return re.compile(table("instructions")["parts"]["opening"], re.IGNORECASE | re.MULTILINE)


@cache
def _groups() -> tuple[_Group, ...]:
    listed = {name: group for name, group in table("instructions").items() if name != "parts"}
    return tuple(
        _Group(
            says=group["says"],
            words=Terms((term, name) for term in group["words"]),
            anywhere=_joined(group["anywhere"]),
            orders=_joined(group["orders"]),
        )
        for name, group in listed.items()
    )


def _joined(patterns: list[str]) -> re.Pattern[str]:
    if not patterns:
        return NOTHING
    joined = "|".join(f"(?:{pattern})" for pattern in patterns)
    answer = table("instructions")["parts"]["answer"]
    return re.compile(joined.replace("{answer}", answer), re.IGNORECASE | re.MULTILINE)
