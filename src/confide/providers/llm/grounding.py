"""Whether a text says only what its sources say: names and numbers that nobody said are inventions.

What a model summed up is repaired rather than lost: the sentences of it that are grounded stay, or
else the person's own sentences take their place. Nothing invented is kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, NamedTuple

from confide.language.values import known
from confide.providers.builtin.lexicon import NUMBERS
from confide.providers.builtin.sentences import split

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


#: What a talk is about may be named though nobody named it ("technical Minecraft"), unless just that
#: is claimed of somebody.
_TOPICS: Final = ("games", "mods")
_CLAIM: Final = re.compile(
    r"\b(?:fav\w*|loves?|likes?|prefers?|hates?|plays?|played|owns?|bought|enjoys?|started|switched"
    r"|works?|makes?|bans?|banned|won|beat)\b",
    re.IGNORECASE,
)
_PARTS: Final = re.compile(r"(?<=[.!?;])\s+")
_GAP: Final = re.compile(r"\s*(?:\.{3}|…)\s*")


class Grounded(NamedTuple):
    """A summary that its sources bear out, and whether it is what the model wrote."""

    text: str
    is_whole: bool
    names_topic: bool = False  # beside what was said


def grounded(summary: str, sources: Iterable[str], own: str, *, day: str | None = None) -> Grounded:
    """The summary, the part of it that was said, or `own`: the sentences that it was made of."""
    said = list(sources)
    made_up = invented(summary, said, day=day)
    if not made_up:
        return Grounded(summary, is_whole=True)
    if not _CLAIM.search(summary) and all(any(known(t, one) for t in _TOPICS) for one in made_up):
        return Grounded(summary, is_whole=True, names_topic=True)
    kept = [one for one in _PARTS.split(summary) if not invented(one, said, day=day)]
    return Grounded(" ".join(kept) or own, is_whole=False)


def as_said(snippet: str, text: str) -> str | None:
    """The snippet as it stands in the text: models change case, quotation marks and spaces, and leave
    out what is between."""
    parts = [one for one in _GAP.split(snippet.strip(" \"'“”‘’.…")) if one]
    if not parts:
        return None
    spelled = (_loosely(part) for part in parts)
    found = re.search(r".{0,200}?".join(spelled), text, re.IGNORECASE | re.DOTALL)
    return found[0] if found else None


def _loosely(part: str) -> str:
    words = (re.escape(word).replace("’", "'").replace("'", "['’]") for word in part.split())
    return r"\s+".join(words)


def sentences_of(snippet: str, text: str) -> str:
    """The whole sentences that a part of a text stands in."""
    begin = text.index(snippet)
    end = begin + len(snippet)
    own = [one.text for one in split(text) if one.start < end and begin < one.end]
    return " ".join(own) or snippet


def invented(text: str, sources: Iterable[str], *, day: str | None = None) -> list[str]:
    """Names and numbers of `text` that no source has; `day` is a date that may be spelled out."""
    said = " ".join(sources).casefold()
    words = {_bare(word) for word in _WORD.findall(said)}
    numbers = set(_NUMBER.findall(said))
    numbers |= {str(n) for word, n in NUMBERS.items() if word in words}
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
