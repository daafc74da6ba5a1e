"""The loop: observe → recall → answer → check again → release. Nothing here decides who may hear what."""

from __future__ import annotations

import inspect
import uuid
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from confide.chat.answering import Answer, Answering, from_memory
from confide.chat.history import Histories, Turn
from confide.model import Message
from confide.recall.context import Context
from confide.recall.manner import wishes
from confide.store import memories as stored

if TYPE_CHECKING:
    from confide.memories import Confide
    from confide.privacy.policy import Audience
    from confide.remember.observe import Observed

#: How often an answer is written again because somebody came in meanwhile.
TRIES: Final = 3
#: Who will see the answer; asking the platform may take a moment.
Who = Callable[[], "Audience | Awaitable[Audience]"]
Release = Callable[[Answer], Awaitable[None]]


async def _unsent(answer: Answer) -> None:
    """For callers that send what `say` returns."""


class Chat:
    """Answers people in their places, with what everyone there may hear.

        chat = Chat(confide)
        answer = await chat.say(message, lambda: audience("human:alice", "group:friends"))

    The audience is asked for again just before an answer is released: somebody may have come in.
    """

    def __init__(self, confide: Confide) -> None:
        self._confide = confide
        self._answering = Answering(confide.settings, confide.means.leaving, confide.means.spending)
        self._histories = Histories(confide.database)

    async def hear(self, message: Message) -> Observed:
        """Something that needs no answer; it is part of the history."""
        observed = await self._confide.observe(message)
        if observed.is_kept and observed.is_new:
            self._histories.add(message.speaker, message.place.id, _turn(message))
        return observed

    async def say(
        self, message: Message, who: Who, *, beside: str = "", release: Release = _unsent
    ) -> Answer:
        """Answer a message. What is said rests only on what `who()` may hear when it is released.

        `beside` is read with the message and is not part of what its speaker said. `release` sends
        the answer, right after the last check.
        """
        audience = await asked_of(who)
        turns = await self._histories.standing(audience, self._confide.means.clock())
        observed = await self._confide.observe(message)
        asked = "\n\n".join(filter(None, (message.text, beside)))
        reads = partial(self._answering.reads, asked, turns)
        how = wishes(self._confide.settings, manner=self._answering.manner)
        context = await self._confide.recall_for(message.text, audience, reads, *how)
        answer = await self._released(asked, context, turns, who, release)
        await self._tell_again(answer)
        if observed.is_kept and observed.is_new:
            await self._remember(message, answer)
        notices = await self._confide.spending.notices(audience.asker, audience.place.space)
        return replace(answer, notices=tuple(notices))

    async def tell(
        self, question: str, who: Who, *, beside: str = "", release: Release = _unsent
    ) -> Answer:
        """Answer with memory and keep nothing of the exchange."""
        audience = await asked_of(who)
        asked = "\n\n".join(filter(None, (question, beside)))
        reads = partial(self._answering.reads, asked, ())
        how = wishes(self._confide.settings, manner=self._answering.manner)
        context = await self._confide.recall_for(question, audience, reads, *how)
        return await self._released(asked, context, (), who, release)

    async def chatter(
        self, question: str, who: Who, *, beside: str = "", release: Release = _unsent
    ) -> Answer:
        """Answer without any memory, and keep nothing of the exchange."""
        asked = "\n\n".join(filter(None, (question, beside)))
        context = Context(
            question=question, audience=await asked_of(who), now=self._confide.means.clock()
        )
        answer = await self._answering.answer(asked, context, ())
        await release(answer)
        return answer

    async def _released(
        self, asked: str, context: Context, turns: Sequence[Turn], who: Who, release: Release
    ) -> Answer:
        for _ in range(TRIES):
            answer = await self._answering.answer(asked, context, turns)
            still, standing, is_same = await self._compared(answer, context, who)
            if not answer.is_by_model or is_same:
                fit = replace(answer, context=still) if is_same else from_memory(still)
                await release(fit)
                return fit
            context, turns = still, standing
        answer = from_memory(await self._confide.recheck(context, await asked_of(who)))
        await release(answer)
        return answer

    async def stands(self, answer: Answer, who: Who) -> bool:
        """Whether everyone who listens now may still hear an answer that was not sent yet."""
        _, _, is_same = await self._compared(answer, answer.context, who)
        return is_same

    async def _compared(
        self, answer: Answer, context: Context, who: Who
    ) -> tuple[Context, Sequence[Turn], bool]:
        """What may be told now, the history that may be read, and whether the answer fits both."""
        audience = await asked_of(who)
        still = await self._confide.recheck(context, audience)
        standing = await self._histories.standing(audience, self._confide.means.clock())
        is_same = _words(still) == _words(context) and set(answer.turns) <= set(standing)
        return still, standing, is_same

    async def _tell_again(self, answer: Answer) -> None:
        """What an earlier answer rested on was told once more: whoever repeats it says nothing new."""
        earlier = frozenset[uuid.UUID]().union(*(one.memories for one in answer.turns))
        ids = earlier - _ids(answer.context)
        if ids:
            context = answer.context
            await stored.log_tellings(
                self._confide.database,
                sorted(ids),
                context.audience,
                context.now,
                prompted=ids,
                is_further=True,
            )

    async def _remember(self, message: Message, answer: Answer) -> None:
        """The exchange is part of the history, with all that the answer rests on."""
        said = replace(
            message,
            id=f"answer-{sha256(message.id.encode()).hexdigest()[:32]}",
            speaker=self._confide.database.agent_entity,
            text=answer.text,
            said_at=self._confide.means.clock(),
            is_from_agent=True,
        )
        await self._confide.observe(said)
        rests_on = _ids(answer.context).union(*(one.memories for one in answer.turns))
        self._histories.add(
            message.speaker,
            message.place.id,
            _turn(message),
            replace(_turn(said), answers=message.id, memories=rests_on),
        )


async def asked_of(who: Who) -> Audience:
    """Who listens now, whether or not asking takes a moment."""
    audience = who()
    return await audience if inspect.isawaitable(audience) else audience


def _turn(message: Message) -> Turn:
    return Turn(text=message.text, platform=message.platform, message_id=message.id)


def _words(context: Context) -> dict[uuid.UUID, list[str]]:
    """All that an answer may have taken up."""
    return {one.memory.id: [said.text for said in one.evidence] for one in context.everything}


def _ids(context: Context) -> frozenset[uuid.UUID]:
    return frozenset(one.memory.id for one in context.everything)
