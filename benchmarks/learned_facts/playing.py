"""Plays a conversation through observe and learn, and judges what is known afterwards."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final
from uuid import UUID, uuid4

from benchmarks.learned_facts.sets import AGENT, Expected, Talk, Turn
from confide import Confide, audience
from confide.model import Entity, Message, Status
from confide.privacy.places import parse_place
from confide.store.memory import Memory

FIRST: Final = 5
SITTING: Final = timedelta(minutes=30)
MOST: Final = 500
#: As many of the words of a message as make a memory the message itself.
WHOLE: Final = 0.9
_ADDED: Final = re.compile(r"\s\((?:earlier|asked|in reply to): “[^”]*”\)|\s\([^()]*\d{4}[^()]*\)")


@dataclass
class Judged:
    """Counts over conversations, and what a reader wants to see of them."""

    facts: int = 0
    known: int = 0
    told: int = 0  # in the place, among the first
    found: int = 0  # there, or by their speaker alone where company may not hear it
    ends_early: int = 0
    dated: int = 0
    memories: int = 0
    wrong: int = 0
    whole: int = 0
    small_talk: int = 0
    small_talk_kept: int = 0
    messages_with_a_fact: int = 0
    memories_from_them: int = 0
    missed: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    idle: list[str] = field(default_factory=list)


class Clock:
    def __init__(self) -> None:
        self.now = datetime.min

    def __call__(self) -> datetime:
        return self.now


@asynccontextmanager
async def played(home: Path, talk: Talk) -> AsyncIterator[tuple[Confide, Clock]]:
    """A memory that has heard the conversation, in its place, sitting by sitting."""
    clock, agent = Clock(), f"facts{uuid4().hex[:8]}"
    clock.now = talk.turns[0].at
    async with Confide.open(home, clock=clock, agent=agent, learn=False) as confide:
        for turn in talk.turns:
            if turn.at - clock.now > SITTING:
                clock.now += SITTING
                await confide.learning.learn(is_everything=True)
            clock.now = max(clock.now, turn.at)
            await confide.observe(_message(talk, turn, Entity("si", agent)))
        clock.now += SITTING
        await confide.learning.learn(is_everything=True)
        yield confide, clock


def _message(talk: Talk, turn: Turn, agent: Entity) -> Message:
    who = agent if turn.by == AGENT else person(turn.by)
    people = frozenset(map(person, talk.people))
    return Message(
        id=str(turn.number),
        place=parse_place(talk.place, person(talk.people[0]) if turn.by == AGENT else who),
        speaker=who,
        text=turn.text,
        said_at=turn.at,
        is_from_agent=turn.by == AGENT,
        present=frozenset() if talk.place == "dm" else people,
    )


def person(name: str) -> Entity:
    return Entity("human", name.casefold())


async def judge(home: Path, talk: Talk, total: Judged) -> None:
    async with played(home, talk) as (confide, _clock):
        known = [one for name in talk.people for one in await _memories(confide, name)]
        sources = await _sources(confide, talk)
        await _judge_facts(confide, talk, known, total)
        _judge_errors(talk, known, total)
        _judge_turns(talk, known, sources, total)


async def _memories(confide: Confide, name: str) -> list[Memory]:
    theirs = await confide.memories(person(name), limit=MOST)
    return [one for one in theirs if one.status is Status.APPROVED]


async def _sources(confide: Confide, talk: Talk) -> dict[UUID, set[int]]:
    """The turns behind each memory."""
    at = {turn.at: turn.number for turn in talk.turns}
    async with confide.database.keep() as connection:
        rows = await connection.fetch(
            "SELECT memory_id, said_at FROM confide.evidence WHERE agent = $1",
            confide.database.agent,
        )
    found: dict[UUID, set[int]] = defaultdict(set)
    for row in rows:
        found[row["memory_id"]].add(at[row["said_at"]])
    return found


async def _judge_facts(confide: Confide, talk: Talk, known: list[Memory], total: Judged) -> None:
    for fact in talk.facts:
        total.facts += 1
        says = [one for one in known if _says(one, fact, talk)]
        if not says:
            total.missed.append(f"{talk.name}: not known: {fact.who}: {fact.text} {fact.words}")
            continue
        total.known += 1
        if fact.until:
            total.dated += 1
            ends = max((one.expires_at or datetime.max).date() for one in says)
            total.ends_early += ends <= fact.until
        is_told = await _is_told(confide, talk.place, fact, says)
        total.told += is_told
        if is_told or await _is_told(confide, "dm", fact, says):
            total.found += 1
        else:
            total.missed.append(f"{talk.name}: not found: {fact.text} | {says[0].text}")


def _says(memory: Memory, fact: Expected, talk: Talk) -> bool:
    """All of its words, from the right person, about whom it is about."""
    others = {name.casefold() for name in fact.about or () if name in talk.people} - {fact.who}
    return (
        memory.speaker == person(fact.who or "")
        and fact.is_said_in(memory.text)
        and others <= {one.id for one in memory.subjects}
    )


async def _is_told(confide: Confide, place: str, fact: Expected, says: list[Memory]) -> bool:
    who = person(fact.who or "")
    context = await confide.recall(fact.text, audience(who, place), top_k=FIRST)
    ids = {one.id for one in says}
    return any(one.memory.id in ids for one in list(context.memories)[:FIRST])


def _judge_errors(talk: Talk, known: list[Memory], total: Judged) -> None:
    """What `wrong` names, and what a fact says but somebody is said to have said who did not."""
    total.memories += len(known)
    for memory in known:
        error = next((one for one in talk.wrong if _is_error(memory, one, talk)), None)
        if error:
            total.wrong += 1
            total.errors.append(f"{talk.name}: {error.text} | {memory.speaker}: {memory.text}")


def _is_error(memory: Memory, error: Expected, talk: Talk) -> bool:
    if not error.is_said_in(memory.text):
        return False
    about = {one.id for one in memory.subjects} or {memory.speaker.id if memory.speaker else ""}
    return error.about is None or not about.isdisjoint(name.casefold() for name in error.about)


def _judge_turns(
    talk: Talk, known: list[Memory], sources: dict[UUID, set[int]], total: Judged
) -> None:
    by_turn: dict[int, list[Memory]] = defaultdict(list)
    texts = {turn.number: turn.text for turn in talk.turns}
    for memory in known:
        # The turn it was said in; others only lent their words.
        if numbers := sources[memory.id]:
            by_turn[max(numbers)].append(memory)
            total.whole += _is_whole(memory.text, texts[max(numbers)])
    total.small_talk += len(talk.nothing)
    kept = [number for number in talk.nothing if by_turn[number]]
    total.small_talk_kept += len(kept)
    total.idle += [f"{talk.name}: {by_turn[number][0].text}" for number in kept]
    for number, memories in by_turn.items():
        if number not in talk.nothing and memories:
            total.messages_with_a_fact += 1
            total.memories_from_them += len(memories)


def _is_whole(text: str, said: str) -> bool:
    """Whether the memory is the message word for word."""
    return len(_ADDED.sub("", text)) >= WHOLE * len(said)
