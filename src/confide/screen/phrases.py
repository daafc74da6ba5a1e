"""Credentials said in a sentence: "the wifi pass is …", "my PIN is …", "the Datadog key is …"."""

import re
from collections.abc import Iterator
from functools import cache

from confide.screen.findings import Finding
from confide.screen.lists import table
from confide.screen.randomness import looks_random
from confide.screen.words import Match, Terms, Word, fold

FARTHEST_VALUE = (
    6  # words between the credential word and its value: "for the guest wifi at home is"
)
PIN = re.compile(r"\d[\d\s-]{1,9}\d")
VALUE = re.compile(r"[\"'“«`]?([^\s\"'”»`]+)[\"'”»`]?")
SYMBOL = re.compile(r"[^\w\s.,;:!?()'’-]|\d|[a-z][A-Z]")
MARKS = re.compile(r"\s*(?::|=|->|→)\s*")


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
        if start is None:
            continue
        value = VALUE.match(text, start)
        if value and _is_secret(match.value, text, value):
            reason = f"a {match.value} is said after “{match.term}”"
            yield Finding(kind="secret", reason=reason, span=value.span(1))


def _value_start(text: str, words: list[Word], match: Match) -> int | None:
    """Where the value begins after a credential word and its link, or None without a link."""
    after = words[match.last - 1].end
    mark = MARKS.match(text, after)
    if mark:
        return mark.end()
    linked = False
    for word in words[match.last : match.last + FARTHEST_VALUE]:
        if linked and word.folded not in _set("link"):
            return _with_quotes(text, word.start)
        if word.folded in _set("link"):
            linked = True
            mark = MARKS.match(text, word.end)
            if mark:
                return mark.end()
    return _after_last_link(text, words, match) if linked else None


def _after_last_link(text: str, words: list[Word], match: Match) -> int | None:
    end = words[min(match.last + FARTHEST_VALUE, len(words)) - 1].end
    rest = re.compile(r"\s*\S").match(text, end)
    return rest.end() - 1 if rest else None


def _with_quotes(text: str, start: int) -> int:
    """Steps back over symbols that belong to the value, such as a quote or a leading `$`."""
    while start > 0 and not text[start - 1].isspace():
        start -= 1
    return start


def _is_secret(kind: str, text: str, value: re.Match[str]) -> bool:
    said = value.group(1).rstrip(".,;!?)")
    if kind == "pin":
        digits = PIN.match(text, value.start(1))
        return bool(digits) and 3 <= sum(map(str.isdigit, digits.group())) <= 10
    if kind == "key":
        return looks_random(said)
    return _is_chosen(said, text, value)


def _is_chosen(said: str, text: str, value: re.Match[str]) -> bool:
    """A password people choose: it has a digit, sign or inner capital, is quoted, or ends the text."""
    if len(said) < 3 or fold(said) in _set("not_a_value"):
        return False
    quoted = value.group()[0] in "\"'“«`" and value.group()[-1] in "\"'”»`"
    ends = not text[value.end() :].strip(" .!?)\n")
    return quoted or ends or (len(said) >= 4 and bool(SYMBOL.search(said)))
