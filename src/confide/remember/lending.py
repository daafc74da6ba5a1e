"""Which message may lend its words to a fact from another one, and which of its words are kept for it.

"What's the cat's name?" – "Coco": the answer is a memory only with the question. Its label is then
that of both, and it goes when either goes.
"""

from __future__ import annotations

import re
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from confide.store.terms import terms

if TYPE_CHECKING:
    from confide.store.messages import Heard

#: Evidence keeps what a memory needs, not a story that somebody told around it.
LONGEST_KEPT: Final = 400
#: The part of its words that a sentence must share with the fact to have been used for it.
LEAST_SHARED: Final = 0.5
_QUOTED: Final = re.compile(r" ?\((?:earlier|asked|in reply to): “(?P<said>[^”]*)”\)")
_BETWEEN_SENTENCES: Final = re.compile(r"(?<=[.!?…])\s+|\n+")


def may_lend(other: Heard, heard: Heard, within: timedelta) -> bool:
    """Said before it, in the same sitting. What the agent recited is looked at when it is labelled."""
    return (
        other.place.id == heard.place.id
        and other.epoch == heard.epoch
        and other.seq < heard.seq
        and abs(heard.message.said_at - other.message.said_at) <= within
    )


def words_lent(text: str, other: Heard) -> str:
    """The sentences of the other message that the fact uses."""
    used = frozenset(terms(text))
    sentences = [one for one in _BETWEEN_SENTENCES.split(other.message.text) if one.strip()]
    shared = [_shared(one, used) for one in sentences]
    bar = min(LEAST_SHARED, max(shared))
    kept = [one for one, part in zip(sentences, shared, strict=True) if part >= bar]
    return " ".join(kept)[:LONGEST_KEPT]


def parts(text: str) -> list[str]:
    """What a text says by itself, and each of the words it quotes: forgetting means those too."""
    return [_QUOTED.sub("", text).strip(), *_QUOTED.findall(text)]


def _shared(sentence: str, used: frozenset[str]) -> float:
    own = frozenset(terms(sentence))
    return len(own & used) / len(own) if own else 0.0
