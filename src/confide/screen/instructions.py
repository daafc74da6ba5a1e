"""Text that tries to instruct the model (B6). It is held for review, never dropped."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from confide.language.rules import Rule, is_for_always
from confide.language.words import Terms, Word
from confide.screen.findings import ORDERS_AN_ACT, Finding
from confide.screen.lists import table

NOTHING = re.compile(r"(?!)")


@dataclass(frozen=True, slots=True)
class _Group:
    name: str
    says: str
    anywhere: re.Pattern[str]
    orders: re.Pattern[str]
    is_manner: bool


def find_instruction(text: str, words: list[Word], rule: Rule | None = None) -> Finding | None:
    """The first instruction to the model in the text. A person's rule about how to answer or write is
    none; a rule that orders an act is one."""
    found = _of_groups(text, words, rule)
    if found is None and rule is Rule.ACT and is_for_always(text):
        return Finding(kind="instruction", reason=ORDERS_AN_ACT, span=(0, len(text)))
    return found


def _of_groups(text: str, words: list[Word], rule: Rule | None) -> Finding | None:
    openings = [start for start in _openings(text, words) if _any_order().match(text, start)]
    # Looking for each group's words first keeps ordinary talk cheap.
    hinted = {match.value for match in _hints().find(words)}
    if not openings and not hinted:
        return None
    for group in _groups():
        if group.is_manner and rule is Rule.MANNER:
            continue
        match = _order(group, text, openings)
        if not match and group.name in hinted:
            match = group.anywhere.search(text)
        if match:
            return Finding(kind="instruction", reason=group.says, span=match.span())
    return None


def _order(group: _Group, text: str, openings: list[int]) -> re.Match[str] | None:
    tried = (group.orders.match(text, opening) for opening in openings)
    return next((match for match in tried if match), None)


def _openings(text: str, words: list[Word]) -> Iterator[int]:
    """Where an order may begin: at a sentence or after "and then", past any "please"."""
    linking, polite = _linking(), _polite()
    before, end = "", 0
    for word in words:
        if word.start - end != 1 or text[end] != " " or before in linking:
            match = polite.match(text, word.start)
            yield match.end() if match else word.start
        before, end = word.folded, word.end


@cache
def _linking() -> frozenset[str]:
    return frozenset(table("instructions")["parts"]["linking"])


@cache
def _polite() -> re.Pattern[str]:
    return re.compile(table("instructions")["parts"]["polite"], re.IGNORECASE)


@cache
def _listed() -> dict[str, dict[str, Any]]:
    return {name: group for name, group in table("instructions").items() if name != "parts"}


@cache
def _hints() -> Terms:
    return Terms((term, name) for name, group in _listed().items() for term in group["words"])


@cache
def _groups() -> tuple[_Group, ...]:
    return tuple(
        _Group(
            name,
            group["says"],
            _joined(group["anywhere"]),
            _joined(group["orders"]),
            group.get("is_manner", False),
        )
        for name, group in _listed().items()
    )


@cache
def _any_order() -> re.Pattern[str]:
    """Every group's orders in one look."""
    return _joined([one for group in _listed().values() for one in group["orders"]])


def _joined(patterns: list[str]) -> re.Pattern[str]:
    if not patterns:
        return NOTHING
    joined = "|".join(f"(?:{pattern})" for pattern in patterns)
    answer = table("instructions")["parts"]["answer"]
    return re.compile(joined.replace("{answer}", answer), re.IGNORECASE | re.MULTILINE)
