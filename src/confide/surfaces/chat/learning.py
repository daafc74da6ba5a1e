"""Learning in a chat: what is built in takes over where the language model does not answer."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

from confide.errors import ModelUnavailable
from confide.model import Entity, Fact, Message
from confide.providers.builtin import BuiltinExtractor
from confide.remember.learn import Attentive, Extractor


@dataclass(frozen=True, slots=True, kw_only=True)
class Watched:
    """An extractor that says when its model is away, and may let the built-in one do the work."""

    extractor: Extractor
    on_away: Callable[[], None]
    instead: BuiltinExtractor | None = None  # None: what was said waits for the model

    @property
    def version(self) -> str:
        return self.extractor.version

    def attending(self, speaker: Entity, wanted: Collection[str]) -> Watched:
        if not isinstance(self.extractor, Attentive):
            return self
        return replace(self, extractor=self.extractor.attending(speaker, wanted))

    async def extract(self, messages: Sequence[Message]) -> list[Fact]:
        try:
            # In a thread: the built-in one computes, and returns when it is done.
            found = await asyncio.to_thread(self.extractor.extract, messages)
            return await found if inspect.isawaitable(found) else found
        except ModelUnavailable:
            self.on_away()
            if self.instead is None:
                raise
            return await asyncio.to_thread(self.instead.extract, messages)
