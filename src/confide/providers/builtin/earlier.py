"""What somebody says goes on from what they said a moment ago: finds the words to repeat from there.

They are the speaker's own, so nobody else's life moves into a memory. What was asked to be
remembered in a certain way is left where it was put.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from confide.model import Message
from confide.providers.builtin.answers import LONGEST_LENT, Lent
from confide.providers.builtin.lexicon import read
from confide.providers.builtin.remember_requests import requested
from confide.providers.builtin.sentences import Sentence
from confide.providers.builtin.smalltalk import is_hedged, is_memorable, is_outright, trimmed
from confide.providers.builtin.statements import Wanted, leans, names, points_at_a_thing
from confide.providers.builtin.worth import cues, worth

#: Cues of words that say what a sentence is about.
NAMING: Final = ("name", "topic", "work", "relation")
#: "It feels good to use my skills" names work, but nothing that a later "it" could mean.
_LENDING: Final = ("name", "topic", "relation")


def names_its_topic(sentences: Sequence[Sentence], listeners: frozenset[str]) -> bool:
    return any(cues(one, listeners).get(cue) for one in sentences for cue in NAMING)


def lent_by_self(
    message: Message, sentences: Sequence[Sentence], listeners: frozenset[str], wanted: Wanted
) -> Lent | None:
    """The sentence of an earlier message that says best what its speaker was talking about, or
    whom "she" can mean."""
    if requested(message.text):
        return None
    said = [trimmed(one, listeners) for one in sentences]
    if wanted is Wanted.THING and begins_anew(said, listeners):
        return Lent(message, tuple(said), is_own=True)
    clear = [one for one in said if _is_clear(one, listeners) and _names_its_topic(one, listeners)]
    if wanted.is_somebody:
        clear = [one for one in clear if names(one, wanted)]
    if not clear:
        return None
    best = max(clear, key=lambda one: (worth(cues(one, listeners)), one.start))
    if worth(cues(best, listeners)) < read("weights")["enough_to_explain"]:
        return None
    return Lent(message, (best,), is_own=True)


def begins_anew(sentences: Sequence[Sentence], listeners: frozenset[str]) -> bool:
    """Whether a message is one sentence told outright: what follows goes on from there, if at all."""
    return (
        len(sentences) == 1
        and is_outright(sentences[0].text)
        and _is_clear(sentences[0], listeners)
    )


def _names_its_topic(sentence: Sentence, listeners: frozenset[str]) -> bool:
    return any(cues(sentence, listeners).get(cue) for cue in _LENDING)


def _is_clear(sentence: Sentence, listeners: frozenset[str]) -> bool:
    return (
        len(sentence.text) <= LONGEST_LENT
        and is_memorable(sentence, listeners)
        and not (leans(sentence) or points_at_a_thing(sentence) or is_hedged(sentence.text))
    )
