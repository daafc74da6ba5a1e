"""Step 2 of built-in extraction: how much a sentence would help somebody who asks later.

A sum of named cues. Which word is which cue is in `data/words.toml`, what a cue counts in
`data/weights.toml`; both were chosen on one half of the benchmark and checked on the other.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Final

from confide.providers.builtin.lexicon import first_names, read, tags
from confide.providers.builtin.sentences import Sentence

#: A cue that is there three times is not three times as telling.
MOST_PER_SENTENCE: Final = 2
MOST_PER_MESSAGE: Final = 4
MOST_CONTENT: Final = 20
#: Lists whose words say nothing by themselves.
EMPTY: Final = frozenset({"filler", "praise", "thanks", "abstract"})

_SELF = frozenset({"i", "i'm", "i've", "i'll", "i'd"})


@cache
def _phrases() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((cue, re.compile(pattern)) for cue, pattern in read("weights")["phrases"].items())


def cues(sentence: Sentence, listeners: frozenset[str]) -> dict[str, int]:
    """The cues of one sentence. `listeners` are names used to address people, not to tell of them."""
    found: dict[str, int] = defaultdict(int)
    known = tags()
    content = 0
    for place, (word, low) in enumerate(zip(sentence.words, sentence.lowered, strict=True)):
        lists = known.get(low, ())
        content += not EMPTY.intersection(lists) and low not in listeners
        for cue in lists:
            found[cue] += 1
        if not low.isalpha() and any(map(str.isdigit, low)):
            found["digit"] += 1
        elif (
            word[0].isupper()
            and low not in _SELF
            and low not in listeners
            and (place or low in first_names())
        ):
            found["name"] += 1
    flat = " ".join(sentence.lowered)
    for cue, pattern in _phrases():
        if pattern.search(flat):
            found[cue] = 1
    capped = {cue: min(count, MOST_PER_SENTENCE) for cue, count in found.items()}
    capped["content"] = content
    return capped


def together(parts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """The cues of several sentences."""
    total: dict[str, int] = defaultdict(int)
    for part in parts:
        for cue, count in part.items():
            total[cue] += count
    return {
        cue: min(count, MOST_CONTENT if cue == "content" else MOST_PER_MESSAGE)
        for cue, count in total.items()
    }


def worth(found: Mapping[str, int]) -> float:
    """What the cues are worth together."""
    weights = read("weights")["cues"]
    return sum(weights.get(cue, 0.0) * count for cue, count in found.items())
