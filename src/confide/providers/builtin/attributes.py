"""S5: the closed set of harmless attributes, found where they are said outright or asked for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from confide.providers.builtin.lexicon import read
from confide.providers.builtin.sentences import Sentence

#: Longer answers to a question are sentences, which the other rules read.
LONGEST_ANSWER: Final = 40

_ANY_ANSWER: Final = r"[`\"'*]{0,2}(?P<v>[A-Za-z0-9_.][\w.+#'-]{1,31})[`\"'*]{0,2}"
_LETTERS: Final = re.compile(r"[a-z]+")
_SEPARATOR: Final = re.compile(r",? and |, ?| ?& ?| or |/")
#: Where a value may be several things said in a row.
_LISTS: Final = frozenset({"programming_language", "spoken_language"})
_NEGATED: Final = re.compile(
    r"\b(?:not|don't|do not|never|no longer|isn't|used to|wasn't|stopped|any ?more)\b"
)


@dataclass(frozen=True, slots=True)
class Attribute:
    """One value, and a sentence that says it by itself (empty: only the speaker's own does)."""

    name: str
    value: str
    text: str


@dataclass(frozen=True, slots=True)
class _Rule:
    name: str
    means: str
    same: dict[str, str]
    said: tuple[re.Pattern[str], ...]
    asked: re.Pattern[str]
    answer: re.Pattern[str]
    needs: re.Pattern[str] | None
    words: frozenset[str]  # without one of these the patterns need not be tried


@cache
def _rules() -> tuple[_Rule, ...]:
    table = read("attributes")
    lists = table["lists"]
    return tuple(_rule(name, row, lists) for name, row in table.items() if name != "lists")


@cache
def _no_values() -> frozenset[str]:
    return frozenset(read("attributes")["lists"]["no_values"].split())


def _rule(name: str, row: dict[str, Any], lists: dict[str, str]) -> _Rule:
    def compiled(pattern: str) -> re.Pattern[str]:
        for key, alternatives in lists.items():
            pattern = pattern.replace("{" + key + "}", alternatives)
        return re.compile(pattern, re.IGNORECASE)

    return _Rule(
        name=name,
        means=row.get("means", ""),
        same=row.get("same", {}),
        said=tuple(compiled(pattern) for pattern in row["said"]),
        asked=compiled(row["asked"]),
        answer=compiled(row.get("answer", _ANY_ANSWER)),
        needs=compiled(row["needs"]) if "needs" in row else None,
        words=frozenset(row["words"].split()),
    )


def attributes_said(sentence: Sentence) -> Iterator[Attribute]:
    """Attributes that a sentence states of its speaker."""
    text = sentence.text
    words = frozenset(_LETTERS.findall(text.lower()))
    rules = [rule for rule in _rules() if not rule.words.isdisjoint(words)]
    for rule in rules:
        if rule.needs and not rule.needs.search(text):
            continue
        for match in (found for pattern in rule.said if (found := pattern.search(text))):
            if not _NEGATED.search(text[max(0, match.start() - 15) : match.end() + 10].lower()):
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
        value = re.sub(
            r"^(?:some|a little|a bit of|fluent) ", "", value.strip(), flags=re.IGNORECASE
        )
        value = rule.same.get(value.lower(), value)
        if value and value.lower() not in _no_values():
            yield Attribute(rule.name, value, rule.means.format(v=value))
