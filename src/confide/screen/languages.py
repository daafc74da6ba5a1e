"""Guesses a text's language, so that the German "ist" is not the French disease."""

from functools import cache

from confide.language.words import Word, fold
from confide.screen.lists import table

LANGUAGES: tuple[str, ...] = ("en", "de", "fr", "es", "pt")
# A language with fewer small words than this share of the best one is ruled out.
CLOSE_ENOUGH = 0.75


def spoken(words: list[Word]) -> frozenset[str]:
    """The languages a text may be in: those with about the most small words."""
    counts = dict.fromkeys(LANGUAGES, 0)
    known = _small_words()
    for word in words:
        for language in known.get(word.folded, ()):
            counts[language] += 1
    most = max(counts.values())
    return frozenset(name for name, count in counts.items() if count >= most * CLOSE_ENOUGH)


@cache
def _small_words() -> dict[str, tuple[str, ...]]:
    listed = {name: frozenset(map(fold, table("function_words")[name])) for name in LANGUAGES}
    every = frozenset[str]().union(*listed.values())
    return {word: tuple(name for name in LANGUAGES if word in listed[name]) for word in every}
