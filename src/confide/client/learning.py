"""Observing, through a server: one message, or many as a stream."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from confide.client import writing
from confide.client.door import Door
from confide.client.elsewhere import Elsewhere
from confide.client.group import not_offered
from confide.model import Kind, Message, Status
from confide.remember.adding import Added, Refused
from confide.remember.listening import Learn, Listening
from confide.remember.observe import Observed
from confide.remember.turns import Exchange
from confide.store.turns import Noted


@dataclass(frozen=True, slots=True)
class Streamed:
    """What became of a stream of messages."""

    kept: int
    known: int
    skipped: int
    wrong: tuple[tuple[int, str, str], ...]  # line, field, problem


class RemoteLearning(Listening):
    def __init__(self, door: Door) -> None:
        super().__init__(Elsewhere(door))
        self._wire = door

    async def observe(
        self, message: Message, *, batch: uuid.UUID | None = None, learn: Learn = "later"
    ) -> Observed:
        """Keep what was said, with the label of its place at this moment."""
        if batch is not None:
            not_offered("taking a file in")
        sent = await writing.message(self._wire, message) | {"learn": learn}
        told = await self._wire.call("POST", "/v1/messages", body=sent)
        learned = tuple(uuid.UUID(one) for one in told["learned"])
        kept, new, because = told["is_kept"], told["is_new"], told["because"]
        return Observed(is_kept=kept, is_new=new, because=because, learned=learned)

    async def add(self, exchange: Exchange, *, platform: str = "local") -> Added:
        """Observe a list of messages and learn from what is new in it. The key says which platform."""
        sent = await writing.exchange(self._wire, exchange)
        told = await self._wire.call("POST", "/v1/messages/add", body=sent)
        return Added(
            remembered=tuple(map(_noted, told["remembered"])),
            waits=tuple(map(_noted, told["waits"])),
            refused=tuple(Refused(one["number"], one["because"]) for one in told["refused"]),
            known=told["known"],
            is_learned=told["is_learned"],
        )

    async def observe_all(self, messages: Iterable[Message]) -> Streamed:
        """Many at once, as a stream."""
        sent = [await writing.message(self._wire, one) for one in messages]
        lines = (json.dumps({k: v for k, v in one.items() if v is not None}) for one in sent)
        told = await self._wire.stream("/v1/messages/stream", "\n".join(lines))
        wrong = tuple((one["line"], one["field"], one["problem"]) for one in told["wrong"])
        return Streamed(told["kept"], told["known"], told["skipped"], wrong)


def _noted(raw: dict[str, Any]) -> Noted:
    return Noted(
        memory_id=uuid.UUID(raw["id"]),
        text=raw["text"],
        kind=Kind(raw["kind"]),
        status=Status(raw["status"]),
        waits_because=raw["waits_because"],
    )
