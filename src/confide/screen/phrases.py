"""Credentials said in a sentence: "the wifi pass is …", "my PIN is …", "the Datadog key is …"."""

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from confide.language.words import Match, Terms, Word, fold
from confide.screen.findings import Finding
from confide.screen.lists import table
from confide.screen.randomness import looks_random

FARTHEST_VALUE = (
    6  # words between the credential word and its value: "for the guest wifi at home is"
)
PIN = re.compile(r"(?=(?:[A-Z\s-]*\d){3})[\dA-Z][\dA-Z\s-]{1,10}[\dA-Z]")
LONGEST = 256  # characters of a value that are looked at: whatever runs on further is no word
VALUE = re.compile(rf"\s*(?:[\"“«'`]([^\"”»'`]{{3,40}})[\"”»'`]|(\S{{1,{LONGEST}}}))")
SYMBOL = re.compile(r"[^\w\s.,;:!?()'’-]|\d|[a-z][A-Z]")
END = re.compile(r"[ .!?)\n]*\Z")
MARKS = re.compile(r"\s*(?::|=|->|→)\s*")


class _Value(NamedTuple):
    said: str
    span: tuple[int, int]
    is_quoted: bool


@cache
def _credential_words() -> Terms:
    said = table("secret_words")
    return Terms((term, kind) for kind in ("password", "pin", "key") for term in said[kind])


@cache
def _set(name: str) -> frozenset[str]:
    return frozenset(fold(word) for word in table("secret_words")[name])


def spoken_secret(text: str, words: list[Word]) -> Iterator[Finding]:
    """Credentials introduced by words, in the supported languages."""
    for match in _credential_words().find(words):
        start = _value_start(text, words, match)
        value = None if start is None else _value(text, start)
        if value and _is_secret(match.value, text, value):
            reason = f"a {match.value} is said after “{match.term}”"
            yield Finding(kind="secret", reason=reason, span=value.span)


def _value_start(text: str, words: list[Word], match: Match) -> int | None:
    """Where the value begins after a credential word and its link, or None without a link."""
    mark = MARKS.match(text, words[match.last - 1].end)
    is_linked = mark is not None
    end = mark.end() if mark else words[match.last - 1].end
    for word in words[match.last : match.last + FARTHEST_VALUE]:
        is_link = word.folded in _set("link")
        if is_linked and not is_link:
            break
        is_linked = is_linked or is_link
        mark = MARKS.match(text, word.end)
        end = mark.end() if mark else word.end
    return end if is_linked else None


def _value(text: str, start: int) -> _Value | None:
    """The quoted phrase or the run of characters that follows."""
    match = VALUE.match(text, start)
    if not match:
        return None
    group = 1 if match[1] else 2
    said = match[group].rstrip(".,;!?)")
    return _Value(said, (match.start(group), match.start(group) + len(said)), group == 1)


def _is_secret(kind: str, text: str, value: _Value) -> bool:
    if kind == "pin":
        return PIN.match(text, value.span[0]) is not None
    if kind == "key":
        return looks_random(value.said)
    return _is_chosen(text, value)


def _is_chosen(text: str, value: _Value) -> bool:
    """A password people choose: with a digit, sign or inner capital, quoted, or the last word."""
    if len(value.said) < 3 or fold(value.said) in _set("not_a_value"):
        return False
    is_last = END.match(text, value.span[1]) is not None
    has_sign = len(value.said) >= 4 and SYMBOL.search(value.said) is not None
    return value.is_quoted or is_last or has_sign or len(value.said) == LONGEST
