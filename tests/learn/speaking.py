"""Somebody says something: messages for tests."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from datetime import datetime

from confide import Confide
from confide.model import Entity, Fact, Kind, Message
from confide.privacy.places import parse_place
from confide.remember.observe import Observed

_ids = itertools.count()


def message(
    text: str,
    *,
    by: str = "human:alice",
    place: str = "dm",
    at: datetime,
    id: str | None = None,
    present: Iterable[str] = (),
    **fields: object,
) -> Message:
    who = Entity.parse(by)
    return Message(
        id=id or f"m{next(_ids)}",
        place=parse_place(place, who),
        speaker=who,
        text=text,
        said_at=at,
        present=frozenset(Entity.parse(one) for one in present),
        **fields,  # pyright: ignore[reportArgumentType]
    )


async def say(confide: Confide, text: str, **fields: object) -> Observed:
    at = fields.pop("at", None) or confide.means.clock()
    return await confide.observe(message(text, at=at, **fields))  # pyright: ignore[reportArgumentType]


class Verbatim:
    """Takes every message of a person for a fact, so that a test knows what will be learned."""

    version = "verbatim-1"

    def __init__(self, **fields: object) -> None:
        self.fields = {"kind": Kind.KNOWLEDGE, "confidence": 1.0} | fields

    def extract(self, messages: Sequence[Message]) -> list[Fact]:
        return [
            Fact(
                text=one.text,
                snippet=one.text,
                message_id=one.id,
                speaker=one.speaker,
                **self.fields,  # pyright: ignore[reportArgumentType]
            )
            for one in messages
            if not one.is_from_agent
        ]


async def learn(confide: Confide, **fields: object) -> int:
    """Learn from everything that was said, word by word."""
    await confide.learning.make_due()
    return await confide.learning.worker(extractor=Verbatim(**fields)).drain()
