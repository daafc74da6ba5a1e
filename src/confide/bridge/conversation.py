"""The agent's talk on any platform: recall for exactly who will see the reply, answer, check, send.

Nothing here knows the platform, and nothing here decides who may hear what.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from confide.bridge.contract import Attest, Listeners, Note, Response, Send, Sighting, Utterance
from confide.bridge.surroundings import Attestations
from confide.chat.answering import NO_ANSWER
from confide.chat.questions import is_question
from confide.model import Message, PlaceKind
from confide.providers.builtin import requested
from confide.providers.choosing import language_model

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from confide.bridge.talk import Talk
    from confide.chat import Answer
    from confide.config import Settings
    from confide.means import Clock
    from confide.memories import Confide
    from confide.privacy.policy import Audience
    from confide.remember.observe import Observed

ANSWERED_WITHIN: Final = timedelta(minutes=10)
#: How many messages are known to have been answered, so that a repeated event is not.
MOST_SEEN: Final = 20_000


class Gone(Exception):
    """There is nobody to answer any more: the room is gone, or nobody can say who is in it."""


class Conversation:
    """Answers people where they are, and passes on what their platform says about places."""

    def __init__(self, memory: Confide, talk: Talk, settings: Settings, clock: Clock) -> None:
        self.attestations = Attestations(memory)
        self._chat, self._clock = talk, clock
        self._is_on = settings.enabled
        self._has_model = language_model(settings) is not None
        self._answered: OrderedDict[tuple[str, str], None] = OrderedDict()
        self._turns: dict[tuple[str, str], tuple[asyncio.Lock, list[None]]] = {}

    async def heard(self, said: Utterance, attest: Attest, send: Send) -> None:
        """Something was said. It is answered if it is meant for the agent, once."""
        if not said.speaker.is_person or not said.text or self._is_repeated(said):
            return
        is_late = self._clock() - said.said_at > ANSWERED_WITHIN
        if is_late or not said.is_addressed:
            await self._overheard(said, is_late=is_late)
            return
        async with self._in_turn(said):
            listeners = await attest()
            if listeners is None:
                return
            try:
                await self._answer(said, self._checked(listeners, attest, send))
            except Gone:
                return

    def changed(self, message_id: str) -> None:
        """A message was edited or deleted: what was said around it is no part of the talk now."""
        self._chat.forget(message_id)

    async def told_alone(self, question: str, attest: Attest, send: Send, beside: str = "") -> None:
        """Answer a question in a reply that only the asker sees; nothing of it is kept."""
        listeners = await attest()
        if listeners is None:
            return
        checked = self._checked(listeners, attest, send)
        if self._is_on and listeners.spot.tells:
            await self._chat.tell(
                question, checked.audience, beside=beside, release=checked.release
            )
        else:
            await self._chat.chatter(
                question, checked.audience, beside=beside, release=checked.release
            )

    async def _answer(self, said: Utterance, checked: _Checked) -> None:
        spot, is_on = said.spot, self._is_on
        learns, tells = spot.learns and is_on, spot.tells and is_on
        if spot.is_guest:
            await self._chat.tell(
                said.text, checked.audience, beside=said.beside, release=checked.release
            )
            return
        await self.attestations.is_in(said.speaker.entity, spot.place, checked.listeners.at)
        if learns:
            await self.attestations.called(said.speaker)
        if learns and requested(said.text):
            await self._remember(said, checked)
        elif learns and not self._has_model and not is_question(said.text):
            observed = await self._chat.hear(_message(said))
            await checked.say(Note.NOTED if observed.is_kept else Note.NOT_KEPT, "")
            await self._learn_if_alone(said, observed)
        elif learns and tells:
            message = _message(said)
            await self._chat.say(
                message, checked.audience, beside=said.beside, release=checked.release
            )
        else:
            if learns:
                await self._chat.hear(_message(said))
            answer = self._chat.tell if tells else self._chat.chatter
            await answer(said.text, checked.audience, beside=said.beside, release=checked.release)

    async def _overheard(self, said: Utterance, *, is_late: bool) -> None:
        """Where the owner lets the agent listen, it keeps what is said to others too. What was said
        to it long ago, and arrives after a dropped connection, is kept and not answered any more."""
        spot, is_meant = said.spot, said.is_addressed or said.spot.listens
        if is_meant and spot.learns and self._is_on:
            await self.attestations.is_in(said.speaker.entity, spot.place, said.said_at)
            if is_late:  # whether it still counts, the store decides
                self.attestations.forget(said.speaker.entity)
            await self.attestations.called(said.speaker)
            await self._chat.hear(_message(said))

    async def _remember(self, said: Utterance, checked: _Checked) -> None:
        message = _message(said)
        observed = await self._chat.hear(message)
        if not observed.is_kept:
            await checked.say(Note.NOT_KEPT, observed.because or "")
            return
        learned = await self._chat.learned(message)
        if learned.remembered:
            await checked.say(Note.REMEMBERED, "")
        elif learned.is_waiting:
            await checked.say(Note.REMEMBERED_LATER, "")
        else:
            await checked.say(Note.NOT_KEPT, "; ".join(learned.held))

    async def _learn_if_alone(self, said: Utterance, observed: Observed) -> None:
        """Without a model a direct chat is learned message by message (B16)."""
        if observed.is_new and said.spot.place.kind is PlaceKind.DIRECT:
            await self._chat.learned(_message(said))

    def _checked(self, listeners: Listeners, attest: Attest, send: Send) -> _Checked:
        return _Checked(listeners, attest, send, self.attestations, self._chat)

    def _is_repeated(self, said: Utterance) -> bool:
        key = said.platform, said.id
        if key in self._answered:
            return True
        self._answered[key] = None
        if len(self._answered) > MOST_SEEN:
            self._answered.popitem(last=False)
        return False

    @asynccontextmanager
    async def _in_turn(self, said: Utterance) -> AsyncGenerator[None, None]:
        """One person's messages in one place are answered in their order."""
        key = str(said.speaker.entity), said.spot.place.id
        lock, waiting = self._turns.setdefault(key, (asyncio.Lock(), []))
        waiting.append(None)
        try:
            async with lock:
                yield
        finally:
            waiting.pop()
            if not waiting:
                self._turns.pop(key, None)


