"""Extraction by a language model: numbered messages in, facts out that the messages bear out."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final

from confide.language.attributes import attribute_names
from confide.model import Entity, Fact, Message
from confide.providers.llm.answers import Item, Memories
from confide.providers.llm.grounding import as_said, grounded, sentences_of
from confide.providers.llm.model import LanguageModel, Truncated, prompt_text
from confide.providers.usage import Tokens

#: S18: the most tokens an answer may have.
LIMIT: Final = 2048
#: More facts from one message are not something said but a model that does not stop.
MOST_PER_MESSAGE: Final = 8
#: Turns before a message that may be needed to understand it.
BEFORE: Final = 2
#: Characters of a turn that is only there to understand another; agents talk much.
MOST_OF_AN_ANSWER: Final = 160
MOST_OF_A_TURN: Final = 400
AGENT: Final = "agent"
#: How sure a memory is at most that is not what the model wrote.
REPAIRED: Final = 0.8
_SENTENCES: Final = re.compile(r"(?<=[.!?…])\s+(?=\S)")
Spent = Callable[[Tokens], None]


class ModelExtractor:
    """Asks a language model. Only what may leave is ever passed in."""

    def __init__(self, model: LanguageModel) -> None:
        self._model = model
        names = ", ".join(sorted(attribute_names()))
        self._instructions = prompt_text("extract").replace("{attributes}", names)
        digest = hashlib.sha256(self._instructions.encode()).hexdigest()[:8]
        self.version: str = f"{model.name}-{digest}"

    async def extract(
        self,
        messages: Sequence[Message],
        wanted: Collection[str] | None = None,
        spent: Spent = lambda _: None,
    ) -> list[Fact]:
        """Facts from the `wanted` messages; the others are read only to understand them."""
        new = {one.id for one in messages if not one.is_from_agent}
        new &= new if wanted is None else set(wanted)
        if not new:
            return []
        try:
            return await self._ask(messages, new, spent)
        except Truncated:
            if len(new) == 1:
                raise
        # Each half is understood by the whole conversation, and its answer is half as long.
        ordered = [one.id for one in messages if one.id in new]
        middle = len(ordered) // 2
        return [
            *await self.extract(messages, ordered[:middle], spent),
            *await self.extract(messages, ordered[middle:], spent),
        ]

    async def _ask(self, messages: Sequence[Message], new: set[str], spent: Spent) -> list[Fact]:
        called = _called(messages)
        reply = await self._model.ask(
            Memories,
            self._instructions,
            _written(messages, new, called),
            limit=LIMIT,
            check=_is_malformed,
            spent=spent,
        )
        facts = [_fact(item, messages, new, called) for item in reply.output.sound()]
        kept: list[Fact] = []
        for fact in facts:
            if fact and sum(one.message_id == fact.message_id for one in kept) < MOST_PER_MESSAGE:
                kept.append(fact)
        return kept


def _is_malformed(answer: Memories) -> str | None:
    if answer.memories and not answer.sound():
        return "no entry has message, speaker, summary and snippet; answer again with all of them"
    return None


def _called(messages: Sequence[Message]) -> dict[Entity, str]:
    """P1, P2, …: who they are is not the model's business."""
    people = dict.fromkeys(one.speaker for one in messages if not one.is_from_agent)
    return {entity: f"P{number}" for number, entity in enumerate(people, 1)}


def _written(messages: Sequence[Message], new: set[str], called: Mapping[Entity, str]) -> str:
    """One line a message. Angle brackets are escaped: no text can look like a tag of the prompt."""
    lines: list[str] = []
    day = ""
    for number in _that_matter(messages, new):
        one = messages[number]
        by = AGENT if one.is_from_agent else called[one.speaker]
        line: dict[str, object] = {"n": number + 1, "by": by}
        said_on = one.said_at.date().isoformat()
        line |= {"on": said_on} if said_on != day else {}
        line |= {} if one.id in new or one.is_from_agent else {"old": True}
        text = one.text if one.id in new else _gist(one)
        lines.append(json.dumps(line | {"text": text}, ensure_ascii=False))
        day = said_on
    return "\n".join(lines).replace("<", "\\u003c").replace(">", "\\u003e")


def _that_matter(messages: Sequence[Message], new: set[str]) -> list[int]:
    """The new ones, and before each those by which it is understood; the rest is not worth its price."""
    asked = [number for number, one in enumerate(messages) if one.id in new]
    return sorted({n for last in asked for n in range(max(0, last - BEFORE), last + 1)})


def _gist(one: Message) -> str:
    """The end of what was said before, where the question is that somebody answers."""
    most = MOST_OF_AN_ANSWER if one.is_from_agent else MOST_OF_A_TURN
    end = one.text if len(one.text) <= most else "…" + one.text[-most:].partition(" ")[2]
    return _SENTENCES.split(end)[-1] if one.is_from_agent else end


def _fact(
    item: Item, messages: Sequence[Message], new: set[str], called: Mapping[Entity, str]
) -> Fact | None:
    """The fact, if the messages bear it out: said in these words, by this speaker, nothing made up."""
    if not 1 <= item.message <= len(messages):
        return None
    said = messages[item.message - 1]
    if said.id not in new or called[said.speaker] != item.speaker:
        return None
    snippet = as_said(item.snippet, said.text)
    if snippet is None:
        return None
    before = messages[max(0, item.message - 1 - BEFORE) : item.message - 1]
    own = [one.text for one in messages if one.speaker == said.speaker and not one.is_from_agent]
    heard = [*own, *(one.text for one in before)]
    own_words = sentences_of(snippet, said.text)
    summary = grounded(item.summary.strip(), heard, own_words, day=item.happened_on)
    attribute = _attribute(item, said)
    is_sure = summary.is_whole and (attribute or not summary.names_topic)
    return Fact(
        text=summary.text,
        snippet=snippet,
        message_id=said.id,
        speaker=said.speaker,
        kind=item.kind,
        confidence=item.confidence if is_sure else min(item.confidence, REPAIRED),
        subjects=tuple(item.subjects),
        sensitivity=item.sensitivity,
        is_global_safe=item.global_safe,
        is_portable=item.portable and summary.is_whole,
        is_about_answering=item.about_answering and summary.is_whole,
        attribute=attribute,
        happened_on=item.happened_on,
    )


def _attribute(item: Item, said: Message) -> tuple[str, str] | None:
    """Of the closed set, with a value that was said."""
    named = item.attribute
    if named is None or named.name not in attribute_names():
        return None
    return (named.name, named.value) if named.value.casefold() in said.text.casefold() else None
