"""A language model that is asked for typed answers, and what can go wrong with it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from typing import Any, Final, Generic, TypeVar

from confide.errors import InvalidInput, ModelUnavailable, UnusableAnswer
from confide.providers.usage import Tokens
from confide.providers.vectors import seconds_to_wait

log = logging.getLogger("confide.models")
T = TypeVar("T")
#: How often a malformed answer is asked for again before the whole work is tried later.
ASKED_AGAIN: Final = 2
#: How often the SDK tries again by itself, waiting as long as the provider's Retry-After says.
SDK_RETRIES: Final = 2

#: An answer that drips is silent at no moment; in all it may take so many times the longest silence.
WHOLE: Final = 4


class Truncated(UnusableAnswer):
    """The answer ended at its limit; less at once may fit."""


class Refused(UnusableAnswer):
    """The model will not answer this, however often it is asked."""


@dataclass(frozen=True, slots=True)
class Reply(Generic[T]):
    """A typed answer and what it took."""

    output: T
    tokens: Tokens


@dataclass(frozen=True, kw_only=True)
class LanguageModel:
    """Claude, or any other that pydantic-ai knows as `provider:model`."""

    name: str
    key: str | None = None
    url: str = "https://api.anthropic.com"
    timeout: float = 60.0

    @property
    def provider(self) -> str:
        return self.name.partition(":")[0] if ":" in self.name else "anthropic"

    async def ask(
        self,
        kind: type[T],
        instructions: str,
        prompt: Any,
        *,
        limit: int,
        check: Callable[[T], str | None] = lambda _: None,
        spent: Callable[[Tokens], None] = lambda _: None,
        history: Any = None,
    ) -> Reply[T]:
        """An answer of `kind`. `check` says what is wrong with one that has to be asked for again."""
        from pydantic_ai import Agent, ModelRetry, PromptedOutput, RunUsage, capture_run_messages
        from pydantic_ai import exceptions as raised

        # The prompt files say what to answer. A tool for it would cost as much again to read.
        wanted: Any = kind if kind is str else PromptedOutput(kind, template=False)
        agent: Any = Agent(
            self._model,
            output_type=wanted,
            instructions=instructions,
            retries={"output": ASKED_AGAIN},
            model_settings={"max_tokens": limit, "timeout": self.timeout},
        )

        @agent.output_validator
        def _checked(output: T) -> T:
            wrong = check(output)
            if wrong:
                raise ModelRetry(wrong)
            return output

        usage = RunUsage()
        with capture_run_messages() as exchanged:
            try:
                async with asyncio.timeout(WHOLE * self.timeout):
                    result = await agent.run(prompt, usage=usage, message_history=history)
            except TimeoutError:
                raise self._unavailable("it answers too slowly") from None
            except raised.ContentFilterError:
                raise Refused("the model refuses to answer") from None
            except raised.UnexpectedModelBehavior:
                self._require_whole(exchanged)
                raise UnusableAnswer("the model's answer cannot be read") from None
            except raised.ModelContextWindowExceededError:
                raise Truncated("it is too much for the model at once") from None
            except raised.ModelHTTPError as problem:
                wait = seconds_to_wait((problem.headers or {}).get("retry-after"))
                raise self._unavailable(f"it answered {problem.status_code}", wait) from None
            except raised.ModelAPIError as problem:
                raise self._unavailable(type(problem).__name__) from None
            finally:
                spent(Tokens(usage.input_tokens, usage.output_tokens))
            self._require_whole(exchanged)
        return Reply(result.output, Tokens(usage.input_tokens, usage.output_tokens))

    @cached_property
    def _model(self) -> Any:
        """Everything is said here: the SDKs would otherwise look for keys and addresses themselves."""
        try:
            if self.provider != "anthropic":
                return self._inferred()
            from anthropic import AsyncAnthropic
            from pydantic_ai.models.anthropic import AnthropicModel
            from pydantic_ai.providers.anthropic import AnthropicProvider
        except ImportError:
            raise InvalidInput(
                "CONFIDE_MODEL",
                f"{self.name} needs a package that is not there; pip install 'confide[anthropic]'",
            ) from None
        client = AsyncAnthropic(
            api_key=self.key or "", base_url=self.url, max_retries=SDK_RETRIES, timeout=self.timeout
        )
        client.auth_token = None
        name = self.name.removeprefix("anthropic:")
        return AnthropicModel(name, provider=AnthropicProvider(anthropic_client=client))

    def _inferred(self) -> Any:
        from pydantic_ai.exceptions import UserError
        from pydantic_ai.models import infer_model

        try:
            return infer_model(self.name)
        except UserError as problem:
            raise InvalidInput("CONFIDE_MODEL", str(problem)) from None

    def _require_whole(self, exchanged: list[Any]) -> None:
        """An answer that was cut off is not taken, even where what is there can be read."""
        answers = [one for one in exchanged if one.kind == "response"]
        if answers and answers[-1].finish_reason == "length":
            raise Truncated("the model's answer was cut off")

    def _unavailable(self, reason: str, wait: float = 0.0) -> ModelUnavailable:
        # A provider's error may quote what was sent to it, so only its kind is kept.
        log.warning("%s is not available: %s", self.name, reason)
        return ModelUnavailable(
            f"{self.name} is not available ({reason}); it is tried again", retry_after=wait
        )


def prompt_text(name: str) -> str:
    return (files("confide.providers.llm") / "prompts" / f"{name}.md").read_text("utf-8")
