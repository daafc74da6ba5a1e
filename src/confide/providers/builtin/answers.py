"""An answer often needs its question: finds the words to lend to it, and writes both as one text.

Only a person's words are lent, never the agent's, which may recite what is not fit for this place;
and only words that speak of the one who answers, so that nobody's own life moves into another's memory.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from confide.language.values import no_values
from confide.model import Message
from confide.providers.builtin.kinds import plain
from confide.providers.builtin.lexicon import read, tags
from confide.providers.builtin.sentences import Sentence
from confide.providers.builtin.smalltalk import content, is_small_talk, trimmed
from confide.providers.builtin.statements import (
    is_fragment,
    leans,
    names_something,
    points_at_a_thing,
)
from confide.providers.builtin.worth import EMPTY

#: Longer words are a story of their own.
LONGEST_LENT: Final = 200
LONGEST_VALUE: Final = 6
ENOUGH_CONTENT: Final = 1.0
_NOUNS: Final = frozenset({"topic", "work", "relation"})


@dataclass(frozen=True, slots=True)
class Lent:
    """Words of another message without which an answer says nothing."""

    message: Message
    sentences: tuple[Sentence, ...]
    is_own: bool = False  # the speaker's own, said a moment ago

    @property
    def text(self) -> str:
        return " ".join(in_quotes(one.text) for one in self.sentences)

    @property
    def is_pointing(self) -> bool:
        """ "Why that shade?" """
        return all(points_at_a_thing(one) for one in self.sentences)

    def takes(self, answer: Sentence) -> bool:
        """Whether a word or two are an answer ("Coco"), not an evasion or a courtesy."""
        return (
            bool(_pattern("asks_what").match(plain(self.sentences[-1].text)))
            and is_fragment(answer)
            and not (answer.is_question or is_small_talk(answer))
            and any(
                word[0].isupper() or word[0].isdigit() or _NOUNS.intersection(tags().get(low, ()))
                for word, low in zip(answer.words, answer.lowered, strict=True)
                if not EMPTY.intersection(tags().get(low, ())) and low not in no_values()
            )
        )

    def around(self, said: str) -> str:
        """The answer as a text that stands on its own."""
        if len(self.sentences) == 1 and (named := _asked_for(self.text)) and _is_value(said):
            return f"{named}: {said.rstrip(' .!')}"
        how = "asked" if self.sentences[-1].is_question else "in reply to"
        return f"{said} ({how}: “{self.text}”)"


@cache
def _pattern(name: str) -> re.Pattern[str]:
    return re.compile(read("answers")[name], re.IGNORECASE)


def lent_by(
    message: Message, sentences: Sequence[Sentence], listeners: frozenset[str]
) -> Lent | None:
    """What a message lends to the answer that follows it, if it can be understood by itself."""
    if message.is_from_agent:
        return None
    said = [trimmed(one, listeners) for one in sentences]
    questions = [at for at, one in enumerate(said) if one.is_question and _asks(one, listeners)]
    if len(questions) > 1:
        # Which of them is answered, the reader sees best.
        asked = [said[at] for at in questions]
        return Lent(message, tuple(asked)) if all(_is_clear([one]) for one in asked) else None
    for at in questions:
        for words in (said[at : at + 1], said[max(0, at - 1) : at + 1]):
            if _is_clear(words):
                return Lent(message, tuple(words))
    if not any(one.is_question for one in said):
        for one in reversed(said):
            if _tells_of_the_listener(one) and _is_clear([one]):
                return Lent(message, (one,))
    return None


def _asks(sentence: Sentence, listeners: frozenset[str]) -> bool:
    """ "What about you?" asks for nothing by itself."""
    flat = plain(sentence.text).strip(" ?!.")
    if _pattern("empty_question").fullmatch(flat) or _pattern("asks_to_see").search(flat):
        return False
    return content(flat, listeners) >= ENOUGH_CONTENT


def _tells_of_the_listener(sentence: Sentence) -> bool:
    """ "Your trip must have been incredible" names the trip."""
    low = sentence.lowered
    return any(
        "your" in low[max(0, at - 2) : at] and _NOUNS.intersection(tags().get(word, ()))
        for at, word in enumerate(low)
    )


def _is_clear(words: Sequence[Sentence]) -> bool:
    """Whether the words say what they are about, and are not about whoever said them."""
    text = " ".join(one.text for one in words)
    if len(text) > LONGEST_LENT or _pattern("own").search(_pattern("tell_me").sub("", plain(text))):
        return False
    first = words[0]
    if _pattern("vague").search(plain(first.text)):
        return False
    if len(words) == 1:
        return not leans(first)
    return names_something(first) or points_at_a_thing(first)


def _asked_for(question: str) -> str:
    """ "What's your cat's name?" asks for "My cat's name"."""
    found = _pattern("asks_for").fullmatch(question.strip())
    if not found:
        return ""
    named = re.sub(r"^your\b", "my", found.group("named"), flags=re.IGNORECASE)
    return named[:1].upper() + named[1:]


def _is_value(said: str) -> bool:
    return len(said.split()) <= LONGEST_VALUE and not _pattern("no_value").search(said)


def in_quotes(text: str) -> str:
    """On one line, without the marks that would end the quotation early."""
    return re.sub(r"\s+", " ", re.sub(r"[\"“”]", "'", text)).strip()
