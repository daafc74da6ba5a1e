"""Step 3 of built-in extraction: sentences that need each other become one statement."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Final

from confide.providers.builtin.lexicon import first_names, read, tags
from confide.providers.builtin.sentences import Sentence
from confide.providers.builtin.smalltalk import (
    is_outright,
    is_small_talk,
    is_working,
)

#: S13: a memory is one or two sentences.
MOST_SENTENCES: Final = 2
#: A longer answer says by itself what it is about.
LONGEST_FRAGMENT: Final = 9
_THINGS: Final = frozenset({"topic", "work"})
_OWN: Final = frozenset({"self", "we"})
_KNOWN_BY_ITSELF: Final = frozenset({"self", "we", "work", "relation"})


@dataclass(frozen=True)
class Statement:
    """One or two sentences in a row of one message."""

    sentences: tuple[Sentence, ...]
    is_leaning: bool  # begins with "it", "she", … whose meaning the message does not hold
    is_outright: bool
    is_working: bool

    @property
    def is_related(self) -> bool:
        """Whether it is about the speaker or something that has a name."""
        return any(
            _OWN.intersection(tags().get(word.lower(), ())) or (at and word[0].isupper())
            for one in self.sentences
            for at, word in enumerate(one.words)
        )

    @property
    def start(self) -> int:
        return self.sentences[0].start

    @property
    def end(self) -> int:
        return self.sentences[-1].end


@cache
def _words(name: str) -> frozenset[str]:
    return frozenset(read("pointing")[name].split())


@cache
def _pattern(name: str) -> re.Pattern[str]:
    return re.compile(read("pointing")[name])


def leans(sentence: Sentence) -> bool:
    """Whether the sentence speaks of something named before it."""
    text = sentence.text
    if len(sentence.words) < LONGEST_FRAGMENT and _pattern("fragment").match(text):
        return True
    if any(_pattern(name).search(text) for name in ("trailing", "demonstrative")):
        return True
    if _pattern("shown").match(text) or _is_about_the_thing(sentence):
        return True
    return _has_lone_pronoun(sentence)


def _is_about_the_thing(sentence: Sentence) -> bool:
    """ "The water was calm": which water, only what was said before tells; a name or work does too."""
    return bool(_pattern("the_thing").match(sentence.text)) and not any(
        (at and word[0].isupper()) or _KNOWN_BY_ITSELF.intersection(tags().get(word.lower(), ()))
        for at, word in enumerate(sentence.words)
    )


def _has_lone_pronoun(sentence: Sentence) -> bool:
    low = sentence.lowered
    empty = _pattern("empty_it").match(sentence.text)
    first = len(empty.group().split()) - 1 if empty else 0
    has_thing = has_someone = False
    for at, word in enumerate(low[first:], first):
        if not has_someone and word in _words("people"):
            return True
        if not has_thing and (word in _words("things") or _points(low, at)):
            return True
        is_someone, is_thing = _names(sentence, at)
        has_someone |= is_someone or (is_thing and word.endswith("s"))
        has_thing |= is_thing
    return False


def _points(low: tuple[str, ...], at: int) -> bool:
    if low[at] not in _words("alone"):
        return False
    after = low[at + 1] if at + 1 < len(low) else ""
    match low[at]:
        case "there":
            return after not in _words("after_there")
        case "one":
            return not after or after in _words("after_one")
        case _:
            return not after or after in _words("after_alone")


def _names(sentence: Sentence, at: int) -> tuple[bool, bool]:
    """Whether the word is someone, or a thing, that a later pronoun can mean."""
    low = sentence.lowered
    lists = tags().get(low[at], ())
    if low[at] in _words("no_noun") or "self" in lists:
        return False, False
    if "relation" in lists:
        return True, False
    if sentence.words[at][0].isupper() and (at or low[0] in first_names()):
        return True, True
    before = low[at - 1] if at else ""
    if "time" in lists or before in _words("before_verb"):
        return False, False
    is_named = before in _words("before_noun") and "filler" not in lists
    return False, is_named or not _THINGS.isdisjoint(lists)


def statements(sentences: list[Sentence], memorable: list[Sentence]) -> list[Statement]:
    """The memorable sentences as statements; one that leans is joined to the one before it."""
    groups: list[list[Sentence]] = []
    before = {one.start: earlier for earlier, one in pairwise(sentences)}
    for sentence in memorable:
        earlier = before.get(sentence.start)
        if earlier and leans(sentence):
            if groups and earlier is groups[-1][-1]:
                if len(groups[-1]) < MOST_SENTENCES:
                    groups[-1].append(sentence)
                continue
            if not (earlier.is_question or is_small_talk(earlier)) and names_something(earlier):
                groups.append([earlier, sentence])
                continue
        groups.append([sentence])
    return [_statement(group) for group in groups]


def _statement(group: list[Sentence]) -> Statement:
    said = [one.text for one in group]
    return Statement(
        tuple(group),
        is_leaning=leans(group[0]),
        is_outright=any(map(is_outright, said)),
        is_working=any(map(is_working, said)),
    )


def names_something(sentence: Sentence) -> bool:
    """Whether a pronoun in the next sentence can mean something in this one."""
    return any(any(_names(sentence, at)) for at in range(len(sentence.lowered)))
