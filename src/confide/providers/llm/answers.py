"""What a language model may answer, read strictly.

Whatever is missing or malformed claims as little as possible: no confidence, no flag, the most careful
sensitivity. One bad memory does not lose the others.
"""

from __future__ import annotations

import math
import re
from datetime import date
from typing import Annotated, Any, Final, cast

from pydantic import BaseModel, BeforeValidator, Field, ValidationError, WrapValidator

from confide.model import Kind, Sensitivity

LONGEST_SUMMARY: Final = 600
_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}")


def _share(value: Any) -> float:
    """A real number from 0 to 1. The string "1.0", NaN, true and 7 have all been seen."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return 0.0
    return float(value) if math.isfinite(value) and 0 <= value <= 1 else 0.0


def _is_true(value: Any) -> bool:
    """Only true is true: the string "false" is a true value in Python."""
    return value is True


def _kind(value: Any) -> Kind:
    # S10: what has no kind happened, and what happened is never told everywhere.
    return Kind(value) if isinstance(value, str) and value in list(Kind) else Kind.EVENT


def _sensitivity(value: Any) -> Sensitivity | None:
    if value is None:
        return None
    is_known = isinstance(value, str) and value in list(Sensitivity)
    return Sensitivity(value) if is_known else Sensitivity.SENSITIVE


def _names(value: Any) -> list[str]:
    """Subjects that cannot be read must not be lost: then the memory is not kept at all."""
    if value is None:
        return []
    names = cast("list[object]", value) if isinstance(value, list) else [None]
    if not all(isinstance(one, str) for one in names):
        raise ValueError("subjects is a list of names")
    return [name for one in names if (name := str(one).strip())]


def _numbers(value: Any) -> list[int]:
    """Which lines; whatever is no number names none."""
    found = cast("list[object]", value) if isinstance(value, list) else []
    return [one for one in found if isinstance(one, int) and not isinstance(one, bool)]


def _day(value: Any) -> str | None:
    if not isinstance(value, str) or not _DAY.fullmatch(value):
        return None
    try:
        return date.fromisoformat(value).isoformat()
    except ValueError:
        return None


def _attribute(value: Any) -> Any:
    try:
        return Named.model_validate(value) if value is not None else None
    except ValidationError:
        return None


def _or_nothing(value: Any, read: Any) -> Any:
    try:
        return read(value)
    except ValidationError:
        return None


class Named(BaseModel):
    """A typed attribute."""

    name: str = Field(strict=True)
    value: str = Field(strict=True, min_length=1, max_length=100)


Flag = Annotated[bool, BeforeValidator(_is_true)]
Share = Annotated[float, BeforeValidator(_share)]


class Item(BaseModel):
    """One memory as the model reports it."""

    message: int = Field(strict=True)
    speaker: str = Field(strict=True)
    summary: str = Field(strict=True, min_length=3, max_length=LONGEST_SUMMARY)
    snippet: str = Field(strict=True, min_length=3)
    kind: Annotated[Kind, BeforeValidator(_kind)] = Kind.EVENT
    confidence: Share = 0.0
    subjects: Annotated[list[str], BeforeValidator(_names)] = []
    sensitivity: Annotated[Sensitivity | None, BeforeValidator(_sensitivity)] = None
    global_safe: Flag = False
    portable: Flag = False
    about_answering: Flag = False
    attribute: Annotated[Named | None, BeforeValidator(_attribute)] = None
    happened_on: Annotated[str | None, BeforeValidator(_day)] = None


class Memories(BaseModel):
    """All that is worth remembering; an empty list if nothing is."""

    # A list, or it is malformed and asked for again; a malformed entry becomes None.
    memories: list[Annotated[Item, WrapValidator(_or_nothing)]]

    def sound(self) -> list[Item]:
        return [one for one in self.memories if one is not None]  # pyright: ignore[reportUnnecessaryComparison]


class Merged(BaseModel):
    """Two memories in one."""

    summary: str = Field(strict=True, min_length=3, max_length=LONGEST_SUMMARY)
    dialogue: Annotated[list[int], BeforeValidator(_numbers)] = []
    confidence: Share = 0.0
