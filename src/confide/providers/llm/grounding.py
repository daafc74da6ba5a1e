"""Whether a text says only what its sources say: names and numbers that nobody said are inventions."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

_WORD: Final = re.compile(r"[^\W\d_][\w'’-]*")
_NUMBER: Final = re.compile(r"\d+")
_SENTENCE: Final = re.compile(r"(?:^|[.!?:;\n])[\s\"'“(]*")
#: Written with a capital in English without being somebody's name.
_NO_NAMES: Final = frozenset(
    [
        "i",
        "i'm",
        "i've",
        "i'd",
        "i'll",
        "monday",
        "tuesday",
        "wednesday",
        "thursday",
        "friday",
        "saturday",
        "sunday",
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
    ]
)


def invented(text: str, sources: Iterable[str], *, day: str | None = None) -> list[str]:
    """Names and numbers of `text` that no source has; `day` is a date that may be spelled out."""
    said = " ".join(sources).casefold()
    words = {_bare(word) for word in _WORD.findall(said)}
    numbers = set(_NUMBER.findall(said))
    if day:
        numbers |= {part.lstrip("0") for part in day.split("-")} | set(day.split("-"))
    return [
        *(name for name in _names(text) if _bare(name.casefold()) not in words),
        *(number for number in _NUMBER.findall(text) if number not in numbers),
    ]


def _names(text: str) -> list[str]:
    """Capitalized words; one that begins a sentence is no sign of a name, unless it is oddly cased."""
    begins = {found.end() for found in _SENTENCE.finditer(text)}
    return [
        found[0]
        for found in _WORD.finditer(text)
        if (found[0][0].isupper() and found.start() not in begins)
        or any(c.isupper() for c in found[0][1:])
        if found[0].casefold() not in _NO_NAMES
    ]


def _bare(word: str) -> str:
    return re.sub(r"['’]s?$", "", word)
