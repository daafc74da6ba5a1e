"""Step 3 of built-in extraction: sentences that need each other become one statement."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from confide.providers.builtin.lexicon import tags
from confide.providers.builtin.sentences import Sentence
from confide.providers.builtin.smalltalk import is_outright

#: S13: a memory is one or two sentences.
MOST_SENTENCES: Final = 2
#: Words that stand for something named elsewhere.
_POINTING: Final = frozenset(
"it it's its it'll it'd ones both that's that'll".split()
)
_PEOPLE: Final = frozenset(
    "they they're they've they'll their them he he's she she's him his her hers".split()
)
#: The same, unless a noun or a clause follows ("that lake", "there was a fire").
_POINTING_ALONE: Final = frozenset({"that", "this", "there", "these", "those", "one", "mine"})
_BEFORE_NOUN: Final = frozenset(
    """a an the my our your his her some any another two three four five six seven eight nine ten many several few
    every no new old""".split()
)
_NO_ANCHOR: Final = frozenset({"bunch", "lot", "bit", "few", "couple", "ton", "kind", "while", "time", "way", "other"})
_VERB_AFTER: Final = frozenset(
    "is was are were has have will would can really made makes helps mean means look looks together too".split()
)
#: "It's great to …", "it takes time": the word stands for nothing.
_EMPTY_IT: Final = re.compile(
    r"(?:\w+,? ){0,2}(?:it's|it is|it was|it has been|it's been|it feels|it felt|it can be)(?: \w+ly| so| really| been| pretty| very| a bit| super"
    r"| always| kind of)* \w+(?: \w+)?(?:,|:| -| –)? (?:to|that|how|when|but|seeing|having|being|since|because|with|for me|\w+ing)\b"
    r"|(?:\w+,? ){0,2}it (?:takes|took) |(?:\w+,? ){0,2}(?:it's|it is|it was) (?:snow|rain|cold|hot|\d|monday|tuesday|friday|sunday)",
    re.IGNORECASE,
)


_OWN: Final = frozenset({"self", "we"})


@dataclass(frozen=True)
class Statement:
    """One or two sentences in a row of one message."""

    sentences: tuple[Sentence, ...]
    is_leaning: bool  # begins with "it", "she", … whose meaning the message does not hold
    is_outright: bool

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


def leans(sentence: Sentence) -> bool:
    """Whether the sentence speaks of something named before it."""
    if _EMPTY_IT.match(sentence.text):
        return False
    if _FRAGMENT.match(sentence.text) and len(sentence.words) < LONGEST_FRAGMENT:
        return True
    has_thing = has_someone = False
    for at, word in enumerate(sentence.lowered):
        after = sentence.lowered[at + 1] if at + 1 < len(sentence.lowered) else ""
        if word in _PEOPLE and not has_someone:
            return True
        if not has_thing and (word in _POINTING or (word in _POINTING_ALONE and _points(word, after))):
            return True
        is_someone, is_thing = _names(sentence, at)
        has_someone |= is_someone or is_thing
        has_thing |= is_thing
    return False


def _points(word: str, after: str) -> bool:
    if word == "there":
        return after not in ("is", "are", "was", "were", "has", "have", "will", "might")
    if word == "one":
        return not after or after in _AFTER_ONE
    return not after or after in _VERB_AFTER


def _names(sentence: Sentence, at: int) -> tuple[bool, bool]:
    """Whether the word is someone, or a thing, that a later pronoun can mean."""
    low = sentence.lowered
    lists = tags().get(low[at], ())
    if low[at] in _NO_ANCHOR or "self" in lists:
        return False, False
    if "relation" in lists:
        return True, False
    if at and sentence.words[at][0].isupper():
        return True, True
    is_thing = bool(_THINGS.intersection(lists)) or (
        at > 0 and low[at - 1] in _BEFORE_NOUN and "filler" not in lists
    )
    return False, is_thing


_THINGS: Final = frozenset({"topic", "work"})
#: Answers that begin in the middle: "Since I was 17 or so."
_FRAGMENT: Final = re.compile(r"(?:since|for|because|about|around|to|with|from|like|mostly|usually|only|not) ", re.IGNORECASE)
LONGEST_FRAGMENT: Final = 8
_AFTER_ONE: Final = frozenset("with for at in on that last next yesterday too and but to from together i by as when".split())


def statements(
    sentences: list[Sentence], memorable: list[Sentence]
) -> list[Statement]:
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
            if not earlier.is_question and names_something(earlier):
                groups.append([earlier, sentence])
                continue
        groups.append([sentence])
    return [
        Statement(tuple(group), leans(group[0]), any(is_outright(one.text) for one in group))
        for group in groups
    ]


def names_something(sentence: Sentence) -> bool:
    """Whether a pronoun in the next sentence can mean something in this one."""
    return any(any(_names(sentence, at)) for at in range(len(sentence.lowered)))
