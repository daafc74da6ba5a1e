"""Step 2 of recalling: find what fits the question among what this audience may hear."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from confide.language.asking import attributes_asked
from confide.model import Kind, Manner, MemoryType, Sensitivity, Trust
from confide.recall.audience import asked_in
from confide.recall.broad import Search, expand, take_turns
from confide.recall.claims import claims
from confide.recall.contradicting import contradicts
from confide.recall.ranking import (
    ASKER_SHARE,
    MIX,
    Mix,
    Ranked,
    Voice,
    all_of,
    any_of,
    best_first,
    first_of_each,
    of_kinds,
    rank,
    settle,
    share_out,
    weigh,
)
from confide.store.search import KINDS, Found, Looked, Sharp, Signals, Sought, look
from confide.store.strength import strength
from confide.store.terms import Asked, asked

if TYPE_CHECKING:
    from collections.abc import Collection
    from datetime import datetime

    from confide.privacy.policy import Audience, World
    from confide.providers.embedder import Vector
    from confide.store.database import Database
    from confide.store.search import Numbers

#: Each is compared with each, and nobody reads so far down.
_COMPARED: Final = 50
MOST_WEAK: Final = 5
PUBLIC: Final = Sensitivity.PUBLIC.value


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """How much a recall brings back, and what the embedding model's cosines mean."""

    top_k: int = 5
    similarity: float | None = None  # instead of the model's own threshold
    manner: Manner = Manner.CERTAIN


@dataclass(frozen=True, slots=True)
class Searched:
    """What fits the question best, with all that a last decision on it needs."""

    found: list[Found]
    weak: list[Found]  # beside it, or instead if nothing is really known
    standing: list[Found]  # what the asker wants in every answer (B18)
    audience: Audience  # in the place as it is known now
    world: World
    read_at: str | None = None  # how far a standby saw, if one answered


async def search(
    database: Database,
    audience: Audience,
    now: datetime,
    question: str,
    vector: Vector,
    wanted: Wanted,
    sharp: Sharp | None = None,
) -> Searched:
    """By words, names and meaning; an empty answer is an answer."""
    mix = MIX if wanted.similarity is None else replace(MIX, threshold=wanted.similarity)
    broad, heard = expand(question), asked(question)
    sought = Sought(
        question=replace(heard, names=heard.names.union(*(one.about for one in broad))),
        vector=vector,
        noise=mix.noise,
        sharp=sharp,
        sharp_noise=mix.noise_of(sharp),
        is_broad=bool(broad),
    )
    finding = _Finding(sought, broad, mix, wanted)
    labels = attributes_asked(question)

    async def ask(known: Audience) -> Searched:
        named: list[Found] = []
        for label in labels:
            by_label = replace(sought, question=asked(label), is_broad=False)
            async with look(database, known, now, by_label) as looked:
                found, *_ = await _Finding(by_label, (), mix, wanted).among(looked)
            named += [one for one in found if _states(one, label, known)]
        async with look(database, known, now, sought) as looked:
            found, weak, standing = await finding.among(looked)
        if named:
            found, weak = _once([named, found])[: wanted.top_k], _without(weak, named)
        telling = looked.telling
        return Searched(found, weak, standing, telling.audience, telling.world, telling.read_at)

    return await asked_in(database, audience, now, ask)


def _states(one: Found, label: str, who: Audience) -> bool:
    """Whether it is the asker's own attribute of that name: "what's my ign?" shares no word with
    "in game name: Zyx_99"."""
    return one.author == str(who.asker) and one.row["text"].startswith(f"{label}: ")


def _without(weak: list[Found], named: list[Found]) -> list[Found]:
    known = {one.id for one in named}
    return [one for one in weak if one.id not in known]


