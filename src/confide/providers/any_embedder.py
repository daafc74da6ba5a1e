"""Embedders that pydantic-ai knows, as `provider:model`. Their SDKs read their own keys."""

from __future__ import annotations

import asyncio
import logging
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from confide.errors import InvalidInput, ModelUnavailable, UnusableAnswer
from confide.providers.usage import Tokens
from confide.providers.vectors import (
    DIMENSIONS,
    ExternalEmbedder,
    seconds_to_wait,
    sound,
)

if TYPE_CHECKING:
    from confide.providers.embedder import Vector

log = logging.getLogger("confide.models")


class AnyEmbedder(ExternalEmbedder):
    """Asked for vectors of one size; a model that has no such size is refused."""

    async def _embed(
        self, texts: list[str], kind: Literal["query", "document"], seconds: float
    ) -> list[Vector]:
        from pydantic_ai import exceptions as raised

        settings = {"dimensions": DIMENSIONS}
        try:
            async with asyncio.timeout(seconds):
                answer = await self._embedder.embed(texts, input_type=kind, settings=settings)
        except TimeoutError:
            raise self._unavailable("it does not answer") from None
        except raised.ModelHTTPError as problem:
            wait = seconds_to_wait((problem.headers or {}).get("retry-after"))
            raise self._unavailable(f"it answered {problem.status_code}", wait) from None
        except raised.ModelAPIError as problem:
            raise self._unavailable(type(problem).__name__) from None
        except (raised.UnexpectedModelBehavior, ValueError, TypeError, KeyError, AttributeError):
            raise UnusableAnswer(
                f"{self.model} sent something that is no list of vectors"
            ) from None
        self.spent(Tokens(answer.usage.input_tokens, 0))
        return sound([list(one) for one in answer.embeddings], len(texts), self.model)

    @cached_property
    def _embedder(self) -> Any:
        from pydantic_ai import Embedder
        from pydantic_ai.exceptions import UserError

        try:
            return Embedder(self.model, defer_model_check=False)
        except ImportError:
            raise InvalidInput(
                "CONFIDE_EMBEDDER",
                f"{self.model} needs a package that is not there; pip install"
                f" 'pydantic-ai-slim[{self.model.partition(':')[0]}]'",
            ) from None
        except (UserError, ValueError) as problem:
            raise InvalidInput("CONFIDE_EMBEDDER", f"{self.model}: {problem}") from None

    def _unavailable(self, reason: str, wait: float = 0.0) -> ModelUnavailable:
        # A provider's error may quote what was sent to it, so only its kind is kept.
        log.warning("%s is not available: %s", self.model, reason)
        return ModelUnavailable(
            f"{self.model} is not available ({reason}); it is tried again", retry_after=wait
        )
