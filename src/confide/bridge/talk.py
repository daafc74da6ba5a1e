"""The loop on a memory here, or on a server's. Both answer in this process."""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Protocol

from confide.chat import Answer, Chat
from confide.chat.answering import Answering, from_memory
from confide.chat.behind import Learned, learn_from, look
from confide.chat.history import MOST_ROOMS, MOST_TURNS, Turn
from confide.chat.talk import Release, Who, asked_of
from confide.recall.context import Context
from confide.screen import Screen
from confide.screen.leaving import Leaving

if TYPE_CHECKING:
    from confide.client import ConfideClient
    from confide.config import Settings
    from confide.means import Clock
    from confide.memories import Confide
    from confide.model import Entity, Message, Place
    from confide.providers.usage import Tokens
    from confide.remember.observe import Observed

TRIES: Final = 3
#: Seconds until what another worker is learning from is looked at again, and how often: whoever
#: reads "I'll remember that" may ask for it at once.
A_MOMENT: Final = 0.2
MOMENTS: Final = 50


class Talk(Protocol):
    """What a conversation needs of the loop."""

    async def hear(self, message: Message) -> Observed: ...
    async def say(
        self, message: Message, who: Who, *, beside: str = "", release: Release
    ) -> Answer: ...
    async def tell(
        self, question: str, who: Who, *, beside: str = "", release: Release
    ) -> Answer: ...
    async def chatter(
        self, question: str, who: Who, *, beside: str = "", release: Release
    ) -> Answer: ...
    async def learned(self, message: Message) -> Learned: ...
    async def stands(self, answer: Answer, who: Who) -> bool: ...
    def forget(self, message_id: str) -> None: ...


class TalkHere(Chat):
    """On a memory that this process opened."""

    def __init__(self, confide: Confide) -> None:
        super().__init__(confide)
        self._memory = confide

    async def learned(self, message: Message) -> Learned:
        """Learn from a message at once, because its speaker asked for it or waits."""
        extractor = self._memory.learning.worker().learning.extractor
        learned = await learn_from(self._memory, message, extractor)
        for _ in range(MOMENTS):
            if learned.remembered or not learned.is_being_learned:
                break
            await asyncio.sleep(A_MOMENT)
            learned = await look(self._memory, message)
        if learned.remembered or not learned.is_waiting:
            return learned
        return await learn_from(self._memory, message, extractor)

    def forget(self, message_id: str) -> None:
        """Turns are judged by their messages whenever they are used; nothing to do."""


class _NoPurse:
    """A server keeps the budgets of what it learns; what is answered here is not counted there."""

    async def may_spend(self, person: Entity | None, space: str | None = None) -> bool:
        return True

    async def spend(
        self,
        operation: str,
        model: str,
        tokens: Tokens,
        *,
        person: Entity | None = None,
        place: str | None = None,
        space: str | None = None,
    ) -> None:
        return None


@dataclass(frozen=True, slots=True)
class _Exchanged:
    place: Place
    turns: tuple[Turn, Turn]


class TalkElsewhere:
    """On a server's memory. Labels stay there, so earlier turns are used more carefully than here:
    only in the very same place, and only if all that they rest on was told again just now."""

    def __init__(self, client: ConfideClient, settings: Settings, clock: Clock) -> None:
        self._client, self._clock = client, clock
        leaving = Leaving(Screen(settings.caution), settings.external_models)
        self._answering = Answering(settings, leaving, _NoPurse())
        self._said: OrderedDict[tuple[Entity, str], deque[_Exchanged]] = OrderedDict()

    async def hear(self, message: Message) -> Observed:
        return await self._client.observe(message)

    async def say(
        self, message: Message, who: Who, *, beside: str = "", release: Release
    ) -> Answer:
        observed = await self._client.observe(message)
        key = message.speaker, message.place.id
        answer = await self._answer(message.text, who, beside, release, key)
        if observed.is_kept and observed.is_new:
            await self._remember(message, answer)
        return answer

    async def tell(self, question: str, who: Who, *, beside: str = "", release: Release) -> Answer:
        return await self._answer(question, who, beside, release)

    async def chatter(
        self, question: str, who: Who, *, beside: str = "", release: Release
    ) -> Answer:
        context = Context(question=question, audience=await asked_of(who), now=self._clock())
        answer = await self._answering.answer(_joined(question, beside), context, ())
        await release(answer)
        return answer

    async def learned(self, message: Message) -> Learned:
        """The server learns what is due by itself."""
        return Learned(is_waiting=True)

    def forget(self, message_id: str) -> None:
        """A message reads differently now, or is gone: so is what was said around it."""
        for said in self._said.values():
            for one in [one for one in said if one.turns[0].message_id == message_id]:
                said.remove(one)

    async def stands(self, answer: Answer, who: Who) -> bool:
        audience = await asked_of(who)
        still = await self._client.recheck(answer.context, audience)
        is_same_room = not answer.turns or audience.place == answer.context.audience.place
        return still.everything == answer.context.everything and is_same_room

    async def _answer(
        self,
        question: str,
        who: Who,
        beside: str,
        release: Release,
        key: tuple[Entity, str] | None = None,
    ) -> Answer:
        context = await self._client.recall(
            question, await asked_of(who), manner=self._answering.manner
        )
        answer = from_memory(context)
        for _ in range(TRIES):
            turns = self._standing(key, context)
            answer = await self._answering.answer(_joined(question, beside), context, turns)
            audience = await asked_of(who)
            still = await self._client.recheck(context, audience)
            is_same_room = not answer.turns or audience.place == context.audience.place
            if still.everything == context.everything and is_same_room:
                break
            context, answer = still, from_memory(still)
            if not self._answering.has_model:
                break
        await release(answer)
        return answer

    def _standing(self, key: tuple[Entity, str] | None, context: Context) -> list[Turn]:
        """Turns of this very place as it is now: of a room that opened meanwhile there are none."""
        if key is None:
            return []
        told = {one.memory.id for one in context.everything}
        return [
            turn
            for one in self._said.get(key, ())
            if one.place == context.audience.place and one.turns[1].memories <= told
            for turn in one.turns
        ]

    async def _remember(self, message: Message, answer: Answer) -> None:
        asked = Turn(text=message.text, platform=message.platform, message_id=message.id)
        told = frozenset(one.memory.id for one in answer.context.everything)
        reply = replace(asked, text=answer.text, answers=message.id, memories=told)
        key = message.speaker, message.place.id
        said = self._said.setdefault(key, deque(maxlen=MOST_TURNS // 2))
        said.append(_Exchanged(message.place, (asked, reply)))
        self._said.move_to_end(key)
        if len(self._said) > MOST_ROOMS:
            self._said.popitem(last=False)


def _joined(question: str, beside: str) -> str:
    return "\n\n".join(filter(None, (question, beside)))