@dataclass(frozen=True, slots=True)
class _Finding:
    """Choosing among all that one audience may hear."""

    sought: Sought
    broad: tuple[Search, ...]
    mix: Mix
    wanted: Wanted

    @property
    def top_k(self) -> int:
        return self.wanted.top_k

    async def among(self, looked: Looked) -> tuple[list[Found], list[Found], list[Found]]:
        """What fits, what fits weakly, and what is wanted in every answer."""
        rows, who = looked.signals, looked.telling.audience
        ranked = rank(self.sought.question, rows, self.sought.sharp, self.mix)
        fit = ranked.is_fit & ranked.is_known
        searches: list[tuple[Numbers, Numbers]] = []
        if self.broad:
            fit, searches = self._by_kind(rows, ranked, fit)
        searches.append((ranked.relevance, self._candidates(rows, ranked.relevance, fit)))
        perhaps = ranked.relevance, self._perhaps(rows, ranked, fit)
        scores = {
            rows.ids[n].tobytes(): (float(ranked.near[n]), float(relevance[n]))
            for relevance, which in reversed([*searches, perhaps])
            for n in which
        }
        read, standing = await looked.read(scores)
        order = Order(who, looked.telling.world, self.top_k)
        found = [
            order.first([read[id] for n in which if (id := rows.ids[n].tobytes()) in read])
            for _, which in searches
        ]
        merged = _once(found) if self.broad else found[0]
        settled = _settled(merged, self.sought.question)
        weak = [read[id] for n in perhaps[1] if (id := rows.ids[n].tobytes()) in read]
        wanted = order.unasked(standing)
        known = {one.id for one in wanted}
        weak = order.weak([one for one in weak if one.id not in known])
        return self._shared(settled, who, is_alone=order.is_alone), weak, wanted

    def _perhaps(self, rows: Signals, ranked: Ranked, fit: Numbers) -> Numbers:
        """What may help a model although it may be about something else."""
        if self.wanted.manner is Manner.CERTAIN or self.broad:
            return np.zeros(0, dtype=int)
        which = ~fit & (ranked.relevance >= self.mix.weak)
        # In company not all of them are told.
        return best_first(rows.ids, ranked.relevance, which)[: 2 * MOST_WEAK]

    def _candidates(self, rows: Signals, relevance: Numbers, which: Numbers) -> Numbers:
        """The best, and beside them the best of those authors who have many: one of them must not
        drown the others (S14), and where nobody else has anything to say, may have all. Weighing
        changes their order, so these are twice as many as may be told."""
        ordered, most = best_first(rows.ids, relevance, which), 2 * self.top_k
        first, others = first_of_each(rows.authors, ordered, 2 * max(1, self.top_k // 2))
        return np.concatenate([first[:most], others[:most]])

    def _by_kind(
        self, rows: Signals, ranked: Ranked, fit: Numbers
    ) -> tuple[Numbers, list[tuple[Numbers, Numbers]]]:
        """What each search of a broad question finds, and what is left of the ordinary one."""
        names, mix = self.sought.question.names_in_order, self.mix
        called = [n for n, name in enumerate(names) if name in self.broad[0].about]
        about = all_of(rows.names[:, called]) if called else rows.is_askers
        relevance = of_kinds(rows, ranked.near, about, mix)
        kinds = frozenset[Kind]().union(*(one.kinds for one in self.broad))
        # What is of no sort of its own may still be of the sort that is asked for.
        sorts = kinds if len(kinds) == len(KINDS) else kinds - {Kind.KNOWLEDGE}
        is_sort = _is_of(rows, sorts)
        if (about & is_sort).any():
            # Of another sort only if near in meaning or with a word of the question.
            near = ranked.near >= mix.threshold
            bare = mix.meaning * np.maximum(ranked.near, 0) + mix.name * ASKER_SHARE
            fit = fit & (is_sort | near | (ranked.relevance > bare + 1e-6))
            about = about & (is_sort | near)
        found = (about & _is_of(rows, one.kinds) for one in self.broad)
        most = 4 * self.top_k
        return fit, [(relevance, best_first(rows.ids, relevance, one)[:most]) for one in found]

    def _shared(self, ranked: list[Found], who: Audience, *, is_alone: bool) -> list[Found]:
        """In company one author must not drown the others (S14)."""
        if is_alone:
            return ranked[: self.top_k]
        voices = [Voice(one.author, one, one.relevance) for one in ranked]
        shared = share_out(voices, str(who.asker), self.top_k)
        if all(one is other for one, other in zip(shared, ranked, strict=False)):
            return shared
        # The better one of two may have been held back; where both are told it comes first all the
        # same.
        return _settled(shared, self.sought.question)


@dataclass(frozen=True, slots=True)
class Order:
    """Among equally relevant memories the strong, sure and first-hand ones come first, then the newer."""

    who: Audience
    world: World
    top_k: int

    @property
    def is_alone(self) -> bool:
        return self.who.viewers <= {self.who.asker, self.world.agent}

    def first(self, found: list[Found]) -> list[Found]:
        """The first of them; of an author who has many, as many beside these."""
        first, others = list[Found](), list[Found]()
        asker, said = str(self.who.asker), Counter[str]()
        ordered = sorted(found, key=self._place)
        for one in ordered:
            said[one.author] += 1
            has_many = said[one.author] > max(1, self.top_k // 2) and one.author != asker
            (others if has_many else first).append(one)
        chosen = {one.id for one in (*first[: self.top_k], *others[: self.top_k])}
        return [one for one in ordered if one.id in chosen]

    def weak(self, found: list[Found]) -> list[Found]:
        return self.unasked(sorted(found, key=self._place))[:MOST_WEAK]

    def unasked(self, found: list[Found]) -> list[Found]:
        """In company only what is public: a personal fact is told if an insider asks for it (A8),
        not whenever they speak."""
        return [one for one in found if self.is_alone or one.row["sensitivity"] == PUBLIC]

    def _place(self, one: Found) -> tuple[float, float, bytes]:
        return -self.weight(one), -one.row["said_at"].timestamp(), one.id.bytes

    def weight(self, one: Found) -> float:
        row = one.row
        # What its owner asks keeps a memory strong, and nobody else may notice that they asked.
        is_renewed = self.is_alone and row["owner"] == str(self.who.asker)
        strong = strength(
            1.0,
            row["reinforced_at"] if is_renewed else row["created_at"],
            self.world.now,
            fades=row["type"] == MemoryType.EPISODIC and not row["is_protected"],
        )
        trust = Trust(row["trust"])
        return weigh(one.relevance, strength=strong, confidence=row["confidence"], trust=trust)


def _is_of(rows: Signals, kinds: Collection[Kind]) -> Numbers:
    return any_of(rows.kinds[:, [KINDS.index(kind) for kind in kinds]])


def _once(results: list[list[Found]]) -> list[Found]:
    """The searches of a broad question take turns; each memory counts once."""
    known = {one.id: one for result in results for one in result}
    return [known[id] for id in take_turns([[one.id for one in result] for result in results])]


def _settled(ranked: list[Found], question: Asked) -> list[Found]:
    """Between memories that contradict each other, first-hand and newer ones come first (S14)."""
    first, rest = ranked[:_COMPARED], ranked[_COMPARED:]
    settled = settle(claims(first, question), contradicts, lambda one: one.standing)
    return [*(one.found for one in settled), *rest]
