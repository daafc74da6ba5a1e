"""What the agent says: in a language model's words where that may be asked, else from memory alone."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from confide.errors import InvalidInput, ModelUnavailable, UnusableAnswer
from confide.model import Manner, Sensitivity
from confide.providers.choosing import language_model
from confide.providers.usage import Tokens

if TYPE_CHECKING:
    from confide.chat.history import Turn
    from confide.config import Settings
    from confide.recall.context import Context, Told
    from confide.remember.extracting import Purse
    from confide.screen.leaving import Leaving

#: S18: the most tokens an answer may have.
LIMIT: Final = 1024
NO_ANSWER: Final = "I don't know anything about that."


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What was said, and what it rests on."""

    text: str
    context: Context
    turns: tuple[Turn, ...] = ()  # of the history that the model read
    is_by_model: bool = False
    notices: tuple[str, ...] = field(default=())  # for the asker: their budget is nearly used up


def from_memory(context: Context) -> Answer:
    """Without a language model the agent says plainly what it remembers."""
    said = [f"[{n}] {told.memory.text}" for n, told in enumerate(context.memories, start=1)]
    return Answer(text="\n".join(said) or NO_ANSWER, context=context)


class Answering:
    """Asks the language model of the settings. What may not leave is answered from memory alone."""

    def __init__(self, settings: Settings, leaving: Leaving, purse: Purse) -> None:
        self._settings, self._leaves, self._purse = settings, leaving, purse
        self._model = language_model(settings)

    @property
    def has_model(self) -> bool:
        return self._model is not None

    @property
    def manner(self) -> Manner:
        """A model can leave out what does not fit; words said plainly are of what is known."""
        return Manner.HELPFUL if self.has_model else Manner.CERTAIN

    async def reads(
        self, said: str, turns: Sequence[Turn], context: Context
    ) -> frozenset[uuid.UUID]:
        """Which memories the model will read, for the access log: none if it is not asked."""
        leaving = await self._prompt(said, context, turns)
        return frozenset(one.memory.id for one in leaving[0]) if leaving else frozenset()

    async def answer(self, said: str, context: Context, turns: Sequence[Turn]) -> Answer:
        leaving = await self._prompt(said, context, turns)
        if leaving is None:
            return from_memory(context)
        told, heard = leaving
        try:
            text = await self._ask(said, context.only(told), heard)
        except (ModelUnavailable, UnusableAnswer):
            return from_memory(context)
        if not text:
            return from_memory(context)
        return Answer(text=text, context=context, turns=tuple(heard), is_by_model=True)

    async def _prompt(
        self, said: str, context: Context, turns: Sequence[Turn]
    ) -> tuple[tuple[Told, ...], list[Turn]] | None:
        """What the model reads. None: it is not asked."""
        if self._model is None:
            return None
        leaving = await asyncio.to_thread(self._leaving, said, context, turns)
        audience = context.audience
        if leaving is None or not await self._purse.may_spend(audience.asker, audience.place.space):
            return None
        return leaving

    def _leaving(
        self, said: str, context: Context, turns: Sequence[Turn]
    ) -> tuple[tuple[Told, ...], list[Turn]] | None:
        """What the model may read. None: the message, or what answers it best, has to stay here."""
        which = self._leaves.which
        if not which([said])[0]:
            return None
        memories = [self._without_evidence_that_stays(one) for one in context.everything]
        may = [self._may(told) for told in memories]
        if context.memories and not may[0]:
            return None
        heard = [one for one, leaves in zip(turns, which([t.text for t in turns]), strict=True)
                 if leaves]  # fmt: skip
        return tuple(one for one, leaves in zip(memories, may, strict=True) if leaves), heard

    def _may(self, told: Told) -> bool:
        is_all = self._leaves.rule == "all"
        is_calm = told.memory.sensitivity is not Sensitivity.SENSITIVE
        return (is_all or is_calm) and self._leaves.which([told.memory.text])[0]

    def _without_evidence_that_stays(self, told: Told) -> Told:
        may = self._leaves.which([one.text for one in told.evidence])
        kept = (one for one, leaves in zip(told.evidence, may, strict=True) if leaves)
        return replace(told, evidence=tuple(kept))

    async def _ask(self, said: str, context: Context, turns: Sequence[Turn]) -> str:
        assert self._model is not None, "there is no model to ask"
        spent: list[Tokens] = []
        prompt = f"{context.markdown()}\n\nThe message to answer:\n{said}"
        try:
            reply = await self._model.ask(
                str, self._instructions, prompt,
                limit=LIMIT, spent=spent.append, history=_written(turns),
            )  # fmt: skip
        finally:
            total = Tokens(sum(one.read for one in spent), sum(one.written for one in spent))
            place = context.audience.place
            await self._purse.spend(
                "answer", self._model.name, total,
                person=context.audience.asker, place=place.id, space=place.space,
            )  # fmt: skip
        return reply.output.strip()

    @cached_property
    def _instructions(self) -> str:
        from confide.providers.llm.model import prompt_text

        return f"{self._persona()}\n\n{prompt_text('answer')}".strip()

    def _persona(self) -> str:
        path = self._settings.persona
        if path is None:
            return ""
        try:
            return path.read_text("utf-8").strip()
        except (OSError, UnicodeDecodeError) as problem:
            raise InvalidInput(
                "CONFIDE_PERSONA", f"{path} cannot be read ({type(problem).__name__})"
            ) from None


def _written(turns: Sequence[Turn]) -> list[Any]:
    from pydantic_ai.messages import ModelRequest, ModelResponse, TextPart, UserPromptPart

    return [
        ModelRequest(parts=[UserPromptPart(one.text)])
        if one.answers is None
        else ModelResponse(parts=[TextPart(one.text)])
        for one in turns
    ]