class _Checked:
    """Asks the platform who listens, each time somebody wants to know, and sends for the last answer."""

    def __init__(
        self,
        listeners: Listeners,
        attest: Attest,
        send: Send,
        attestations: Attestations,
        talk: Talk,
    ) -> None:
        self.listeners = listeners
        self._attest, self._send, self._attestations = attest, send, attestations
        self._talk = talk

    async def audience(self) -> Audience:
        now = await self._attest()
        if now is None or (not now.spot.tells and self.listeners.spot.tells):
            raise Gone
        if now.spot.place != self.listeners.spot.place:
            await self._attestations.saw(Sighting(place=now.spot.place, at=now.at))
        self.listeners = now
        return now.audience()

    async def release(self, answer: Answer) -> None:
        is_nothing = not answer.is_by_model and answer.text == NO_ANSWER

        async def stands() -> bool:
            try:
                return await self._talk.stands(answer, self.audience)
            except Gone:
                return False

        await self._send(
            replace(
                self._response(Note.NOTHING_KNOWN if is_nothing else Note.ANSWER, answer.text),
                told=answer.context.everything,
                is_by_model=answer.is_by_model,
                recheck=stands,
            )
        )

    async def say(self, note: Note, text: str) -> None:
        await self._send(self._response(note, text))

    def _response(self, note: Note, text: str) -> Response:
        return Response(
            note=note, text=text, visibility=self.listeners.visibility, listeners=self.listeners
        )


def _message(said: Utterance) -> Message:
    return Message(
        id=said.id,
        place=said.spot.place,
        speaker=said.speaker.entity,
        text=said.text,
        said_at=said.said_at,
        platform=said.platform,
        is_to_agent=said.is_addressed,
    )
