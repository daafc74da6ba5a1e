"""What is said, given to the memory: one message, or a conversation that is learned from at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from confide.model import Message, Namespace, Place
from confide.remember.adding import Added
from confide.remember.listening import Learn, Listening
from confide.remember.observe import Observed
from confide.remember.turns import Name, read_exchange


class Talking:
    """The same here and on a server."""

    learning: Listening

    async def observe(self, message: Message, *, learn: Learn = "later") -> Observed:
        """Keep what was said, with the label of its place at this moment. Learning comes later,
        unless `learn` is "now"."""
        return await self.learning.observe(message, learn=learn)

    async def add(
        self,
        messages: Iterable[Mapping[str, Any]],
        *,
        by: Name | None = None,
        place: Place | str,
        present: Iterable[Name] = (),
        people: Mapping[str, Name] | None = None,
        namespace: Namespace | str | None = None,
    ) -> Added:
        """Observe a conversation and learn from what is new in it, before this returns (B16).

        `messages`: [{"role": "user", "content": "…"}], each with `by`, `name`, `at` and `id` where
        they are known. `by` said what names nobody; `people` says whose the names are. Give the whole
        list again, or its last messages, whenever something was said.
        """
        exchange = read_exchange(
            messages, by=by, place=place, present=present, people=people, namespace=namespace
        )
        return await self.learning.add(exchange)
