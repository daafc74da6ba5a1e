"""Step 3 of recalling: order what this audience may hear by how well it answers.

The formula, here in Python so that it can be read and checked; the store computes the same in SQL.
Everything in it (how many memories, how many bear a word, how long they are) is counted over the
rows passed in, and only rows the audience may hear are ever passed in.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

from confide.model import Trust
from confide.store.kinds import SELDOM_SAID, kinds_asked, kinds_of
from confide.store.terms import Asked

#: A store with three memories has no statistics; these many imagined ones keep rarity sane.
PRIOR_ROWS: Final = 100
PRIOR_LENGTH: Final = 12.0
_LENGTH_SHARE: Final = 0.16  # BM25 with k1 = 1.2, b = 0.3 and each word counted once
_LEAST_BREVITY: Final = 0.6  # a very long text that has every word is found all the same
#: "I" is in most questions to an assistant and tells less than a name.
_ASKER_SHARE: Final = 0.25
_TELLING_SHARE: Final = 2 / 3
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A memory as search sees it. `before` holds words of the two messages before it, and is empty
    where the audience may not hear those."""

    id: int
    own: frozenset[str]
    own_length: int
    before: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()  # whose it is and whom it is about
    is_askers: bool = False
    cosine: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """What the cosines of one embedding model mean, measured by `benchmarks/retrieval`."""

    threshold: float  # above, two texts are about the same thing, whatever words they use


@dataclass(frozen=True, slots=True, kw_only=True)
class Mix:
    """How much each sign counts. Together at most 1, so that relevance means the same anywhere."""

    own: float = 0.17
    window: float = 0.33
    meaning: float = 0.27
    name: float = 0.23
    floor: float = (
        0.64  # if relevance and cosine at best add up to less, nothing known is asked for
    )
    beside_best: float = 0.3  # what is told beside the best is this part as relevant
    kin: float = 0.5  # a word of the kind that is asked for ("tea", "drink") counts this part of it
    least_part: float = 0.15  # so much of a memory must be asked for if only kinds speak for it


@dataclass(frozen=True, slots=True)
class Found:
    """A memory worth telling."""

    id: int
    relevance: float


@dataclass(frozen=True, slots=True)
class Voice(Generic[T]):
    """Something said, by whom, and how well it fits."""

    author: str
    said: T
    relevance: float


WORDLLAMA: Final = Calibration(threshold=0.5)
MIX: Final = Mix()


def rank(
    question: Asked, rows: Sequence[Row], model: Calibration = WORDLLAMA, mix: Mix = MIX
) -> list[Found]:
    """The candidates among `rows`, most relevant first; none at all is an answer."""
    scored = [
        Found(row.id, value) for row, value in zip(rows, _score(question, rows, mix), strict=True)
    ]
    best = max((one.relevance for one in scored), default=0.0)
    bar = best * mix.beside_best
    fitting = [
        (one, row.cosine)
        for one, row in zip(scored, rows, strict=True)
        if one.relevance >= bar or row.cosine >= model.threshold
    ]
    nearest = max((cosine for _, cosine in fitting), default=0.0)
    # A shared word that nothing comes near in meaning is chance, and so is the reverse.
    is_known = (
        best + nearest >= mix.floor
        or nearest >= model.threshold
        or _is_answered(question, rows, mix)
    )
    if not is_known:
        return []
    return sorted((one for one, _ in fitting), key=lambda one: (-one.relevance, -one.id))


def _is_answered(question: Asked, rows: Sequence[Row], mix: Mix) -> bool:
    """Whether a memory, or what was said just before it, has every telling word of the question:
    coordinates and commands have no meaning that vectors know, nor has "Blue"."""
    named = _who(question, rows)
    wanted = frozenset(question.terms) - named.names
    if not wanted:
        return any(named.calls(row) for row in rows)
    return any(
        wanted <= row.own | row.before or _is_about(question, wanted, row, mix) for row in rows
    )


def _is_about(question: Asked, wanted: frozenset[str], row: Row, mix: Mix) -> bool:
    """Whether it has every word or something of the kind, and is about that: a long text speaks of
    many kinds of things by chance."""
    kinds = kinds_asked(question.terms)
    said = wanted & _with_kin(row.own | row.before, kinds)
    own = wanted & _with_kin(row.own, kinds)
    return (wanted - SELDOM_SAID or wanted) <= said and len(own) >= mix.least_part * row.own_length


def _with_kin(terms: frozenset[str], kinds: Mapping[str, Sequence[str]]) -> frozenset[str]:
    """These terms, and those of the question that ask for the kind of one of them."""
    known = kinds_of(terms) if kinds else frozenset[str]()
    return terms | {term for term, asked in kinds.items() if not known.isdisjoint(asked)}


def _score(question: Asked, rows: Sequence[Row], mix: Mix) -> list[float]:
    named = _who(question, rows)
    rarity = _rarities([term for term in question.terms if term not in named.names], rows)
    kinds = kinds_asked(question.terms)
    usual = usual_length(row.own_length for row in rows)
    scores: list[float] = []
    for row in rows:
        name = named.share(row)
        # Who asks nothing but a name wants to hear what is known about that person.
        own = window = float(named.calls(row))
        if rarity:
            short = brevity(row.own_length, usual)
            own, window = (
                short * covered(rarity, said, _with_kin(said, kinds), mix.kin)
                for said in (row.own, row.own | row.before)
            )
        meaning = max(0.0, row.cosine)
        score = mix.own * own + mix.window * window + mix.meaning * meaning + mix.name * name
        # A sum's last digits depend on the order of adding, and that on rows nobody may see.
        scores.append(round(score, 6))
    return scores


