"""Step 4 of recalling: numbers as a person would say them (S27)."""

from __future__ import annotations

from datetime import datetime
from typing import Final

_CONFIDENCE: Final = ((0.95, "stated explicitly"), (0.8, "confident"), (0.6, "likely"))
_HOUR: Final = 3600
_DAY: Final = 24 * _HOUR


def confidence_in_words(confidence: float) -> str:
    """How sure the memory is; what is not a number is uncertain."""
    return next((name for least, name in _CONFIDENCE if confidence >= least), "uncertain")


def age_in_words(since: datetime, now: datetime) -> str:
    """How long ago, in the largest unit that fits. A clock that runs ahead says "just now"."""
    seconds = (now - since).total_seconds()
    if seconds < 60:
        return "just now"
    if seconds < _HOUR:
        return _ago(seconds // 60, "minute")
    if seconds < _DAY:
        return _ago(seconds // _HOUR, "hour")
    days = int(seconds // _DAY)
    if days < 14:
        return _ago(days, "day")
    if days < 60:
        return _ago(days // 7, "week")
    if days < 730:
        return _ago(days // 30, "month")
    return _ago(days // 365, "year")


def _ago(count: float, unit: str) -> str:
    return f"{int(count)} {unit}{'' if int(count) == 1 else 's'} ago"
