"""What happens when a line is typed: somebody says something, or asks, or a command changes the scene."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final

from confide.actor import operator_as
from confide.chat import Answer, Chat
from confide.errors import ConfideError, InvalidInput
from confide.memories import Confide
from confide.model import Message, Place, PlaceKind
from confide.providers.choosing import language_model
from confide.recall.audience import audience_in
from confide.recall.context import Told
from confide.surfaces.chat.scene import Scene

HELP: Final = """/as NAME        be somebody else            /in ROOM    go to dm, mods@guild, public:ID@SPACE, …
/with NAME …    others who are here too     /leave NAME somebody goes
/why            why this was told, or not   /rooms      where one can be, and who is there
/forget N       erase what [N] says         /help, /quit"""
QUESTION_WORDS: Final = frozenset(
    [
        "who",
        "what",
        "where",
        "when",
        "why",
        "how",
        "which",
        "whose",
        "is",
        "are",
        "was",
        "were",
        "do",
        "does",
        "did",
        "can",
        "could",
        "will",
        "would",
        "should",
        "has",
        "have",
        "had",
        "tell",
    ]
)


@dataclass(frozen=True, slots=True)
class Withheld:
    """A memory that would have fit, and the reason it was not told."""

    told_to_nobody: Told
    because: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What a line brought: an answer with what stands beside it, or a plain notice."""

    notice: str = ""
    answer: str = ""
    told: tuple[Told, ...] = ()
    withheld: tuple[Withheld, ...] = ()
    is_by_model: bool = False
    is_over: bool = False


@dataclass(slots=True)
class Play:
    """One chat: the scene, and what was last told in it."""

    confide: Confide
    scene: Scene = field(default_factory=Scene)
    last: Shown = field(default_factory=Shown)
    _numbers: Iterable[int] = field(default_factory=itertools.count)
    _chat: Chat | None = None

    async def type(self, line: str) -> Shown:
        """Mistakes are answered, never raised: one goes on talking."""
        try:
            shown = await self._understand(line.strip())
        except ConfideError as mistake:
            return Shown(notice=str(mistake))
        if shown.answer:
            self.last = shown
        return shown

    async def _understand(self, line: str) -> Shown:
        if not line:
            return Shown()
        if line.startswith("/"):
            return await self._command(*line[1:].split())
        return await (self._ask(line) if is_question(line) else self._say(line))

    async def _command(self, name: str = "", *words: str) -> Shown:
        match name, words:
            case "as", (who,):
                self.scene.become(who)
            case "in", (room,):
                self.scene.enter(room)
                await self._attend()
            case "with", (_, *_):
                self.scene.bring(*words)
                await self._attend()
            case "leave", (who,):
                await self.confide.world.leave(self.scene.place, self.scene.send_away(who))
            case "why", ():
                return Shown(notice=self._why())
            case "forget", (number,):
                return await self._forget(number)
            case "rooms", ():
                return Shown(notice=self._rooms())
            case "quit" | "exit", ():
                return Shown(is_over=True)
            case "help", ():
                return Shown(notice=HELP)
            case _:
                raise InvalidInput("command", f"/{name} is not known so. Try /help")
        return Shown(notice=f"Now {self.scene.prompt}{self._company()}.")

    async def _attend(self) -> None:
        here = self.scene.others | {self.scene.who}
        if self.scene.room != "dm":
            await self.confide.world.join(self.scene.place, *sorted(here))

    @property
    def chat(self) -> Chat:
        if self._chat is None:
            self._chat = Chat(self.confide)
        return self._chat

    async def _say(self, text: str) -> Shown:
        """Without a model there is nothing to say to a statement; with one it is answered too."""
        if language_model(self.confide.settings) is not None:
            shown = await self._ask(text)
        else:
            await self.chat.hear(self._message(text))
            shown = Shown(notice="Heard.")
        await self.confide.learning.learn(is_everything=True)
        return shown

    async def _ask(self, question: str) -> Shown:
        answer = await self.chat.say(self._message(question), self.scene.audience)
        return Shown(
            notice="\n".join(answer.notices),
            answer=answer.text,
            told=answer.context.memories,
            withheld=await self._withheld(question, answer),
            is_by_model=answer.is_by_model,
        )

    async def _withheld(self, question: str, answer: Answer) -> tuple[Withheld, ...]:
        """What the agent, thinking alone, would have found; shown to who plays all the people."""
        me = self.confide.database.agent_entity
        thought = audience_in(Place(id="thought", kind=PlaceKind.THOUGHT), me)
        known = await self.confide.recall(question, thought)
        told = {one.memory.id for one in answer.context.memories}
        found: list[Withheld] = []
        for one in known.memories:
            if one.memory.id not in told:
                why = await self.confide.explain(one.memory.id, self.scene.audience())
                if not why.decision.told:
                    found.append(Withheld(one, why.decision.because))
        return tuple(found)

    async def _forget(self, number: str) -> Shown:
        told = self.last.told
        if not number.isdigit() or not 1 <= int(number) <= len(told):
            raise InvalidInput("forget", f"there is no [{number}] in the last answer")
        memory = told[int(number) - 1].memory
        await self.confide.forget(memory.id, actor=operator_as(self.scene.who), now=True)
        return Shown(notice="Forgotten, everywhere.")

    def _message(self, text: str) -> Message:
        now = datetime.now(UTC)
        return Message(
            id=f"chat-{now.timestamp()}-{next(iter(self._numbers))}",
            place=self.scene.place,
            speaker=self.scene.who,
            text=text,
            said_at=now,
            platform="chat",
            present=self.scene.others,
        )

    def _why(self) -> str:
        if not self.last.answer:
            return "Nothing was asked yet."
        told = [
            f"[{n}] was told: everyone who saw the answer may hear it."
            for n, _ in enumerate(self.last.told, start=1)
        ]
        hidden = [f"withheld: {one.because}." for one in self.last.withheld]
        return "\n".join(told + hidden) or "Nothing is known that would fit."

    def _rooms(self) -> str:
        return "\n".join(
            f"{'→' if room == self.scene.room else ' '} {room}  "
            + ", ".join(sorted(who.id for who in here))
            for room, here in self.scene.present.items()
        )

    def _company(self) -> str:
        others = ", ".join(sorted(who.id for who in self.scene.others))
        return f", with {others}" if others else ""


def is_question(line: str) -> bool:
    first = line.split(maxsplit=1)[0].lower().strip("'’s,")
    return line.rstrip().endswith("?") or first in QUESTION_WORDS