def rarity_of(rows: int, bearing: int) -> float:
    """BM25's inverse document frequency: how telling a word is that `bearing` of `rows` have."""
    return math.log(1 + (rows + PRIOR_ROWS - bearing + 0.5) / (bearing + 0.5))


def covered(
    rarity: dict[str, float], terms: frozenset[str], with_kin: frozenset[str], kin: float
) -> float:
    """Which part of what the question says occurs in `terms`, or for less in kind. Unknown words
    count as missing, so sharing a common word with a question about something else makes no
    candidate."""
    said = sum(
        weight * (1 if term in terms else kin)
        for term, weight in rarity.items()
        if term in with_kin
    )
    return said / sum(rarity.values())


def brevity(length: int, usual: float) -> float:
    """BM25's length normalisation: a word says more about a short text than about a long one."""
    fair = 1 / (1 - _LENGTH_SHARE + _LENGTH_SHARE * length / usual)
    return min(1.0, max(_LEAST_BREVITY, fair))


def usual_length(lengths: Iterable[int]) -> float:
    """The average length, starting from that of an ordinary chat message."""
    total, count = PRIOR_LENGTH * PRIOR_ROWS, PRIOR_ROWS
    for length in lengths:
        total, count = total + length, count + 1
    return total / count


def numbers(model: Calibration = WORDLLAMA, mix: Mix = MIX) -> list[float]:
    """Everything the formula is made of, in the order the store's query expects."""
    return [
        PRIOR_ROWS, PRIOR_LENGTH, _LENGTH_SHARE, mix.meaning, _ASKER_SHARE, mix.own, mix.window,
        mix.name, mix.floor, mix.beside_best, model.threshold, _LEAST_BREVITY, mix.kin, mix.least_part,
    ]  # fmt: skip


def weigh(relevance: float, *, strength: float, confidence: float, trust: Trust) -> float:
    """Among equally relevant memories the strong, sure and first-hand ones come first."""
    vouched = 1 - trust.rank / (len(Trust) - 1)
    return relevance * (0.7 + 0.1 * strength + 0.1 * confidence + 0.1 * vouched)


def share_out(ranked: Sequence[Voice[T]], asker: str, limit: int) -> list[T]:
    """The first `limit`, of which no author but the asker has more than half while others have
    something to say: something that fits at least two thirds as well as the best does."""
    telling = max((voice.relevance for voice in ranked), default=0.0) * _TELLING_SHARE
    chosen: list[T] = []
    held_back: list[T] = []
    faint: list[T] = []
    told: Counter[str] = Counter()
    for voice in ranked:
        is_full = told[voice.author] >= max(1, limit // 2)
        if voice.author != asker and is_full:
            held_back.append(voice.said)
        elif held_back and voice.relevance < telling:
            faint.append(voice.said)
        else:
            told[voice.author] += 1
            chosen.append(voice.said)
    return [*chosen, *held_back, *faint][:limit]


def settle(
    ranked: Sequence[T], contradict: Callable[[T, T], bool], better: Callable[[T], Any]
) -> list[T]:
    """Of two that contradict each other, the first-hand and newer one takes the better place.

    `contradict` is asked with the better one first. Each swap brings two into the order of
    `better`, so there is an end to it; the others stay where they are.
    """
    order = [(one, better(one)) for one in ranked]
    is_settled = False
    while not is_settled:
        is_settled = True
        for low in range(1, len(order)):
            for high in range(low):
                (one, standing), (other, others) = order[low], order[high]
                if standing > others and contradict(one, other):
                    order[low], order[high] = order[high], order[low]
                    is_settled = False
    return [one for one, _ in order]


@dataclass(frozen=True, slots=True)
class _Named:
    """Whom the question names, and how much that tells apart here."""

    names: frozenset[str]
    is_asker: bool
    by_name: float = 1.0
    by_pronoun: float = 1.0

    def calls(self, row: Row) -> bool:
        return not self.names.isdisjoint(row.names)

    def share(self, row: Row) -> float:
        if self.calls(row):
            return self.by_name
        return self.by_pronoun if self.is_asker and row.is_askers else 0.0


def _who(question: Asked, rows: Sequence[Row]) -> _Named:
    # A word is a name only if somebody bears it whose memories may be told here.
    borne = frozenset[str]().union(*(row.names for row in rows))
    named = _Named(question.names & borne, question.is_about_asker)
    meant = sum(1 for row in rows if named.share(row))
    # In a chat with one person their name tells nothing apart.
    apart = 1 - meant / (len(rows) + 1)
    return _Named(named.names, named.is_asker, apart, apart * _ASKER_SHARE)


def _rarities(terms: Sequence[str], rows: Sequence[Row]) -> dict[str, float]:
    bearing = Counter(term for row in rows for term in terms if term in row.own)
    return {term: rarity_of(len(rows), bearing[term]) for term in terms}
