"""How careful to be with a text (A7): a lexicon in five languages and a small classifier."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING

from confide.model import Sensitivity
from confide.screen.findings import Finding
from confide.screen.lists import table
from confide.screen.words import Match, Terms, Word

if TYPE_CHECKING:
    import numpy as np

    Embed = Callable[[Sequence[str]], np.ndarray]

LANGUAGES = ("en", "de", "fr", "es", "pt")
STRONG, WEAK, HARMLESS, PASTIME, PERSON = "strong", "weak", "harmless", "pastime", "person"


class Judge:
    """Decides what in a text is personal or sensitive."""

    def __init__(self, embed: "Embed | None" = None) -> None:
        self._embed = embed

    def judge(self, texts: Sequence[str], split: Sequence[list[Word]]) -> list[tuple[Finding, ...]]:
        """The sensitive findings of each text."""
        return [tuple(_lexical(words)) for words in split]

    @staticmethod
    def level(
        sensitive: tuple[Finding, ...], pii: tuple[Finding, ...], given: Sensitivity | None
    ) -> Sensitivity:
        """The highest of what was found and what was given."""
        kinds, personal_data = table("sensitivity_kinds"), table("pii")["kinds"]
        found = [Sensitivity(kinds[finding.kind]) for finding in sensitive]
        found += [Sensitivity(personal_data[finding.kind]["sensitivity"]) for finding in pii]
        return max([*found, given or Sensitivity.PUBLIC], key=lambda level: level.rank)


def _lexical(words: list[Word]) -> list[Finding]:
    """Strong terms, and weak ones where a person speaks of people, outside harmless phrases."""
    matches = list(_lexicon().find(words))
    if not matches:
        return []
    masked = {n for m in matches if m.value == HARMLESS for n in range(m.first, m.last)}
    is_pastime = any(m.value == PASTIME for m in matches)
    is_about_people = any(m.value == PERSON for m in matches)
    found: list[Finding] = []
    for match in matches:
        strength, _, topic = match.value.partition(" ")
        if not topic or all(n in masked for n in range(match.first, match.last)):
            continue
        if strength == STRONG or (is_about_people and not is_pastime):
            found.append(_finding(topic, match, words))
    return found


def _finding(topic: str, match: Match, words: list[Word]) -> Finding:
    span = (words[match.first].start, words[match.last - 1].end)
    return Finding(kind=topic, reason=f"{topic.replace('_', ' ')}: “{match.term}”", span=span)


@cache
def _lexicon() -> Terms:
    terms: list[tuple[str, str]] = []
    for language in LANGUAGES:
        lexicon = table(f"lexicon_{language}")
        for strength in (STRONG, WEAK):
            for topic, said in lexicon[strength].items():
                terms += [(term, f"{strength} {topic}") for term in said]
        for mark in (HARMLESS, PASTIME, PERSON):
            terms += [(term, mark) for term in lexicon[mark]["terms"]]
    return Terms(terms)
