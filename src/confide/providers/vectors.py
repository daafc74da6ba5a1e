"""Vectors of a provider are checked before they are believed: their number, size and every value."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, Final, Literal, cast

from confide.errors import UnusableAnswer
from confide.providers.usage import Tokens

if TYPE_CHECKING:
    from confide.providers.embedder import Vector

#: A vector of this size fits into a row of the covering index.
DIMENSIONS: Final = 1024
AT_ONCE: Final = 64
#: Somebody waits for an answer; search by words and the built-in vectors need no provider.
LONGEST_WAIT_FOR_A_QUESTION: Final = 3.0
LONGEST_RETRY: Final = 3600.0


class ExternalEmbedder(ABC):
    """An embedder of a provider, which counts what it costs."""

    #: Nothing leaves this machine, and nothing is paid for.
    is_local: bool = False

    def __init__(self, model: str, *, timeout: float = 60.0) -> None:
        self.model: str = model
        self._timeout = timeout
        self.spent: Callable[[Tokens], None] = lambda _: None

    async def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        found: list[Vector] = []
        for start in range(0, len(texts), AT_ONCE):
            batch = list(texts[start : start + AT_ONCE])
            found += await self._embed(batch, "document", self._timeout)
        return found

    async def embed_query(self, text: str) -> Vector:
        wait = min(self._timeout, LONGEST_WAIT_FOR_A_QUESTION)
        (vector,) = await self._embed([text], "query", wait)
        return vector

    @abstractmethod
    async def _embed(
        self, texts: list[str], kind: Literal["query", "document"], seconds: float
    ) -> list[Vector]:
        """Ask the provider once."""


def sound(vectors: Any, count: int, model: str) -> list[Vector]:
    """Unit vectors, or an error that names what is wrong."""
    sent = cast("Sequence[object]", vectors) if isinstance(vectors, Sequence) else ()
    if not isinstance(vectors, Sequence) or len(sent) != count:
        raise UnusableAnswer(f"{model} sent another number of vectors than {count}")
    found: list[list[Any]] = []
    for one in sent:
        vector = cast("list[Any]", one) if isinstance(one, list) else []
        if len(vector) != DIMENSIONS:
            raise UnusableAnswer(f"{model} sent a vector that has not {DIMENSIONS} dimensions")
        if not all(isinstance(x, int | float) and math.isfinite(x) for x in vector):
            raise UnusableAnswer(f"{model} sent a vector with something that is no number")
        if not any(vector):
            raise UnusableAnswer(f"{model} sent a vector without direction")
        found.append(vector)
    return [_unit(vector) for vector in found]


def seconds_to_wait(header: Any, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> float:
    """What Retry-After says: seconds or a date; 0 if it says nothing that can be read."""
    if not isinstance(header, str):
        return 0.0
    try:
        wait = float(header)
    except ValueError:
        try:
            wait = (parsedate_to_datetime(header) - now()).total_seconds()
        except (ValueError, TypeError):
            return 0.0
    return min(max(wait, 0.0), LONGEST_RETRY) if math.isfinite(wait) else 0.0


def _unit(vector: Sequence[float]) -> Vector:
    length = math.sqrt(sum(x * x for x in vector))
    return [x / length for x in vector]
