"""Step 2 of built-in extraction: how much a sentence would help somebody who asks later.

A sum of named cues. Which word is which cue is in `data/words.toml`, what a cue counts in
`data/weights.toml`; both were chosen on one half of the benchmark and checked on the other.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import Final

from confide.providers.builtin.lexicon import read, tags
from confide.providers.builtin.sentences import Sentence

#: A cue that is there three times is not three times as telling.
MOST_PER_SENTENCE: Final = 2
MOST_PER_MESSAGE: Final = 4

_VERB_PAST: Final = " ".join(
    """went got had made took came saw bought brought found met started ran won lost gave wrote read was were did told
    built left joined finished""".split()
).replace(" ", "|")
_PHRASES: Final = {
    "self_did": re.compile(
        rf"\b(?:i|we|my \w+|i've|we've|just) (?:just |also |even |finally |recently |already )?(?:\w+ed|{_VERB_PAST})\b"
    ),
    "self_doing": re.compile(r"\b(?:i'm|i am|we're|we are|i've been|we've been) \w+ing\b"),
    "when": re.compile(
        r"\b(?:last|next|this|past) (?:week|month|year|weekend|night|summer|winter|fall|spring|\w+day)\b"
        r"|\bago\b|\byesterday\b|\btomorrow\b|\bsince\b|\bfor (?:\w+ ){1,3}(?:years|months|weeks)\b"
    ),
    "my": re.compile(r"\b(?:my|our)\b"),
}
_SELF = frozenset({"i", "i'm", "i've", "i'll", "i'd"})


def cues(sentence: Sentence, listeners: frozenset[str]) -> Counter[str]:
    """The cues of one sentence. `listeners` are names used to address people, not to tell of them."""
    found: Counter[str] = Counter()
    known = tags()
    for place, (word, low) in enumerate(zip(sentence.words, sentence.lowered, strict=True)):
        found.update(known.get(low, ()))
        if any(letter.isdigit() for letter in low):
            found["digit"] += 1
        elif place and word[0].isupper() and low not in _SELF and low not in listeners:
            found["name"] += 1
    flat = " ".join(sentence.lowered)
    for cue, pattern in _PHRASES.items():
        if pattern.search(flat):
            found[cue] = 1
    return Counter({cue: min(count, MOST_PER_SENTENCE) for cue, count in found.items()})


def together(parts: Iterable[Counter[str]]) -> Counter[str]:
    total: Counter[str] = Counter()
    for part in parts:
        total.update(part)
    return Counter({cue: min(count, MOST_PER_MESSAGE) for cue, count in total.items()})


def worth(found: Counter[str], letters: int) -> float:
    """What the cues are worth together, with a little for every letter up to four hundred."""
    weights = read("weights")
    sum_of_cues = sum(weights.get(cue, 0.0) * count for cue, count in found.items())
    return sum_of_cues + weights["per_hundred_letters"] * min(letters, 400) / 100
