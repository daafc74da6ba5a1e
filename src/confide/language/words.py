"""Splits text into words and finds terms among them, so that "UrbanKnight" is not "ban".

A term is one or more words. `ban|bans` is either, `depress*` any ending, `broke-up` two words in
a row, `...` a gap of up to three words. Light words ("my", "very") may stand between the words of any term.
"""

import itertools
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from confide.language.lists import OWN

GAP = "..."
LONGEST_GAP = 3
MOST_LIGHT_WORDS = 3
SHORTEST_STEM = 3
MOST_REMEMBERED = 50_000  # words whose terms are kept at hand
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
    if text.isascii():
        return [Word(m[0], *m.span()) for m in WORD.finditer(text.lower())]
    return [Word(fold(m[0]), *m.span()) for m in WORD.finditer(text)]


@dataclass(frozen=True, slots=True)
class _Step:
    """One place in a term: the words and the beginnings of words that fit it."""

    exact: frozenset[str]
    stems: tuple[str, ...]

    def fits(self, word: str) -> bool:
        return word in self.exact or (bool(self.stems) and word.startswith(self.stems))


@dataclass(frozen=True, slots=True)
class _Term:
    source: str
    value: str
    steps: tuple[_Step | None, ...]  # None is a gap
    second: (
        _Step | None
    )  # what the next word must fit if it is not light; None: there is no telling


class Terms:
    """Terms indexed by their first word: looking costs what the text has, not what the list has."""

    def __init__(self, terms: Iterable[tuple[str, str]]) -> None:
        self._exact: dict[str, list[_Term]] = {}
        self._stems: dict[str, list[_Term]] = {}
        self._beginnings: set[str] = set()  # of stems, which most words do not share
        self._remembered: dict[str, tuple[_Term, ...]] = {}
        self._silent: set[str] = set()  # words that no term starts with, which most are
        for source, value in terms:
            for spelled in _spelled_out(source):
                steps = tuple(map(_step, spelled.split()))
                self._index(_Term(source, value, steps, steps[1] if len(steps) > 1 else None))

    def _index(self, term: _Term) -> None:
        first = term.steps[0]
        assert first is not None, f"a term cannot start with a gap: {term.source}"
        for word in first.exact:
            self._exact.setdefault(word, []).append(term)
        for stem in first.stems:
            self._stems.setdefault(stem, []).append(term)
            self._beginnings.add(stem[:SHORTEST_STEM])

    def find(self, text: Sequence[Word]) -> Iterator[Match]:
        """Every term of the list in the text, in order."""
        silent, light, last_one = self._silent, _light_words(), len(text) - 1
        for position in [n for n, word in enumerate(text) if word[0] not in silent]:
            after = text[position + 1][0] if position < last_one else ""
            for term in self._starting_with(text[position][0]):
                second = term.second
                if second is None or after in light or second.fits(after):
                    last = _reach(term.steps, text, position)
                    if last:
                        yield Match(term.source, term.value, position, last)

    def _starting_with(self, word: str) -> tuple[_Term, ...]:
        known = self._remembered.get(word)
        if known is not None:
            return known
        found = list(self._exact.get(word, ()))
        if word[:SHORTEST_STEM] in self._beginnings:
            for length in range(SHORTEST_STEM, len(word) + 1):
                found += self._stems.get(word[:length], ())
        if len(self._remembered) + len(self._silent) < MOST_REMEMBERED:
            if found:
                self._remembered[word] = tuple(found)
            else:
                self._silent.add(word)
        return tuple(found)


def _spelled_out(source: str) -> Iterator[str]:
    """The term once for each way to choose among its options of several words."""
    choices: list[list[str]] = []
    for step in source.split():
        options = step.split("|")
        single = "|".join(option for option in options if "-" not in option)
        several = [option.replace("-", " ") for option in options if "-" in option]
        choices.append([single, *several] if single else several)
    yield from map(" ".join, itertools.product(*choices))


def _step(source: str) -> _Step | None:
    if source == GAP:
        return None
    options = ELISION.sub("", fold(source)).split("|")
    exact = frozenset(option for option in options if not option.endswith("*"))
    return _Step(exact, tuple(option[:-1] for option in options if option.endswith("*")))


def _reach(steps: tuple[_Step | None, ...], text: Sequence[Word], start: int) -> int | None:
    """The end of `steps` in the text, whose first word fits, or None where the rest does not."""
    if len(steps) == 1:
        return start + 1
    light = _light_words()
    position, slack = start + 1, 0
    for step in steps[1:]:
        if step is None:
            slack = LONGEST_GAP
            continue
        farthest = min(len(text), position + slack + MOST_LIGHT_WORDS + 1)
        while position < farthest and not step.fits(text[position].folded):
            if text[position].folded not in light:
                slack -= 1
            if slack < 0:
                return None
            position += 1
        if position == farthest:
            return None
        position, slack = position + 1, 0
    return position


@cache
def _light_words() -> frozenset[str]:
    return frozenset(map(fold, OWN.lines("light_words")))
