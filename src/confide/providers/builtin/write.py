"""Step 4 of built-in extraction: a statement becomes a fact that stands on its own."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Final

from confide.language.attributes import Stated
from confide.model import Fact, Kind, Message
from confide.providers.builtin.answers import Lent, in_quotes
from confide.providers.builtin.dates import When, find_dates
from confide.providers.builtin.kinds import infer_kind, is_about_answering
from confide.providers.builtin.lexicon import tags
from confide.providers.builtin.sentences import Sentence, sentence_at
from confide.providers.builtin.smalltalk import is_hedged
from confide.providers.builtin.statements import Statement
from confide.providers.builtin.subjects import subjects

SAID_OUTRIGHT: Final = 1.0
CLEAR: Final = 0.8
UNCLEAR: Final = 0.6  # said outright, but of what? Below what is told
DOUBTFUL: Final = 0.5
#: Recurring days are not a day in one year.
_RECURRING: Final = re.compile(
    r"\b(?:birthday|anniversary|every|each|always|usually)\b", re.IGNORECASE
)
_SELF: Final = re.compile(
    r"\b(?:i|i'm|im|i've|i'd|i'll|my|we|we're|we've|we'll|our|me)\b", re.IGNORECASE
)
_YOUR: Final = re.compile(r"\byour\b", re.IGNORECASE)
_TRAIT: Final = re.compile(r"\b(?:birthday|favou?rite|pronouns|my name|call me)\b", re.IGNORECASE)
_IDENTITY = frozenset({"in_game_name", "user_name", "time_zone", "region", "programming_languages",
                       "expertise", "spoken_languages"})  # fmt: skip


def attribute_fact(message: Message, sentence: Sentence, stated: Stated, confidence: float) -> Fact:
    """S5: a typed attribute. Only one said outright is proposed for everywhere."""
    return Fact(
        text=_readable(stated.words),
        snippet=message.text[sentence.start : sentence.end],
        message_id=message.id,
        speaker=message.speaker,
        kind=Kind.IDENTITY if stated.attribute.name in _IDENTITY else Kind.PREFERENCE,
        confidence=confidence,
        is_global_safe=confidence >= 0.9,
        attribute=(stated.attribute.name, stated.attribute.value),
    )


def statement_fact(
    message: Message, statement: Statement, listeners: frozenset[str], lent: Sequence[Lent] = ()
) -> Fact:
    """The speaker's own words, without how they began, with dates spelled out."""
    snippet = message.text[statement.start : statement.end]
    said = " ".join(one.text for one in statement.sentences)
    dated = [_dated(one, message.said_at) for one in statement.sentences]
    days = [when.day for _, dates in dated for when in dates]
    kind = infer_kind(said)
    names = dict.fromkeys(name for one in statement.sentences for name in subjects(one, listeners))
    names |= dict.fromkeys(name for one in statement.sentences for name in _there(one, message))
    for words in lent:
        for one in words.sentences:
            names |= dict.fromkeys(_named_in(one, words, message, listeners))
    confidence = _confidence(statement, said, lent)
    text = _readable(" ".join(text for text, _ in dated))
    for words in lent:
        text = _earlier(text, words) if words.is_own else words.around(text)
    return Fact(
        text=text,
        snippet=snippet,
        message_id=message.id,
        speaker=message.speaker,
        kind=kind,
        confidence=confidence,
        subjects=tuple({name.casefold(): name for name in reversed(names)}.values())[::-1],
        is_portable=confidence == SAID_OUTRIGHT and bool(_TRAIT.search(said)) and kind in _PORTABLE,
        is_about_answering=is_about_answering(said),
        happened_on=days[0].isoformat() if days else None,
        also_from=tuple(words.message.id for words in lent),
    )


def _there(sentence: Sentence, message: Message) -> list[str]:
    """People who were there and are spoken of, however their names are written: "kofi dragged me
    in". A name at an end is mostly spoken to."""
    names = {one.id.casefold() for one in message.present} - {message.speaker.id.casefold()}
    inside = sentence.lowered[:-1] if len(sentence.lowered) > 1 else ()
    return [
        word
        for at, word in enumerate(inside)
        if word in names
        and not tags().get(word)
        and not (at == 0 and sentence.text[len(word) :].lstrip().startswith((",", ":", "!")))
    ]


def _named_in(
    said: Sentence, words: Lent, message: Message, listeners: frozenset[str]
) -> tuple[str, ...]:
    """Whom the words are about, as who answers would say it: "your sister" is "my sister"."""
    if words.is_own:
        return subjects(said, listeners)
    turned = _YOUR.sub("my", said.text)
    return subjects(sentence_at(turned, said.start), frozenset({message.speaker.id.lower()}))


def _earlier(text: str, words: Lent) -> str:
    """With what the speaker had just said, dated by when they said it."""
    said = " ".join(_dated(one, words.message.said_at)[0] for one in words.sentences)
    return f"{text} (earlier: “{in_quotes(said)}”)"


_PORTABLE = frozenset({Kind.PREFERENCE, Kind.IDENTITY, Kind.RELATIONSHIP})


def _confidence(statement: Statement, said: str, lent: Sequence[Lent]) -> float:
    if is_hedged(said):
        return DOUBTFUL
    if lent:
        return CLEAR
    if statement.is_leaning:
        return UNCLEAR
    return SAID_OUTRIGHT if not statement.is_pointing and _SELF.search(said) else CLEAR


def _dated(sentence: Sentence, said_at: datetime) -> tuple[str, list[When]]:
    """The words with "(2023-05-01)" behind "last Tuesday", and the dates; each sentence by itself,
    since one may look back and the next ahead."""
    text = sentence.text
    dates = [] if _RECURRING.search(text) else list(find_dates(text, said_at))
    for when in reversed(dates):
        if str(when) not in text[when.start : when.end]:
            text = f"{text[: when.end]} ({when}){text[when.end :]}"
    return text, dates


def _readable(said: str) -> str:
    """On one line, beginning with a capital."""
    said = re.sub(r"\s+", " ", said).strip()
    return said[:1].upper() + said[1:]
