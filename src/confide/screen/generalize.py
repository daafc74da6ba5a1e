"""Whether an insight still tells whom it came from: names block it, details hold it (K13)."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, NamedTuple

from confide.language.words import WORD, fold, plain, words
from confide.providers.builtin.dates import find_dates
from confide.screen.names import find_names

#: A word of so many pieces is one that few texts hold.
RARE_FROM: Final = 3
#: So many words in a row as in a source are a quotation.
QUOTED_FROM: Final = 5
_NUMBER: Final = re.compile(r"\d")
_SENTENCE_START: Final = re.compile(r"(?:^|[.!?:;\n])[\s\"'“”‘’(\[]*$")
_UNIQUE: Final = frozenset(
    [
        "only",
        "first",
        "last",
        "sole",
        "single",
        "unique",
        "oldest",
        "youngest",
        "tallest",
        "biggest",
        "smallest",
        "best",
        "worst",
        "nobody",
        "never",
    ]
)
_NUMBERS: Final = frozenset(
    [
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
        "thirteen",
        "fourteen",
        "fifteen",
        "sixteen",
        "seventeen",
        "eighteen",
        "nineteen",
        "twenty",
        "thirty",
        "forty",
        "fifty",
        "sixty",
        "seventy",
        "eighty",
        "ninety",
        "hundred",
        "thousand",
        "million",
    ]
)
_MINE: Final = frozenset({"my", "our", "i", "we", "me", "us"})


class Detail(NamedTuple):
    """Something that could lead back to a source; `kind` says what, without quoting it."""

    kind: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What a reader of the insight could recognise."""

    names: tuple[str, ...]
    details: tuple[Detail, ...]

    @property
    def kinds(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(detail.kind for detail in self.details))


def check_insight(
    text: str,
    sources: Sequence[str],
    names: Iterable[str],
    *,
    now: datetime,
    pieces: Callable[[str], int],
) -> Checked:
    """`names` of everyone concerned; `pieces` counts what a tokenizer splits a word into."""
    clean = plain(text)
    found = [
        *(Detail("a date", when.start, when.end) for when in find_dates(clean, now)),
        *_numbers(clean, sources),
        *_proper_names(clean),
        *_uniqueness(clean),
        *_rare_words(clean, sources, pieces),
        *_quotations(clean, sources),
    ]
    return Checked(
        names=find_names(clean, names), details=tuple(sorted(found, key=lambda one: one.start))
    )


def _numbers(text: str, sources: Sequence[str]) -> Iterator[Detail]:
    told = {word.folded for source in sources for word in words(source)}
    for word in words(text):
        if _NUMBER.search(word.folded) or (word.folded in _NUMBERS and word.folded in told):
            yield Detail("a number", word.start, word.end)


def _proper_names(text: str) -> Iterator[Detail]:
    """Capitals inside a sentence: a place, a product, somebody else."""
    for found in WORD.finditer(text):
        word = found[0]
        if word[0].isupper() and word != "I" and not word.startswith(("I'", "I’")):
            if not _SENTENCE_START.search(text[: found.start()]):
                yield Detail("a place or another name", found.start(), found.end())
        elif not word.isascii() and word[0].isalpha() and not _has_case(word[0]):
            # Scripts without capitals do not show what is a name.
            yield Detail("another script", found.start(), found.end())


def _has_case(letter: str) -> bool:
    return letter.lower() != letter.upper()


def _uniqueness(text: str) -> Iterator[Detail]:
    for word in words(text):
        if word.folded in _UNIQUE:
            yield Detail("something there is one of", word.start, word.end)
        elif word.folded in _MINE:
            yield Detail("whose it is", word.start, word.end)


def _rare_words(
    text: str, sources: Sequence[str], pieces: Callable[[str], int]
) -> Iterator[Detail]:
    told = {_stem(word.folded) for source in sources for word in words(plain(source))}
    for word in words(text):
        if _stem(word.folded) in told and pieces(word.folded) >= RARE_FROM:
            yield Detail("a rare word of a source", word.start, word.end)


def _quotations(text: str, sources: Sequence[str]) -> Iterator[Detail]:
    said = words(text)
    for source in sources:
        told = [word.folded for word in words(plain(source))]
        runs = {tuple(told[at : at + QUOTED_FROM]) for at in range(len(told) - QUOTED_FROM + 1)}
        for at in range(len(said) - QUOTED_FROM + 1):
            run = said[at : at + QUOTED_FROM]
            if tuple(word.folded for word in run) in runs:
                yield Detail("a source's own words", run[0].start, run[-1].end)


def _stem(word: str) -> str:
    bare = fold(word).removesuffix("'s")
    for ending in ("ing", "ies", "es", "ed", "s"):
        if len(bare) > len(ending) + 3 and bare.endswith(ending):
            return bare.removesuffix(ending)
    return bare


def independent(people: Sequence[frozenset[object]]) -> int:
    """How many sources have nobody in common; those without anybody count as one."""
    taken: set[object] = set()
    count = 0
    for concerned in sorted(people, key=len):
        if concerned and not concerned & taken:
            count += 1
            taken |= concerned
    return count + (1 if any(not concerned for concerned in people) else 0)
