"""How careful to be with a text (A7): a lexicon in five languages and a small classifier."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from confide.model import Sensitivity
from confide.screen.findings import Finding
from confide.screen.languages import LANGUAGES, spoken
from confide.screen.lists import table
from confide.screen.words import Match, Terms, Word

if TYPE_CHECKING:
    import numpy as np

    Embed = Callable[[Sequence[str]], np.ndarray]

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
    """What the lexicons of the text's likely languages find."""
    return [
        finding
        for language in LANGUAGES
        if language in spoken(words)
        for finding in _in_language(words, language)
    ]


def _in_language(words: list[Word], language: str) -> list[Finding]:
    """Strong terms, and weak ones where a person speaks of people, outside harmless phrases."""
    matches = [(match, _mark(match)) for match in _lexicon(language).find(words)]
    if not matches:
        return []
    masked = {n for m, mark in matches if mark.strength == HARMLESS for n in range(m.first, m.last)}
    strengths = {mark.strength for _, mark in matches}
    counts_weak = PERSON in strengths and PASTIME not in strengths
    return [
        _finding(mark.topic, match, words)
        for match, mark in matches
        if mark.strength == STRONG or (mark.strength == WEAK and counts_weak)
        if masked.isdisjoint(range(match.first, match.last))
    ]


def _finding(topic: str, match: Match, words: list[Word]) -> Finding:
    span = (words[match.first].start, words[match.last - 1].end)
    return Finding(kind=topic, reason=f"{topic.replace('_', ' ')}: “{match.term}”", span=span)


class _Mark(NamedTuple):
    strength: str
    topic: str


def _mark(match: Match) -> _Mark:
    strength, _, topic = match.value.partition(" ")
    return _Mark(strength, topic)


@cache
def _lexicon(language: str) -> Terms:
    lexicon = table(f"lexicon_{language}")
    terms = [
        (term, f"{strength} {topic}")
        for strength in (STRONG, WEAK)
        for topic, said in lexicon[strength].items()
        for term in said
    ]
    terms += [(term, mark) for mark in (HARMLESS, PASTIME, PERSON) for term in lexicon[mark]["terms"]]
    return Terms(terms)
