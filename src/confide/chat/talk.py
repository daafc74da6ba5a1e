"""The loop: observe → recall → answer → check again → release. Nothing here decides who may hear what."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from confide.chat.answering import Answer, Answering, from_memory
from confide.chat.history import Histories, Turn
from confide.model import Message
from confide.store import memories as stored

if TYPE_CHECKING:
    from confide.memories import Confide
    from confide.privacy.policy import Audience
    from confide.recall.context import Context
    from confide.remember.observe import Observed

#: How often an answer is written again because somebody came in meanwhile.
TRIES: Final = 3
Who = Callable[[], "Audience"]


class Chat:
    """Answers people in their places, with what everyone there may hear.

        chat = Chat(confide)
        answer = await chat.say(message, lambda: audience("human:alice", "group:friends"))

    The audience is asked for again just before an answer is released: somebody may have come in.
    """

    def __init__(self, confide: Confide) -> None:
        self._confide = confide
        self._answering = Answering(confide.means)
        self._histories = Histories(confide.database)

    async def hear(self, message: Message) -> Observed:
        """Something that needs no answer; it is part of the history."""
        observed = await self._confide.observe(message)
        if observed.is_kept and observed.is_new:
            self._histories.add(message.speaker, message.place.id, _turn(message))
        return observed

    async def say(self, message: Message, who: Who) -> Answer:
        """Answer a message. What is said rests only on what `who()` may hear when it is released."""
        audience = who()
        turns = await self._histories.standing(audience, self._confide.means.clock())
        observed = await self._confide.observe(message)
        reads = partial(self._answering.reads, message.text, turns)
        context = await self._confide.recall_for(message.text, audience, reads)
        answer = await self._released(message, context, turns, who)
        await self._tell_again(answer)
        if observed.is_kept and observed.is_new:
            await self._remember(message, answer)
        notices = await self._confide.spending.notices(audience.asker, audience.place.space)
        return replace(answer, notices=tuple(notices))

    async def _released(
        self, message: Message, context: Context, turns: Sequence[Turn], who: Who
    ) -> Answer:
        for _ in range(TRIES):
            answer = await self._answering.answer(message.text, context, turns)
            audience = who()
            still = await self._confide.recheck(context, audience)
            standing = await self._histories.standing(audience, self._confide.means.clock())
            if not answer.is_by_model:
                return from_memory(still)
            if _words(still) == _words(context) and set(answer.turns) <= set(standing):
                return replace(answer, context=still)
            context, turns = still, standing
        return from_memory(await self._confide.recheck(context, who()))

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


def _turn(message: Message) -> Turn:
    return Turn(text=message.text, platform=message.platform, message_id=message.id)


def _words(context: Context) -> dict[uuid.UUID, list[str]]:
    """All that an answer may have taken up."""
    return {one.memory.id: [said.text for said in one.evidence] for one in context.memories}


def _ids(context: Context) -> frozenset[uuid.UUID]:
    return frozenset(one.memory.id for one in context.memories)
