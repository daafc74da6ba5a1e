"""How careful to be with a text (A7): a lexicon in five languages and a small classifier."""

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from confide.language.words import Match, Terms, Word
from confide.model import Sensitivity
from confide.screen.findings import Finding
from confide.screen.languages import LANGUAGES, spoken
from confide.screen.lists import table

if TYPE_CHECKING:
    from confide.screen.classifier import Embed

STRONG, WEAK, HARMLESS, PASTIME, PERSON = "strong", "weak", "harmless", "pastime", "person"
ENGLISH = frozenset({"en"})
# Spanish and Portuguese leave the pronoun out, so its absence says nothing.
PERSON_IN_THE_VERB = frozenset({"es", "pt"})
# The built-in embeddings know English; elsewhere the words decide alone.
UNDECIDED = 0.5
LIKELY_ENOUGH_FOR_WEAK_WORDS = 0.42
LIKELY_ENOUGH_ALONE = 0.66
FEWEST_WORDS_TO_JUDGE = 4


class Judge:
    """Decides what in a text is personal or sensitive."""

    def __init__(self, embed: "Embed | None" = None) -> None:
        self._embed = embed

    def judge(self, texts: Sequence[str], split: Sequence[list[Word]]) -> list[tuple[Finding, ...]]:
        """The sensitive findings of each text."""
        languages = [spoken(words) for words in split]
        likely = self._likely(texts, split, languages)
        return [
            tuple(_found(words, tongues, chance))
            for words, tongues, chance in zip(split, languages, likely, strict=True)
        ]

    def _likely(
        self,
        texts: Sequence[str],
        split: Sequence[list[Word]],
        languages: Sequence[frozenset[str]],
    ) -> list[float]:
        """How likely each text is sensitive by its meaning; undecided where that cannot be known."""
        likely = [UNDECIDED] * len(texts)
        judged = [
            number
            for number, words in enumerate(split)
            if languages[number] == ENGLISH and len(words) >= FEWEST_WORDS_TO_JUDGE
        ]
        if self._embed and judged:
            from confide.screen.classifier import likely_sensitive

            chances = likely_sensitive([texts[number] for number in judged], self._embed)
            for number, chance in zip(judged, chances, strict=True):
                likely[number] = float(chance)
        return likely

    @staticmethod
    def level(
        sensitive: tuple[Finding, ...], pii: tuple[Finding, ...], given: Sensitivity | None
    ) -> Sensitivity:
        """The highest of what was found and what was given."""
        kinds, personal_data = table("sensitivity_kinds"), table("pii")["kinds"]
        found = [Sensitivity(kinds[finding.kind]) for finding in sensitive]
        found += [Sensitivity(personal_data[finding.kind]["sensitivity"]) for finding in pii]
        return max([*found, given or Sensitivity.PUBLIC], key=lambda level: level.rank)


def _found(words: list[Word], languages: frozenset[str], chance: float) -> list[Finding]:
    """What the lexicons of the text's languages find, else what its meaning suggests."""
    found = [
        finding
        for language in LANGUAGES
        if language in languages
        for finding in _in_language(words, language, chance)
    ]
    if not found and chance >= LIKELY_ENOUGH_ALONE:
        span = (words[0].start, words[-1].end)
        reason = "close in meaning to what people keep private"
        return [Finding(kind="meaning", reason=reason, span=span)]
    return found


def _in_language(words: list[Word], language: str, chance: float) -> list[Finding]:
    """Strong terms, and weak ones where a person speaks of people, outside harmless phrases."""
    matches = [(match, _mark(match)) for match in _lexicon(language).find(words)]
    if not matches:
        return []
    masked = {n for m, mark in matches if mark.strength == HARMLESS for n in range(m.first, m.last)}
    strengths = {mark.strength for _, mark in matches}
    counts_weak = (
        (PERSON in strengths or language in PERSON_IN_THE_VERB)
        and PASTIME not in strengths
        and chance >= LIKELY_ENOUGH_FOR_WEAK_WORDS
    )
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
    terms += [
        (term, mark) for mark in (HARMLESS, PASTIME, PERSON) for term in lexicon[mark]["terms"]
    ]
    return Terms(terms)
