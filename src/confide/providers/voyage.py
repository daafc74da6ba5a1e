"""Voyage AI's embedders, through their SDK. Questions and memories are embedded differently."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Literal

from confide.errors import InvalidInput, ModelUnavailable, UnusableAnswer
from confide.providers.usage import Tokens

if TYPE_CHECKING:
    from confide.providers.embedder import Vector

log = logging.getLogger("confide.models")
#: A vector of this size fits into a row of the covering index.
DIMENSIONS: Final = 1024
AT_ONCE: Final = 64
#: Somebody waits for an answer; search by words and the built-in vectors need no provider.
LONGEST_WAIT_FOR_A_QUESTION: Final = 3.0


class VoyageEmbedder:
    """Vectors are checked before they are believed: their number, size and every value."""

    def __init__(self, model: str, *, key: str, url: str, timeout: float = 60.0) -> None:
        self.model: str = model
        self._key, self._url, self._timeout = key, url, timeout
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

    async def _embed(
        self, texts: list[str], kind: Literal["query", "document"], seconds: float
    ) -> list[Vector]:
        sdk = self._sdk
        # It tries once; whoever asks knows better when to come back.
        client = sdk.AsyncClient(self._key, max_retries=1, timeout=seconds, base_url=self._url)
        try:
            answer = await client.embed(texts, model=self.model, input_type=kind)
        except sdk.error.VoyageError as problem:
            raise self._unavailable(problem) from None
        except (ValueError, TypeError, KeyError, AttributeError):
            raise UnusableAnswer(
                f"{self.model} sent something that is no list of vectors"
            ) from None
        self.spent(Tokens(answer.total_tokens, 0))
        _require_sound(answer.embeddings, len(texts), self.model)
        return [_unit(vector) for vector in answer.embeddings]

    @cached_property
    def _sdk(self) -> Any:
        try:
            import voyageai
            import voyageai.error
        except ImportError:
            raise InvalidInput(
                "CONFIDE_EMBEDDER",
                f"{self.model} needs a package that is not there; pip install 'confide[voyage]'",
            ) from None
        return voyageai

    def _unavailable(self, problem: Any) -> ModelUnavailable:
        # A provider's error may quote what was sent to it, so only its kind is kept.
        reason = f"{type(problem).__name__} {problem.http_status or ''}".strip()
        log.warning("%s is not available: %s", self.model, reason)
        return ModelUnavailable(f"{self.model} is not available ({reason}); it is tried again")


def _require_sound(vectors: Sequence[Any], count: int, model: str) -> None:
    if len(vectors) != count:
        raise UnusableAnswer(f"{model} sent {len(vectors)} vectors for {count} texts")
    for vector in vectors:
        if not isinstance(vector, list) or len(vector) != DIMENSIONS:
            raise UnusableAnswer(f"{model} sent a vector that has not {DIMENSIONS} dimensions")
        if not all(isinstance(x, int | float) and math.isfinite(x) for x in vector):
            raise UnusableAnswer(f"{model} sent a vector with something that is no number")
        if not any(vector):
            raise UnusableAnswer(f"{model} sent a vector without direction")


def _unit(vector: Sequence[float]) -> Vector:
    length = math.sqrt(sum(x * x for x in vector))
    return [x / length for x in vector]
