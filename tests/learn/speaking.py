"""Somebody says something: messages for tests."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from datetime import datetime

from confide import Confide
from confide.model import Entity, Message
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
    at = fields.pop("at", None) or confide._clock()
    return await confide.observe(message(text, at=at, **fields))  # pyright: ignore[reportArgumentType]
