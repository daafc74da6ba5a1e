"""Step 4 of recalling: decide once more on what was found, and write of it what fits the budget."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final, NamedTuple

from confide.privacy.disclosure import disclose
from confide.recall.context import INSTRUCTIONS, Context, Said, Told, lines_of
from confide.recall.search import Searched
from confide.recall.tokens import estimate_tokens, fits, longest
from confide.store.memory import Memory
from confide.store.search import Found

#: Characters of each long text that come before the rest of any; less than that only for the best.
LEAST: Final = 120
LITTLE: Final = 20
_AROUND: Final = estimate_tokens(f"{INSTRUCTIONS}\n\n```memories\n\n```")
_TICKS: Final = re.compile("`+")


def write_context(question: str, searched: Searched, budget: int) -> Context:
    """What may be told, the best first."""
    found = {one.id: one for one in (*searched.found, *searched.weak)}
    weak = {one.id for one in searched.weak}
    disclosure = disclose([one.memory for one in found.values()], searched.audience, searched.world)
    context = Context(question=question, audience=searched.audience, now=searched.world.now)
    told = (_told(one, found[one.id], is_weak=one.id in weak) for one in disclosure.told)
    return within_budget(context.only(told), budget)


def _told(memory: Memory, found: Found, *, is_weak: bool) -> Told:
    return Told(
        memory=memory,
        relevance=found.relevance,
        similarity=found.similarity,
        owner_name=found.owner_name,
        # More memories are worth more than more dialogue behind what may not fit.
        evidence=()
        if is_weak
        else tuple(Said(speaker=who, text=text) for who, text in found.dialogue),
        is_weak=is_weak,
    )


def within_budget(context: Context, tokens: int) -> Context:
    """First as many memories as fit, long ones shortened; then more of the long texts, the best
    first; then the dialogue of the best."""
    if fits(context.markdown(), tokens):
        return context
    room = _Room(context, tokens)
    dialogue = {told.memory.id: told.evidence for told in context.everything}
    for told in context.everything:
        bare = replace(told, evidence=())
        if not room.add(_cut(bare, LEAST)) and not room.told:
            room.add(_cut(bare, LITTLE))
    for at in range(len(room.told)):
        room.lengthen(at)
    for at, told in enumerate(room.told):
        room.put(at, replace(told, evidence=dialogue[told.memory.id]))
    return context.only(room.told)


class _Price(NamedTuple):
    tokens: int
    ticks: int  # the longest run of backticks: the fence must be longer
    title: str


class _Room:
    """The memories of a block, which never cost more than its budget."""

    def __init__(self, context: Context, tokens: int) -> None:
        self._context, self._tokens = context, tokens
        self.told: list[Told] = []
        self._prices: list[_Price] = []

    def add(self, told: Told) -> bool:
        return self.put(len(self.told), told)

    def put(self, at: int, told: Told) -> bool:
        """Put it there, if all still fits then."""
        prices = [*self._prices[:at], self._price(told), *self._prices[at + 1 :]]
        if _total(prices) > self._tokens:
            return False
        self._prices = prices
        self.told[at : at + 1] = [told]
        return True

    def lengthen(self, at: int) -> None:
        """As much of a shortened text as there is room for."""
        told = self.told[at]
        whole, most = len(told.memory.text), longest(self._tokens)
        if told.shortened_to is None or (
            whole <= most and self.put(at, replace(told, shortened_to=None))
        ):
            return
        least, most = told.shortened_to, min(whole, most)
        while least < most:
            middle = (least + most + 1) // 2
            if self.put(at, replace(told, shortened_to=middle)):
                least = middle
            else:
                most = middle - 1

    def _price(self, told: Told) -> _Price:
        written = "\n".join([*lines_of(told, self._context.now), ""])
        ticks = max((len(run) for run in _TICKS.findall(written)), default=0)
        return _Price(estimate_tokens(written), ticks, self._context.title_of(told))


def _total(prices: list[_Price]) -> int:
    titles = {one.title for one in prices}
    longer = max(0, max(one.ticks for one in prices) - 2)
    return (
        _AROUND
        + sum(estimate_tokens(f"{title}\n") for title in titles)
        + sum(one.tokens for one in prices)
        + 2 * longer
    )


def _cut(told: Told, most: int) -> Told:
    return replace(told, shortened_to=most) if len(told.memory.text) > most + 1 else told
