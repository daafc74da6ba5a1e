"""What happens when a line is typed: somebody says something, or asks, or a command changes the scene."""

from __future__ import annotations

import uuid
from copy import deepcopy
from dataclasses import dataclass, field, replace

from confide.actor import operator_as
from confide.chat import Answer, Chat
from confide.chat.behind import Learned, learn_from, withheld
from confide.chat.questions import as_question, asks_why, is_question
from confide.errors import ConfideError, InvalidInput, NotFound
from confide.memories import Confide
from confide.model import Message, Sensitivity
from confide.providers.builtin import BuiltinExtractor
from confide.providers.choosing import language_model
from confide.store.sessions import DATABASE_TROUBLE
from confide.surfaces.chat.learning import Watched
from confide.surfaces.chat.scene import Scene, called
from confide.surfaces.chat.shown import COMMANDS, Shown, help_rows, tabled, why_rows

NO_DATABASE = "The database does not answer just now. Nothing is lost; say it again in a moment."


@dataclass(slots=True)
class Play:
    """One chat: the scene, and what was last said in each room of it."""

    confide: Confide
    is_own: bool = False  # one's own memory: of what is withheld only the reason is seen
    scene: Scene = field(default_factory=Scene)
    _last: dict[str, Shown] = field(default_factory=dict[str, Shown])
    _chat: Chat | None = None
    _has_model: bool = field(init=False)
    _is_away: bool = False

    def __post_init__(self) -> None:
        self._has_model = language_model(self.confide.settings) is not None

    async def type(self, line: str) -> Shown:
        """Mistakes are answered, never raised, and change nothing: one goes on talking."""
        before = deepcopy(self.scene)
        try:
            shown = await self._understand(line.strip())
        except ConfideError as mistake:
            self.scene = before
            return Shown(notice=_in_words(mistake))
        except DATABASE_TROUBLE:
            self.scene = before
            return Shown(notice=NO_DATABASE)
        if shown.answer:
            self._last[self.scene.place.id] = shown
        return shown

    @property
    def last(self) -> Shown:
        """The last answer that was given here."""
        return self._last.get(self.scene.place.id, Shown())

    async def _understand(self, line: str) -> Shown:
        if not line:
            return Shown()
        if line in ("quit", "exit"):
            return Shown(is_over=True)
        if line.startswith("/"):
            return await self._command(*line[1:].split())
        if asks_why(line):
            return self._why()
        return await (self._ask(as_question(line)) if is_question(line) else self._say(line))

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
                return self._why()
            case "forget", (number,):
                return await self._forget(number)
            case "rooms", ():
                return tabled(self._rooms())
            case "quit" | "exit", ():
                return Shown(is_over=True)
            case "help", ():
                return tabled(help_rows())
            case _ if name in COMMANDS:
                raise InvalidInput(name, "write {} to {}".format(*COMMANDS[name]))
            case _:
                raise InvalidInput("command", f"/{name} is not known; /help lists all")
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
        message = self._message(text)
        shown = Shown()
        if self._has_model:
            shown = await self._answer(message)
        else:
            observed = await self.chat.hear(message)
            if not observed.is_kept:
                return Shown(notice=f"Not kept: {observed.because}.")
        learned = await self._learn(message)
        notices = (shown.notice, *self._about(learned))
        return replace(
            shown,
            notice="\n".join(dict.fromkeys(filter(None, notices))),
            remembered=learned.remembered,
        )

    async def _ask(self, question: str) -> Shown:
        return await self._answer(self._message(question))

    async def _answer(self, message: Message) -> Shown:
        answer = await self.chat.say(message, self.scene.audience)
        told = answer.context.everything
        hidden = await withheld(
            self.confide,
            message.text,
            self.scene.audience(),
            {one.memory.id for one in told},
            hides_text=self.is_own,
        )
        notices = (*answer.notices, await self._why_from_memory(message.text, answer))
        return Shown(
            notice="\n".join(filter(None, notices)),
            answer=answer.text,
            told=told,
            withheld=hidden,
            is_by_model=answer.is_by_model,
        )

    async def _why_from_memory(self, said: str, answer: Answer) -> str:
        """Why a language model that is there did not write the answer."""
        if answer.is_by_model or not self._has_model:
            return ""
        leaving, spending = self.confide.means.leaving, self.confide.spending
        texts = [said, *(one.memory.text for one in answer.context.memories[:1])]
        best = [one.memory.sensitivity for one in answer.context.memories[:1]]
        is_careful = leaving.rule != "all" and best == [Sensitivity.SENSITIVE]
        if is_careful or not all(leaving.which(texts)):
            return "Answered here: this may not go to a language model."
        if not await spending.may_spend(self.scene.who, self.scene.place.space):
            return ""  # the notices of the budget say it
        return "The language model gave no answer, so this is from memory alone."

    async def _learn(self, message: Message) -> Learned:
        self._is_away = False
        extractor = Watched(
            extractor=self.confide.learning.worker().learning.extractor,
            on_away=self._note_away,
            instead=None if self.is_own else BuiltinExtractor(),
        )
        return await learn_from(self.confide, message, extractor)

    def _note_away(self) -> None:
        self._is_away = True

    def _about(self, learned: Learned) -> list[str]:
        """What to say of learning beside what was remembered."""
        if learned.is_waiting:
            later = "kept, and learned from later"
            return [f"The language model is away: {later}." if self._is_away else f"It is {later}."]
        said = [f"Kept, but not told: {because}." for because in learned.held]
        if self._is_away:
            said.append("The language model is away: learned by what is built in.")
        if not (learned.remembered or learned.held):
            said.append("Nothing to remember in that.")
        return said

    async def _forget(self, written: str) -> Shown:
        number, told = written.strip("[]"), self.last.told
        is_number = number.isdecimal() and len(number) < 4
        if not is_number or not 1 <= int(number) <= len(told):
            raise InvalidInput("forget", f"there is no [{number}] in the last answer here")
        memory, actor = told[int(number) - 1].memory, operator_as(self.scene.who)
        try:
            await self.confide.forget(memory.id, actor=actor, now=True)
        except NotFound:
            if self.scene.who in (memory.owner, memory.speaker, *memory.subjects):
                raise InvalidInput("forget", f"[{number}] is forgotten already") from None
            whose = called(memory.owner)
            raise InvalidInput(
                "forget", f"[{number}] is for {whose} to forget; /as {whose} first"
            ) from None
        self._last = {place: shown.without(memory.id) for place, shown in self._last.items()}
        return Shown(notice="Forgotten, everywhere.")

    def _message(self, text: str) -> Message:
        return Message(
            id=f"chat-{uuid.uuid4().hex}",
            place=self.scene.place,
            speaker=self.scene.who,
            text=text,
            said_at=self.confide.means.clock(),
            platform="chat",
            present=self.scene.others,
        )

    def _why(self) -> Shown:
        if not self.last.answer:
            return Shown(notice="Nothing was answered here yet.")
        rows = why_rows(self.last)
        return tabled(rows) if rows else Shown(notice="Nothing is known that would fit.")

    def _rooms(self) -> tuple[tuple[str, str], ...]:
        def here(room: str) -> str:
            who = {self.scene.who} if room == self.scene.room == "dm" else self.scene.present[room]
            return ", ".join(sorted(map(called, who)))

        return tuple(
            (f"{'→' if room == self.scene.room else ' '} {room}", here(room))
            for room in self.scene.present
        )

    def _company(self) -> str:
        others = ", ".join(sorted(map(called, self.scene.others)))
        return f", with {others}" if others else ""


def _in_words(mistake: ConfideError) -> str:
    if isinstance(mistake, InvalidInput) and mistake.field in COMMANDS:
        return f"/{mistake.field}: {mistake.problem}"
    return str(mistake)
