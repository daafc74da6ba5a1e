"""The words that keep a memory from being told everywhere, in any context (S6)."""

import re
from functools import cache

from confide.screen.findings import Finding
from confide.screen.lists import table
from confide.screen.words import Terms, Word, words

PARTS_OF_A_NAME = re.compile(r"[A-Z]?[^\W\d_A-Z]{2,}|[A-Z]{3,}")
# "SuShi" holds the Spanish "su", and nobody else's affairs.
HARMLESS_IN_NAMES = "other people"


def find_never_global(said: list[Word]) -> Finding | None:
    """The first such word: here a false alarm costs nothing, so no context excuses it."""
    for match in _terms().find(said):
        span = (said[match.first].start, said[match.last - 1].end)
        return Finding(kind=match.value, reason=f"{match.value}: “{match.term}”", span=span)
    return None


def name_tells_something(name: str) -> bool:
    """Whether a name such as "BobHasCancer" is made of such words."""
    parts = words(" ".join(PARTS_OF_A_NAME.findall(name)))
    return any(match.value != HARMLESS_IN_NAMES for match in _terms().find(parts))


@cache
def _terms() -> Terms:
    return Terms(
        (term, topic.replace("_", " "))
        for topic, terms in table("never_global").items()
        for term in terms
    )
