"""Which lines are told everywhere, and whether a question elsewhere finds the value."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Final
from uuid import uuid4

from benchmarks.learned_facts.sets import lines
from confide import Confide, audience
from confide.language.lists import OWN
from confide.language.values import known
from confide.model import Entity, Message, Scope
from confide.privacy.places import parse_place

NOW: Final = datetime(2026, 3, 1, 12, tzinfo=UTC)
FIRST: Final = 5
LISTS: Final = (
    "regions", "time_zones", "platforms", "spoken_languages", "programming_languages",
    "games", "mods", "modpacks",
)  # fmt: skip
LEVELS: Final[dict[str, list[str]]] = OWN.table("attributes")["levels"]


@dataclass
class Promoted:
    wrong: int = 0
    promoted_wrongly: list[str] = field(default_factory=list)
    right: int = 0
    kept: int = 0
    not_kept: list[str] = field(default_factory=list)
    questions: int = 0
    answered: int = 0
    unanswered: list[str] = field(default_factory=list)
    by_language: Counter[str] = field(default_factory=Counter)


async def promoted(home: Path, *, held_out: bool) -> Promoted:
    """Each line by somebody of its own, alone with the agent; the questions in another place."""
    found = Promoted()
    async with Confide.open(
        home, clock=lambda: NOW, agent=f"promote{uuid4().hex[:8]}", learn=False
    ) as confide:
        wrong = list(lines("wrong", held_out=held_out))
        right = list(lines("right", held_out=held_out))
        said = [*((f"w{n}", row[1]) for n, row in enumerate(wrong)),
                *((f"r{n}", row[1]) for n, row in enumerate(right))]  # fmt: skip
        for who, text in said:
            await confide.observe(_message(who, text))
        await confide.learning.learn(is_everything=True)
        for n, row in enumerate(wrong):
            found.wrong += 1
            if texts := await _everywhere(confide, f"w{n}"):
                found.promoted_wrongly.append(f"{row[1]} -> {texts}")
        by_value: dict[str, str] = {}
        for n, row in enumerate(right):
            await _judge_right(confide, found, f"r{n}", row)
            by_value[row[3]] = f"r{n}"
        for value, question in lines("questions", held_out=held_out):
            found.questions += 1
            if await _answers(confide, by_value[value], question, value):
                found.answered += 1
            else:
                found.unanswered.append(f"{value}: {question}")
    return found


async def _judge_right(confide: Confide, found: Promoted, who: str, row: list[str]) -> None:
    language, text, _, value = row
    found.right += 1
    texts = await _everywhere(confide, who)
    if any(_is_named(value, one) for one in texts):
        found.kept += 1
    else:
        found.by_language[language] += 1
        found.not_kept.append(f"{language} {text} ({value}) -> {texts}")


def _message(who: str, text: str) -> Message:
    speaker = Entity("human", who)
    return Message(
        id=who, place=parse_place("dm", speaker), speaker=speaker, text=text, said_at=NOW
    )


async def _everywhere(confide: Confide, who: str) -> list[str]:
    theirs = await confide.memories(Entity("human", who))
    return [one.text for one in theirs if one.scope is Scope.GLOBAL]


async def _answers(confide: Confide, who: str, question: str, value: str) -> bool:
    place = audience(Entity("human", who), "public:general@elsewhere")
    context = await confide.recall(question, place, top_k=FIRST)
    told = list(context.memories)[:FIRST]
    return any(_is_named(value, one.memory.text) for one in told)


def _is_named(value: str, text: str) -> bool:
    """As it was said, or under the name by which it is kept: Schweiz is Switzerland."""
    text += " " + text.replace("_", " ")  # America/Mexico_City
    names = [value, *(found for one in LISTS if (found := known(one, value)))]
    names += [level for level, forms in LEVELS.items() if value.casefold() in forms]
    return any(name.casefold() in text.casefold() for name in names)
