"""Voyage AI's embedders, through their SDK. Questions and memories are embedded differently."""

from __future__ import annotations

import logging
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from confide.errors import InvalidInput, ModelUnavailable, UnusableAnswer
from confide.providers.usage import Tokens
from confide.providers.vectors import (
    ExternalEmbedder,
    seconds_to_wait,
    sound,
)

if TYPE_CHECKING:
    from confide.providers.embedder import Vector

log = logging.getLogger("confide.models")


class VoyageEmbedder(ExternalEmbedder):
    """Their SDK tries once and heeds no Retry-After; whoever asks does."""

    def __init__(self, model: str, *, key: str, url: str, timeout: float = 60.0) -> None:
        super().__init__(model, timeout=timeout)
        self._key, self._url = key, url

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
        return sound(answer.embeddings, len(texts), self.model)

    @cached_property
    def _sdk(self) -> Any:
        try:
            import voyageai
            import voyageai.error  # pyright: ignore[reportUnusedImport]  # read as voyageai.error
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
        wait = seconds_to_wait(problem.headers.get("retry-after"))
        return ModelUnavailable(
            f"{self.model} is not available ({reason}); it is tried again", retry_after=wait
        )
