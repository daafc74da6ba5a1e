"""Step 3 of recalling: how well each memory answers, from signals that the store read.

This is the whole formula; nothing of it is in SQL. Everything in it (how many memories, how many bear
a word, how long they are) is counted over rows that the audience may hear.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Generic, TypeVar, cast

import numpy as np

from confide.model import Trust
from confide.store.kinds import SELDOM_SAID, kinds_asked, things_asked
from confide.store.search import Numbers, Sharp, Signals
from confide.store.terms import Asked

#: A store with three memories has no statistics; these many imagined ones keep rarity sane.
PRIOR_ROWS: Final = 100
PRIOR_LENGTH: Final = 12.0
_LENGTH_SHARE: Final = 0.16  # BM25 with k1 = 1.2, b = 0.3 and each word counted once
_LEAST_BREVITY: Final = 0.6  # a very long text that has every word is found all the same
#: "I" is in most questions to an assistant and tells less than a name.
ASKER_SHARE: Final = 0.25
_TELLING_SHARE: Final = 2 / 3
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Mix:
    """How much each sign counts. Together at most 1, so that relevance means the same anywhere."""

    own: float = 0.17
    window: float = 0.33
    meaning: float = 0.27
    name: float = 0.23
    threshold: float = 0.5  # a cosine above means: about the same thing, whatever words are used
    noise: float = 0.07  # a cosine below says nothing
    # If relevance and cosine at best add up to less, nothing known is asked for. The more memories there
    # are, the better the best fits by chance.
    floor: tuple[float, float] = (0.52, 0.75)
    floor_of_one: float = 0.225
    floor_growth: float = 0.08  # each time there are e times as many
    beside_best: float = 0.3  # what is told beside the best is this part as relevant
    kin: float = 0.5  # a word of the kind that is asked for ("tea", "drink") counts this part of it
    weak: float = 0.018  # what is less relevant than this does not even help perhaps
    least_part: float = 0.15  # so much of a memory must be asked for if only kinds speak for it

    def floor_among(self, memories: int) -> float:
        floor = self.floor_of_one + self.floor_growth * np.log(max(1, memories))
        return float(np.clip(floor, *self.floor))

    def noise_of(self, model: Sharp | None) -> float:
        """The same for the cosines of a provider's model."""
        if model is None:
            return 1.0
        return model.unrelated + self.noise / self.threshold * (model.threshold - model.unrelated)


@dataclass(frozen=True, slots=True)
class Ranked:
    """For each row how near in meaning and how relevant it is, and whether it is worth telling."""

    near: Numbers
    relevance: Numbers
    is_fit: Numbers
    is_known: bool  # whether something that is really known is asked for


@dataclass(frozen=True, slots=True)
class Voice(Generic[T]):
    """Something said, by whom, and how well it fits."""

    author: str
    said: T
    relevance: float


MIX: Final = Mix()
any_of: Final = partial(np.logical_or.reduce, axis=1)
all_of: Final = partial(np.logical_and.reduce, axis=1)


def rank(question: Asked, rows: Signals, sharp: Sharp | None = None, mix: Mix = MIX) -> Ranked:
    """How well each row answers the question."""
    near = nearness(rows, sharp, mix)
    # A word is a name only if somebody bears it whose memories may be told here.
    borne = dict(zip(question.names_in_order, any_of(rows.names, axis=0), strict=False))
    wanted = np.array([not borne.get(term) for term in question.terms], dtype=bool)
    calls = any_of(rows.names)
    is_askers = rows.is_askers & question.is_about_asker
    # In a chat with one person their name tells nothing apart.
    of_asker = rows.askers * question.is_about_asker - np.count_nonzero(calls & is_askers)
    apart = 1 - (np.count_nonzero(calls) + of_asker) / (rows.memories + 1)
    name = apart * np.where(calls, 1, is_askers * ASKER_SHARE)

    # Unknown words count as missing, so sharing a common word with a question about something else
    # makes no candidate.
    bearing = np.count_nonzero(rows.own, axis=0)
    rarity = np.log(1 + (rows.memories + PRIOR_ROWS - bearing + 0.5) / (bearing + 0.5)) * wanted
    usual = (PRIOR_ROWS * PRIOR_LENGTH + rows.words) / (PRIOR_ROWS + rows.memories)
    fair = 1 / (1 - _LENGTH_SHARE + _LENGTH_SHARE * rows.lengths / usual)
    brief = np.clip(fair, _LEAST_BREVITY, 1)
    own, said = (
        np.where(words, 1, mix.kin * kin)
        for words, kin in (
            (rows.own, _of_kind(question, rows.own_things)),
            (rows.said, _of_kind(question, rows.said_things)),
        )
    )
    # Who asks nothing but a name wants to hear what is known about that person.
    total = rarity.sum()
    cover: list[Numbers] = [
        brief * (one @ rarity) / total if total else calls for one in (own, said)
    ]
    score = mix.own * cover[0] + mix.window * cover[1]
    score = score + mix.meaning * np.maximum(near, 0) + mix.name * name
    # A sum's last digits depend on the order of adding, and that on rows nobody may see.
    relevance = cast("Numbers", np.round(score, 6))

    best = relevance.max(initial=0)
    is_fit = (relevance >= mix.beside_best * best) | (near >= mix.threshold)
    nearest = near[is_fit].max(initial=0)
    # A shared word that is not near in meaning is chance, and so is the reverse.
    both = (relevance + near)[is_fit].max(initial=0)
    is_known = both >= mix.floor_among(rows.memories) or nearest >= mix.threshold
    is_known = is_known or _is_answered(question, rows, wanted, own > 0, said > 0, calls, mix)
    return Ranked(near, relevance, is_fit, bool(is_known and len(relevance)))


