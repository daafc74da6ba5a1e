"""The words that keep a memory from being told everywhere, in any context (S6)."""

import re
from functools import cache

from confide.language.words import Terms, Word, fold, words
from confide.screen.findings import Finding
from confide.screen.languages import LANGUAGES
from confide.screen.lists import table

PARTS_OF_A_NAME = re.compile(r"[A-Z]?[^\W\d_A-Z]{2,}|[A-Z]{3,}")
# "SuShi" holds the Spanish "su", and nobody else's affairs.
HARMLESS_IN_NAMES = "other people"
# Shorter ones are inside harmless names: "urban", "assist".
SHORTEST_IN_A_NAME = 5


def find_never_global(said: list[Word]) -> Finding | None:
    """The first such word: here a false alarm costs nothing, so no context excuses it."""
    for match in _terms().find(said):
        span = (said[match.first].start, said[match.last - 1].end)
        return Finding(kind=match.value, reason=f"{match.value}: “{match.term}”", span=span)
    return None


def name_tells_something(name: str) -> bool:
    """Whether a name such as "BobHasCancer" or "aborto2021" is made of such words, or of words of a
    sensitive topic in any language."""
    parts = words(" ".join(PARTS_OF_A_NAME.findall(name)))
    if any(match.value != HARMLESS_IN_NAMES for match in _terms().find(parts)):
        return True
    letters = "".join(one for one in fold(name) if one.isalpha())
    return any(stem in letters for stem in _stems())


@cache
def _stems() -> frozenset[str]:
    """Beginnings of the single words of every sensitive topic, long enough to mean it inside a name."""
    terms = (
        term
        for language in LANGUAGES
        for part in ("strong", "weak")
        for topic in table(f"lexicon_{language}")[part].values()
        for term in topic
        if " " not in term
    )
    stems = (fold(one).rstrip("*") for term in terms for one in term.split("|"))
    return frozenset(one for one in stems if len(one) >= SHORTEST_IN_A_NAME and one.isalpha())


@cache
def _terms() -> Terms:
    return Terms(
        (term, topic.replace("_", " "))
        for topic, terms in table("never_global").items()
        for term in terms
    )
