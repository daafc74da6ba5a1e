"""S5: the closed set of harmless attributes, found where they are said outright or asked for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from confide.providers.builtin.lexicon import read

#: Longer answers to a question are sentences, which the other rules read.
LONGEST_ANSWER: Final = 40

_NOT_A_VALUE: Final = frozenset(
    """a an the not so very really just my your his her their is was in on at here there that this it what who why how
    and or but if secret private none nothing something unknown weird bad good better pretty cool taken gone too no yes
    going called the same still always never kind sort changed about""".split()
)
_ANY_ANSWER: Final = r"[`\"'*]{0,2}(?P<v>[A-Za-z0-9_.][\w.+#'-]{1,31})[`\"'*]{0,2}"
_SEPARATOR: Final = re.compile(r",? and |, ?| ?& ?| or |/")
#: Where a value may be several things said in a row.
_LISTS: Final = frozenset({"programming_language", "spoken_language"})
_NEGATED: Final = re.compile(r"\b(?:not|don't|do not|never|no longer|isn't|used to|wasn't|can't|stopped)\b")


@dataclass(frozen=True, slots=True)
class Attribute:
    """One value, the span that says it, and a sentence that says it by itself."""

    name: str
    value: str
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Rule:
    name: str
    means: str
    said: tuple[re.Pattern[str], ...]
    asked: re.Pattern[str]
    answer: re.Pattern[str]
    needs: re.Pattern[str] | None


@cache
def _rules() -> tuple[_Rule, ...]:
    table = read("attributes")
    lists = table["lists"]
    return tuple(_rule(name, row, lists) for name, row in table.items() if name != "lists")


def _rule(name: str, row: dict[str, Any], lists: dict[str, str]) -> _Rule:
    def compiled(pattern: str) -> re.Pattern[str]:
        for key, alternatives in lists.items():
            pattern = pattern.replace("{" + key + "}", alternatives)
        return re.compile(pattern, re.IGNORECASE)

    return _Rule(
        name=name,
        means=row["means"],
        said=tuple(compiled(pattern) for pattern in row["said"]),
        asked=compiled(row["asked"]),
        answer=compiled(row.get("answer", _ANY_ANSWER)),
        needs=compiled(row["needs"]) if "needs" in row else None,
    )


def attributes_said(text: str) -> Iterator[Attribute]:
    """Attributes that a sentence states of its speaker."""
    if _NEGATED.search(text.lower()):
        return
    for rule in _rules():
        if rule.needs and not rule.needs.search(text):
            continue
        for match in (found for pattern in rule.said if (found := pattern.search(text))):
            yield from _values(rule, match)
            break


def attributes_answered(question: str, answer: str) -> Iterator[Attribute]:
    """Attributes given as a short answer to a question that asks for them."""
    if len(answer) > LONGEST_ANSWER or _NEGATED.search(answer.lower()):
        return
    for rule in _rules():
        if rule.asked.search(question):
            match = re.fullmatch(
                rf"(?:it's |its |it is |i'm (?:in |a |an |on )?|i use |mostly |mine is )?{rule.answer.pattern}[.! ]*",
                answer.strip(),
                re.IGNORECASE,
            )
            if match:
                yield from _values(rule, match)


def _values(rule: _Rule, match: re.Match[str]) -> Iterator[Attribute]:
    said = match.group("v").strip(" .'\"`*")
    values = _SEPARATOR.split(said) if rule.name in _LISTS else [said]
    for value in values:
        value = re.sub(r"^(?:some|a little|a bit of|fluent) ", "", value.strip(), flags=re.IGNORECASE)
        if value and value.lower() not in _NOT_A_VALUE:
            yield Attribute(rule.name, value, rule.means.format(v=value), match.start(), match.end())
