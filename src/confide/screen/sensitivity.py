"""How careful to be with a text (A7): a lexicon in five languages, and for English its meaning."""

import re
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from confide.language.words import Match, Terms, Word
from confide.model import Sensitivity
from confide.screen.ages import find_minor
from confide.screen.findings import Finding
from confide.screen.head import Caution, Counts, Score, heaviest, score
from confide.screen.languages import LANGUAGES, spoken
from confide.screen.lists import table

STRONG, WEAK, HARMLESS, PASTIME, PERSON = "strong", "weak", "harmless", "pastime", "person"
# Spanish and Portuguese leave the pronoun out, so its absence says nothing.
PERSON_IN_THE_VERB = frozenset({"es", "pt"})
MOST_COUNTED = 3
#: Words around a private sentence must not hide it.
SENTENCE_END = re.compile(r"(?<=[.!?;])\s+|\n+")
BY_MEANING = ("personal_meaning", "sensitive_meaning")


class Judge:
    """Decides what in a text is personal or sensitive."""

    def __init__(self, caution: Caution = "usual") -> None:
        self._caution: Caution = caution

    def judge(self, texts: Sequence[str], split: Sequence[list[Word]]) -> list[tuple[Finding, ...]]:
        """The sensitive findings of each text."""
        found: list[list[Finding]] = [[] for _ in texts]
        english: list[tuple[int, _Sentence]] = []
        for number, (text, words) in enumerate(zip(texts, split, strict=True)):
            languages = spoken(words)
            found[number] += find_minor(text)
            if "en" in languages:
                english += [(number, one) for one in _sentences(text, words)]
            for language in LANGUAGES[1:]:
                if language in languages:
                    found[number] += _by_words(words, language)
        scores = score(
            [one.text for _, one in english], [one.seen.counts for _, one in english], self._caution
        )
        for (number, sentence), scored in zip(english, scores, strict=True):
            found[number] += _by_meaning(sentence, scored)
        return [tuple(one) for one in found]

    @staticmethod
    def level(
        sensitive: tuple[Finding, ...], pii: tuple[Finding, ...], given: Sensitivity | None
    ) -> Sensitivity:
        """The highest of what was found and what was given."""
        kinds, personal_data = table("sensitivity_kinds"), table("pii")["kinds"]
        found = [Sensitivity(kinds[finding.kind]) for finding in sensitive]
        found += [Sensitivity(personal_data[finding.kind]["sensitivity"]) for finding in pii]
        return max([*found, given or Sensitivity.PUBLIC], key=lambda level: level.rank)


class _Seen(NamedTuple):
    """What the lexicon of one language says of some words."""

    strong: list[Finding]
    weak: list[Finding]
    counts: Counts


class _Sentence(NamedTuple):
    text: str
    span: tuple[int, int]
    seen: _Seen


def _with_apostrophes(text: str, words: list[Word]) -> tuple[str, list[Word]]:
    """The text with "ill" as "I'll" where nobody is said to be ill."""
    before, read, parts, end = "", list[Word](), list[str](), 0
    last = len(words) - 1
    for number, word in enumerate(words):
        is_verb = word.folded == "ill" and number < last and before not in _before_ill()
        if is_verb and words[number + 1].folded not in _after_ill():
            parts += [text[end : word.start], "I'll"]
            end = word.end
            word = Word("i'll", word.start, word.end)
        read.append(word)
        before = word.folded
    return "".join([*parts, text[end:]]), read


@cache
def _before_ill() -> frozenset[str]:
    return frozenset(table("ill")["before"])


@cache
def _after_ill() -> frozenset[str]:
    return frozenset(table("ill")["after"])


def _sentences(text: str, words: list[Word]) -> list[_Sentence]:
    """The English sentences of a text that have words, with what the lexicon sees in each."""
    ends = [match.start() for match in SENTENCE_END.finditer(text)] + [len(text)]
    made: list[_Sentence] = []
    start, first = 0, 0
    for end in ends:
        last = first
        while last < len(words) and words[last].start < end:
            last += 1
        if last > first:
            span = (words[first].start, words[last - 1].end)
            # Their places in the text stay; only how they are read changes.
            said = [Word(w.folded, w.start - start, w.end - start) for w in words[first:last]]
            read, heard = _with_apostrophes(text[start:end], said)
            kept = [Word(w.folded, w.start + start, w.end + start) for w in heard]
            made.append(_Sentence(read, span, _look(kept, "en")))
        start, first = end, last
    return made


def _by_meaning(sentence: _Sentence, scored: Score) -> list[Finding]:
    """What the lexicon names of a sentence that is private by its meaning, else the meaning itself.
    The weights come from statements, so what a question names is private by its words alone."""
    if max(scored) < 0:
        return _counted(sentence.seen, "en") if _is_question(sentence.text) else []
    named = [*sentence.seen.strong, *sentence.seen.weak]
    if named:
        return named
    kind = BY_MEANING[scored.sensitive >= 0]
    word = heaviest(sentence.text)
    reason = f"close in meaning to what people keep private, above all “{word}”"
    return [Finding(kind=kind, reason=reason, span=sentence.span)]


def _by_words(words: list[Word], language: str) -> list[Finding]:
    """Strong terms, and weak ones where a person speaks of people and not of games or machines."""
    return _counted(_look(words, language), language)


def _counted(seen: _Seen, language: str) -> list[Finding]:
    counts_weak = (
        seen.counts.of_person or language in PERSON_IN_THE_VERB
    ) and not seen.counts.of_pastime
    return [*seen.strong, *(seen.weak if counts_weak else ())]


def _is_question(sentence: str) -> bool:
    first = sentence.split(maxsplit=1)[0].casefold()
    return "?" in sentence or first in table("questions")["begin"]


def _look(words: list[Word], language: str) -> _Seen:
    """The terms of a language outside harmless phrases."""
    matches = [(match, _mark(match)) for match in _lexicon(language).find(words)]
    masked = {n for m, mark in matches if mark.strength == HARMLESS for n in range(m.first, m.last)}
    strengths = {mark.strength for _, mark in matches}
    strong, weak = (
        [
            _finding(mark.topic, match, words)
            for match, mark in matches
            if mark.strength == wanted and masked.isdisjoint(range(match.first, match.last))
        ]
        for wanted in (STRONG, WEAK)
    )
    counts = Counts(
        min(len(strong), MOST_COUNTED), min(len(weak), MOST_COUNTED),
        PERSON in strengths, PASTIME in strengths,
    )  # fmt: skip
    return _Seen(strong, weak, counts)


def counted(words: list[Word]) -> Counts:
    """What the English lexicon counts in a sentence."""
    return _look(words, "en").counts


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
