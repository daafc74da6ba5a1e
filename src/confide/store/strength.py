"""Fading (S26): how strong a memory is, from three numbers. Nothing is ever written to make it fade."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

HALF_LIFE: Final = timedelta(days=90)


def strength(base: float, reinforced_at: datetime, now: datetime, *, fades: bool = True) -> float:
    """What happened fades unless its owner hears it again; what lasts or is protected does not.

    `confide.strength` in the database is the same. A recall counts reinforcement only for an owner
    who hears it alone: nobody else may notice what they asked.
    """
    if not fades:
        return base
    age = max(timedelta(0), now - reinforced_at)
    return base * 0.5 ** (age / HALF_LIFE)
