"""Step 3 of learning, with a language model: it reads what may leave, the built-in extractor the rest."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol

from confide.model import Entity, Fact, Message
from confide.providers.builtin import BuiltinExtractor
from confide.providers.llm.model import Refused, Truncated
from confide.providers.usage import Tokens

if TYPE_CHECKING:
    from confide.providers.llm.extractor import ModelExtractor
    from confide.screen.leaving import Leaving


class NoFacts:
    """CONFIDE_EXTRACTION=off. What somebody asks to remember is found before any extractor; what is
    said meanwhile counts as learned from, so that switching it on again does not reach back."""

    version = "off"

    def extract(self, messages: Sequence[Message]) -> list[Fact]:
        return []


class Purse(Protocol):
    """Knows what was spent, and whether there is more."""

    async def may_spend(self, person: Entity | None, space: str | None = None) -> bool: ...

    async def spend(
        self,
        operation: str,
        model: str,
        tokens: Tokens,
        *,
        person: Entity | None = None,
        place: str | None = None,
        space: str | None = None,
    ) -> None: ...


@dataclass(frozen=True, kw_only=True)
class CarefulExtractor:
    """Nothing that may not leave is ever in the model's hands."""

    model: ModelExtractor
    model_name: str
    leaving: Leaving
    purse: Purse
    builtin: BuiltinExtractor = field(default_factory=BuiltinExtractor)
    speaker: Entity | None = None
    wanted: frozenset[str] | None = None

    @property
    def version(self) -> str:
        return f"{self.model.version}+{self.builtin.version}"

    def attending(self, speaker: Entity, wanted: Collection[str]) -> CarefulExtractor:
        """The same, for one person's new messages: nothing is asked twice, and costs have an owner."""
        return replace(self, speaker=speaker, wanted=frozenset(wanted))

    async def extract(self, messages: Sequence[Message]) -> list[Fact]:
        wanted = self.wanted if self.wanted is not None else {one.id for one in messages}
        may_leave = await asyncio.to_thread(self.leaving.which, [one.text for one in messages])
        leaving = [one for one, may in zip(messages, may_leave, strict=True) if may]
        asked = {one.id for one in leaving} & wanted
        space = messages[0].place.space if messages else None
        if not asked or not await self.purse.may_spend(self.speaker, space):
            return await self._builtin(messages, wanted)
        try:
            facts = await self._ask(leaving, asked)
        except (Refused, Truncated):
            return await self._builtin(messages, wanted)
        if wanted - asked:
            facts += await self._builtin(messages, wanted - asked)
        order = {one.id: number for number, one in enumerate(messages)}
        return sorted(facts, key=lambda fact: order[fact.message_id])

    async def _ask(self, leaving: Sequence[Message], asked: set[str]) -> list[Fact]:
        spent: list[Tokens] = []
        try:
            return await self.model.extract(leaving, asked, spent.append)
        finally:
            total = Tokens(sum(one.read for one in spent), sum(one.written for one in spent))
            await self.purse.spend(
                "extract", self.model_name, total,
                person=self.speaker, place=leaving[0].place.id, space=leaving[0].place.space,
            )  # fmt: skip

    async def _builtin(self, messages: Sequence[Message], wanted: Collection[str]) -> list[Fact]:
        builtin = replace(self.builtin, wanted=wanted)
        return await asyncio.to_thread(builtin.extract, messages)
