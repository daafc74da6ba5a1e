"""Step 4 of recalling: decide once more on what was found, and write of it what fits the budget."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final, NamedTuple

from confide.privacy.disclosure import disclose
from confide.recall.context import (
    INSTRUCTIONS,
    INSTRUCTIONS_STANDING,
    STANDING,
    Context,
    Said,
    Told,
    lines_of,
)
from confide.recall.search import Searched
from confide.recall.tokens import estimate_tokens, fits, longest
from confide.store.memory import Memory
from confide.store.search import Found

#: Characters of each long text that come before the rest of any; less than that only for the best.
LEAST: Final = 120
LITTLE: Final = 20
#: For all that is wanted in every answer.
STANDING_TOKENS: Final = 300
_AROUND: Final = estimate_tokens(f"{INSTRUCTIONS}\n\n```memories\n\n```")
_AROUND_STANDING: Final = estimate_tokens(INSTRUCTIONS_STANDING)
_TICKS: Final = re.compile("`+")


def write_context(question: str, searched: Searched, budget: int) -> Context:
    """What may be told, the best first."""
    standing, weak = ({one.id for one in those} for those in (searched.standing, searched.weak))
    fits = {one.id: one for one in searched.found}
    further = [one for one in searched.standing if one.id not in fits]
    found = fits | {one.id: one for one in (*searched.weak, *further)}
    disclosure = disclose([one.memory for one in found.values()], searched.audience, searched.world)
    context = Context(question=question, audience=searched.audience, now=searched.world.now)
    told = [
        _told(one, found[one.id], is_weak=one.id in weak, is_standing=one.id in standing)
        for one in disclosure.told
    ]
    left = min(STANDING_TOKENS, budget // 4)
    return within_budget(context.only(_standing_within(told, left, context.now)), budget)


def _standing_within(told: Sequence[Told], left: int, now: datetime) -> Iterator[Told]:
    """What is wanted in every answer takes little room: the newest that fit into it, whole."""
    for one in told:
        if one.is_standing:
            left -= estimate_tokens("\n".join(lines_of(one, now)))
        # One that the question asks for is told all the same.
        if one.fits or one.is_weak or left >= 0:
            yield one


def _told(memory: Memory, found: Found, *, is_weak: bool, is_standing: bool) -> Told:
    # More memories are worth more than more dialogue behind what may not fit.
    is_brief = is_weak or is_standing
    return Told(
        memory=memory,
        relevance=found.relevance,
        similarity=found.similarity,
        owner_name=found.owner_name,
        evidence=()
        if is_brief
        else tuple(Said(speaker=who, text=text) for who, text in found.dialogue),
        is_weak=is_weak,
        is_standing=is_standing,
    )


def within_budget(context: Context, tokens: int) -> Context:
    """First as many memories as fit, long ones shortened; then more of the long texts, the best
    first; then the dialogue of the best."""
    if fits(context.markdown(), tokens):
        return context
    room = _Room(context, tokens)
    dialogue = {told.memory.id: told.evidence for told in context.everything}
    for told in (*context.standing, *context.memories, *context.perhaps):
        bare = replace(told, evidence=())
        if not room.add(_cut(bare, LEAST)) and not any(one.fits for one in room.told):
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
        + (_AROUND_STANDING if STANDING in titles else 0)
        + sum(estimate_tokens(f"{title}\n") for title in titles)
        + sum(one.tokens for one in prices)
        + 2 * longer
    )


def _cut(told: Told, most: int) -> Told:
    return replace(told, shortened_to=most) if len(told.memory.text) > most + 1 else told
