"""Pages: a cursor says where the next one begins. How much there is in all is never said."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Annotated, Final, TypeVar

from fastapi import Query

from confide.errors import InvalidInput

T = TypeVar("T")
_MARK: Final = "confide-page:"
FARTHEST: Final = 1_000_000
Limit = Annotated[int, Query(ge=1, le=100, description="How many at most.")]
Cursor = Annotated[
    str | None,
    Query(max_length=100, description="`next` of the page before; left out: the first page."),
]


def begins_at(cursor: str | None) -> int:
    if cursor is None:
        return 0
    try:
        read = base64.urlsafe_b64decode(cursor.encode()).decode()
        offset = int(read.removeprefix(_MARK))
    except ValueError:
        raise InvalidInput("cursor", "is none; pass `next` of the page before") from None
    if not read.startswith(_MARK) or not 0 < offset <= FARTHEST:
        raise InvalidInput("cursor", "is none; pass `next` of the page before")
    return offset


def cut(found: Sequence[T], begin: int, limit: int) -> tuple[Sequence[T], str | None]:
    """`found` holds one more than the page if there is another one."""
    if len(found) <= limit:
        return found, None
    written = f"{_MARK}{begin + limit}".encode()
    return found[:limit], base64.urlsafe_b64encode(written).decode()
