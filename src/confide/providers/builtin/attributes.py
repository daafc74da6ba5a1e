"""S5: the closed set of harmless attributes, found where they are said outright or asked for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from confide.language.attributes import Stated, find_attribute, stated_by_speaker
from confide.providers.builtin.lexicon import read

#: Longer answers to a question are sentences, which the other rules read.
LONGEST_ANSWER: Final = 40


def attribute_listed(words: str) -> Stated | None:
    """What a line such as "IGN: Zyx_99" gives. Whose it is it does not say."""
    found = find_attribute(words) if _LISTED.match(words) else None
    return Stated(found, words) if found else None


def attributes_answered(question: str, answer: str) -> Iterator[Stated]:
    """Attributes given as a short answer to a question that asks for them."""
    if len(answer) > LONGEST_ANSWER:
        return
    value = _INTRODUCED.sub("", answer.strip()).rstrip(".! ")
    for name, asked, stated in _asked():
        if asked.search(question):
            found = stated_by_speaker(stated.format(value))
            yield from (one for one in found if one.attribute.name == name)


_LISTED: Final = re.compile(r"\w[\w -]{1,20}: ?\S")
_INTRODUCED: Final = re.compile(
    r"^(?:it's |its |it is |i'm (?:in |a |an |on )?|i use |mostly |mine is )", re.IGNORECASE
)


@cache
def _asked() -> tuple[tuple[str, re.Pattern[str], str], ...]:
    """Each attribute, how one asks for it, and a sentence that a short answer completes."""
    return tuple(
        (name, re.compile(row["asked"], re.IGNORECASE), row["stated"])
        for name, row in read("attributes").items()
    )
