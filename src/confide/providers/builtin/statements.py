"""Step 3 of built-in extraction: sentences that need each other become one statement."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from confide.providers.builtin.sentences import Sentence
from confide.providers.builtin.smalltalk import is_outright

#: S13: a memory is one or two sentences.
MOST_SENTENCES: Final = 2
_LEANS: Final = re.compile(
    r"(?:(?:yeah|yes|yep|and|but|so|well|plus|also|oh|no),? )*(?:it|it's|its|that|that's|this|these|those|they|they're"
    r"|they've|he|she|he's|she's|her|his|their|him|them|there|both|especially|then|one of them|such|which|mine)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Statement:
    """One or two sentences in a row of one message."""

    sentences: tuple[Sentence, ...]
    is_leaning: bool  # begins with "it", "she", … whose meaning the message does not hold
    is_outright: bool

    @property
    def start(self) -> int:
        return self.sentences[0].start

    @property
    def end(self) -> int:
        return self.sentences[-1].end


def leans(sentence: Sentence) -> bool:
    """Whether the sentence speaks of something named before it."""
    return bool(_LEANS.match(sentence.text))


def statements(text: str, sentences: list[Sentence], memorable: list[Sentence]) -> list[Statement]:
    """The memorable sentences as statements; one that leans is joined to the one before it."""
    groups: list[list[Sentence]] = []
    for sentence in memorable:
        follows = groups and text[groups[-1][-1].end : sentence.start].strip(" \t") == ""
        if follows and leans(sentence) and len(groups[-1]) < MOST_SENTENCES:
            groups[-1].append(sentence)
        else:
            groups.append([sentence])
    return [
        Statement(tuple(group), leans(group[0]), any(is_outright(one.text) for one in group))
        for group in groups
    ]
