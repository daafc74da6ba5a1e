"""Step 3 of built-in extraction: sentences that need each other become one statement."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from itertools import pairwise
from typing import Final

from confide.providers.builtin.kinds import is_about_answering
from confide.providers.builtin.lexicon import first_names, read, tags
from confide.providers.builtin.sentences import Sentence
from confide.providers.builtin.smalltalk import (
    is_outright,
    is_small_talk,
    is_working,
    tells_of_somebody,
)

#: S13: a memory is one or two sentences.
MOST_SENTENCES: Final = 2
#: A longer answer says by itself what it is about.
LONGEST_FRAGMENT: Final = 9
#: How far up something may have been named, and what may stand in between.
REACH: Final = 3
LONGEST_ASIDE: Final = 6
_THINGS: Final = frozenset({"topic", "work"})
_OWN: Final = frozenset({"self", "we"})
_VERBAL: Final = frozenset({"past", "self", "we", "plan", "identity", "work", "time"})


class Wanted(StrEnum):
    """What a sentence that goes on needs to have been named."""

    HE = "he"
    SHE = "she"
    SOMEBODY = "somebody"
    THING = "thing"
    STORY = "story"  # "I was worried about the cost"

    @property
    def is_somebody(self) -> bool:
        return self in (Wanted.HE, Wanted.SHE, Wanted.SOMEBODY)


@dataclass(frozen=True)
class Statement:
    """One or two sentences in a row of one message."""

    sentences: tuple[Sentence, ...]
    is_leaning: bool  # begins with "it", "she", … whose meaning the message does not hold
    is_pointing: bool  # speaks of "that lake", "this tree"
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
    def points_back(self) -> bool:
        return self.is_leaning or self.is_pointing

    @property
    def stands(self) -> bool:
        """Whether it is said outright, of what it names: no question has to explain it."""
        return self._is_told and not (self.points_back or is_continued(self.sentences[0]))

    @property
    def wants(self) -> Wanted | None:
        """What its speaker must have said before it. What is told outright begins anew."""
        first = self.sentences[0]
        if leans_on_somebody(first):
            return _whom(first)
        if self.points_back:
            return Wanted.THING
        return Wanted.STORY if is_continued(first) and not self._is_told else None

    @property
    def tells_of_somebody(self) -> bool:
        """ "She likes tulips", by itself."""
        return len(self.sentences) == 1 and tells_of_somebody(self.sentences[0].text)

    @property
    def _is_told(self) -> bool:
        return self.is_outright or self.is_working

    @property
    def is_comment(self) -> bool:
        """ "Family game nights are so much fun": praise of what somebody else told."""
        lists = [tags().get(word, ()) for one in self.sentences for word in one.lowered]
        is_own = any(_OWN.intersection(found) for found in lists) or self.is_working
        return not is_own and any("praise" in found for found in lists)

    @property
    def speaks_to_the_listener(self) -> bool:
        return any("you" in tags().get(word, ()) for one in self.sentences for word in one.lowered)

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
    return is_fragment(sentence) or leans_on_a_pronoun(sentence)


def is_fragment(sentence: Sentence) -> bool:
    """ "Since I was 17", "Max and Daisy": an answer without its beginning."""
    if len(sentence.words) < LONGEST_FRAGMENT and _pattern("fragment").match(sentence.text):
        return True
    return is_bare_list(sentence)


def points_at_a_thing(sentence: Sentence) -> bool:
    """Whether it speaks of "that lake": named, though somebody may not know which one."""
    text = sentence.text
    return (
        bool(_pattern("shown").match(text))
        or any(_pattern(name).search(text) for name in ("trailing", "demonstrative"))
        or _is_about_the_thing(sentence)
    )


def is_continued(sentence: Sentence) -> bool:
    """ "I was worried about the cost": of what, only what was said before tells."""
    return bool(_pattern("continued").search(sentence.text))


def is_bare_list(sentence: Sentence) -> bool:
    """ "Max and Daisy": an answer without a verb."""
    return len(sentence.words) < LONGEST_FRAGMENT and not any(
        "'" in word
        or word.endswith(("ed", "ing"))
        or word in _words("verbs")
        or _VERBAL.intersection(tags().get(word, ()))
        for word in sentence.lowered
    )


def _is_about_the_thing(sentence: Sentence) -> bool:
    """ "The water was calm": which water, only what was said before tells; a name or work does too."""
    text = sentence.text
    if not _pattern("the_thing").match(text) or _pattern("plain_thing").match(text):
        return False
    lists = frozenset(tag for word in sentence.lowered for tag in tags().get(word, ()))
    if "relation" in lists or ("work" in lists and "self" not in lists):
        return False
    return not any(
        word[0].isupper() and "self" not in tags().get(word.lower().replace("’", "'"), ())
        for word in sentence.words[1:]
    )


def leans_on_a_pronoun(sentence: Sentence) -> bool:
    """Whether an "it" or "she" stands before anything that it could mean."""
    low = sentence.lowered
    empty = _pattern("empty_it").match(sentence.text)
    first = len(empty.group().split()) - 1 if empty else 0
    has_thing = has_things = has_someone = False
    for at, word in enumerate(low[first:], first):
        if not has_someone and (
            word in _words("somebody") or (word in _words("people") and not has_things)
        ):
            return True
        if not has_thing and (word in _words("things") or _points(low, at)):
            return True
        is_someone, is_thing = _names(sentence, at)
        has_someone |= is_someone
        has_thing |= is_thing
        has_things |= is_thing and word.endswith("s")
    return False


def begins_with_a_pronoun(sentence: Sentence) -> bool:
    """ "He takes care of her", "I won it": nothing before the "he" says who is meant."""
    pronouns = _words("things") | _words("people") | _words("somebody")
    return not pronouns.isdisjoint(sentence.lowered[:3])


def leans_on_somebody(sentence: Sentence) -> bool:
    """Whether that pronoun is a "she" or "they"."""
    people = _words("somebody") | _words("people")
    return leans_on_a_pronoun(sentence) and not people.isdisjoint(sentence.lowered)


def _whom(sentence: Sentence) -> Wanted:
    for word in sentence.lowered:
        for wanted in (Wanted.HE, Wanted.SHE):
            if word in _words(wanted):
                return wanted
    return Wanted.SOMEBODY


def names(sentence: Sentence, wanted: Wanted) -> bool:
    """Whether it names somebody whom "she" can mean: not only "my dad"."""
    if not any(_names(sentence, at)[0] for at in range(len(sentence.lowered))):
        return False
    relatives = [word for word in sentence.lowered if "relation" in tags().get(word, ())]
    not_meant = {Wanted.HE: _words("women"), Wanted.SHE: _words("men")}.get(wanted, frozenset())
    return not relatives or not not_meant.issuperset(relatives)


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
    if "time" in lists:
        return False, False
    if sentence.words[at][0].isupper() and (at or low[0] in first_names()):
        return True, True
    before = low[at - 1] if at else ""
    if before in _words("before_verb"):
        return False, False
    is_named = before in _words("before_noun") and "filler" not in lists
    return False, is_named or not _THINGS.isdisjoint(lists)


def statements(sentences: list[Sentence], memorable: list[Sentence]) -> list[Statement]:
    """The memorable sentences as statements.

    A sentence is joined to the one before it when it leans on it, or merely goes on telling: two
    sentences of a story explain each other, two facts said outright are two memories.
    """
    groups: list[list[Sentence]] = []
    before = {one.start: earlier for earlier, one in pairwise(sentences)}
    for sentence in memorable:
        earlier = before.get(sentence.start)
        does_lean = leans(sentence) or points_at_a_thing(sentence)
        if earlier and groups and earlier is groups[-1][-1]:
            if len(groups[-1]) < MOST_SENTENCES and (
                does_lean or _goes_on(sentence, groups[-1][0])
            ):
                groups[-1].append(sentence)
                continue
            if does_lean:
                continue  # a third sentence about the same thing
        elif does_lean and (named := _named_before(sentence, sentences)):
            if groups and named in groups[-1]:
                if len(groups[-1]) < MOST_SENTENCES:
                    groups[-1].append(sentence)
                continue
            groups.append([named, sentence])
            continue
        groups.append([sentence])
    return [_statement(group) for group in groups]


def _named_before(sentence: Sentence, sentences: list[Sentence]) -> Sentence | None:
    """The sentence that says what this one is about, at most a "So cool!" further up."""
    above = [one for one in sentences if one.start < sentence.start]
    for distance, one in enumerate(reversed(above[-REACH:])):
        if _explains(one, is_beside=distance == 0):
            return one
        if not _is_aside(one):
            return None
    return None


def _is_aside(sentence: Sentence) -> bool:
    return len(sentence.words) <= LONGEST_ASIDE and not names_something(sentence)


def _goes_on(sentence: Sentence, first: Sentence) -> bool:
    return not (leans(first) or is_outright(sentence.text) or is_working(sentence.text))


def _explains(sentence: Sentence, *, is_beside: bool) -> bool:
    if sentence.is_question and not is_beside:
        return False
    return not is_small_talk(sentence) and names_something(sentence) and not leans(sentence)


def _statement(group: list[Sentence]) -> Statement:
    said = [one.text for one in group]
    is_instruction = is_about_answering(said[0])
    return Statement(
        tuple(group),
        is_leaning=leans(group[0]) and not is_instruction,
        is_pointing=points_at_a_thing(group[0]) and not is_instruction,
        is_outright=any(map(is_outright, said)),
        is_working=any(map(is_working, said)),
    )


def names_something(sentence: Sentence) -> bool:
    """Whether a pronoun in the next sentence can mean something in this one."""
    return any(any(_names(sentence, at)) for at in range(len(sentence.lowered)))
