"""Splits text into words and finds terms among them, so that "UrbanKnight" is not "ban".

A term is one or more words. `ban|bans` is either, `depress*` any ending, `...` a gap of up to
three words. Light words ("my", "very") may stand between the words of any term.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from confide.screen.lists import lines

GAP = "..."
LONGEST_GAP = 3
SHORTEST_STEM = 3
# French and Portuguese elide: "d'angoisse" is two words, "don't" is one.
ELIDED = r"(?:qu|[cdjlmnst])['’](?=\w)"
WORD = re.compile(rf"\b{ELIDED}|[^\W_]+(?:['’][^\W_]+)*", re.IGNORECASE)
ELISION = re.compile(rf"(?:^|(?<=\|)){ELIDED}")
INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")
SPELLED_OUT = str.maketrans({"’": "'", "œ": "oe", "æ": "ae"})


class Word(NamedTuple):
    """A word as it is compared, and where it stood."""

    folded: str
    start: int
    end: int


class Match(NamedTuple):
    """A term found from word `first` up to, not including, word `last`."""

    term: str
    value: str
    first: int
    last: int


def plain(text: str) -> str:
    """The text without look-alike forms and invisible characters."""
    if text.isascii():
        return text
    return INVISIBLE.sub("", unicodedata.normalize("NFKC", text))


def fold(word: str) -> str:
    """The word without case and accents, as people type it in chats."""
    if word.isascii():
        return word.lower()
    spread = unicodedata.normalize("NFD", word.casefold().translate(SPELLED_OUT))
    return "".join(mark for mark in spread if not unicodedata.combining(mark))


def words(text: str) -> list[Word]:
    """The words of a text, folded."""
    return [Word(fold(m.group()), m.start(), m.end()) for m in WORD.finditer(text)]


@dataclass(frozen=True, slots=True)
class _Term:
    source: str
    value: str
    steps: tuple[str, ...]


class Terms:
    """Terms indexed by their first word: looking costs what the text has, not what the list has."""

    def __init__(self, terms: Iterable[tuple[str, str]]) -> None:
        self._exact: dict[str, list[_Term]] = {}
        self._stems: dict[str, list[_Term]] = {}
        for source, value in terms:
            steps = (ELISION.sub("", fold(step)) for step in source.split())
            self._index(_Term(source, value, tuple(steps)))

    def _index(self, term: _Term) -> None:
        for option in term.steps[0].split("|"):
            if option.endswith("*"):
                self._stems.setdefault(option[:-1], []).append(term)
            else:
                self._exact.setdefault(option, []).append(term)

    def find(self, text: Sequence[Word]) -> Iterator[Match]:
        """Every term of the list in the text, in order."""
        for position, word in enumerate(text):
            for term in self._starting_with(word.folded):
                last = _reach(term.steps, text, position)
                if last:
                    yield Match(term.source, term.value, position, last)

    def _starting_with(self, word: str) -> Iterator[_Term]:
        yield from self._exact.get(word, ())
        for length in range(SHORTEST_STEM, len(word) + 1):
            if word[:length] in self._stems:
                yield from self._stems[word[:length]]


def _reach(steps: tuple[str, ...], text: Sequence[Word], start: int) -> int | None:
    """The end of `steps` in the text from `start` on, or None where they do not match."""
    light = _light_words()
    position, slack = start, 0
    for step in steps:
        if step == GAP:
            slack = LONGEST_GAP
            continue
        while position < len(text) and not _fits(step, text[position].folded):
            if text[position].folded not in light:
                slack -= 1
            if slack < 0 or position == start:
                return None
            position += 1
        if position == len(text):
            return None
        position, slack = position + 1, 0
    return position


@cache
def _light_words() -> frozenset[str]:
    return frozenset(map(fold, lines("light_words")))


def _fits(step: str, word: str) -> bool:
    return any(
        word.startswith(option[:-1]) if option.endswith("*") else word == option
        for option in step.split("|")
    )