def of_kinds(rows: Signals, near: Numbers, about: Numbers, mix: Mix = MIX) -> Numbers:
    """For a broad question: each memory about the person fits as if only their name were asked."""
    apart = 1 - np.count_nonzero(about) / (rows.memories + 1)
    score = mix.own + mix.window + mix.meaning * np.maximum(near, 0) + mix.name * apart
    return np.round(score, 6)


def best_first(ids: Numbers, relevance: Numbers, which: Numbers) -> Numbers:
    """The chosen rows by relevance; the order in which rows arrive must not show, so equals by id."""
    halves = np.ascontiguousarray(ids).view(">u8").reshape(-1, 2)
    chosen = np.flatnonzero(which)
    return chosen[np.lexsort((halves[chosen, 1], halves[chosen, 0], -relevance[chosen]))]


def first_of_each(authors: Numbers, ordered: Numbers, most: int) -> tuple[Numbers, Numbers]:
    """Of these rows the first `most` of each author, and the others."""
    by_author = np.argsort(authors[ordered], kind="stable")
    of = authors[ordered][by_author]
    starts = np.maximum.accumulate(np.where(np.r_[True, of[1:] != of[:-1]], np.arange(len(of)), 0))
    nth = np.empty(len(of), dtype=int)
    nth[by_author] = np.arange(len(of)) - starts
    return ordered[nth < most], ordered[nth >= most]


def nearness(rows: Signals, sharp: Sharp | None, mix: Mix) -> Numbers:
    """By the built-in model, or on its scale by a provider's where that has a vector."""
    if sharp is None:
        return rows.near
    cosine, related = rows.model_near, sharp.threshold
    below = (cosine - sharp.unrelated) / (related - sharp.unrelated)
    above = 1 + (cosine - related) / (1 - related) * (1 / mix.threshold - 1)
    scaled = mix.threshold * np.where(cosine < related, below, above)
    return np.where(np.isnan(cosine), rows.near, scaled)


def _of_kind(question: Asked, things: Numbers) -> Numbers:
    """For each word of the question whether a row has a thing of the kind that the word asks for."""
    asked, every = kinds_asked(question.terms), things_asked(question.terms)
    asks = [[thing in asked.get(term, ()) for term in question.terms] for thing in every]
    return things @ np.array(asks, dtype=int).reshape(len(every), len(question.terms)) > 0


def _is_answered(
    question: Asked,
    rows: Signals,
    wanted: Numbers,
    own: Numbers,
    said: Numbers,
    calls: Numbers,
    mix: Mix,
) -> bool:
    """Whether a memory, or what was said just before it, has every telling word of the question:
    coordinates and commands have no meaning that vectors know, nor has "Blue". Something of the kind
    does for a word if the memory is about that: a long text speaks of many things by chance."""
    if not wanted.any():
        return bool(calls.any())
    often = np.array([term not in SELDOM_SAID for term in question.terms]) & wanted
    needed = often if often.any() else wanted
    about = np.count_nonzero(own[:, wanted], axis=1) >= mix.least_part * rows.lengths
    whole = all_of(rows.said[:, wanted]) | (all_of(said[:, needed]) & about)
    return bool(whole.any())


def weigh(relevance: float, *, strength: float, confidence: float, trust: Trust) -> float:
    """Among equally relevant memories the strong, sure and first-hand ones come first."""
    vouched = 1 - trust.rank / (len(Trust) - 1)
    return round(relevance * (0.7 + 0.1 * strength + 0.1 * confidence + 0.1 * vouched), 6)


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
