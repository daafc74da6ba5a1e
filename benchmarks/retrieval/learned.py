"""The assistant chats as an agent meets them: observed turn by turn, learned from, and asked alone."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from benchmarks.retrieval.product import NOW, Asked, Measured, Store, opened, silence
from benchmarks.retrieval.scores import CUTOFFS
from benchmarks.retrieval.sets import Conversation, Question
from confide import audience
from confide.model import Entity, Message
from confide.privacy.policy import Audience


async def learned(home: Path, chats: Conversation, unknown: Asked) -> tuple[Measured, int]:
    """What is found of the turns that something was learned from, and how many memories that made."""
    asker = Entity("human", chats.asker.lower())
    who = audience(asker, "dm")
    found = Measured()
    async with opened(home, "learned", learn=False) as store:
        confide = store.by_cutoff[CUTOFFS[-1]]
        for message in messages(chats, who, store.me):
            await confide.observe(message)
        await confide.learning.learn(is_everything=True)
        for question in chats.questions:
            parts = [await part(store, k, chats, question, who) for k in CUTOFFS]
            found.in_rooms.append((chats.number, question.category, parts))
        for about, questions in unknown.items():
            found.silent[about] += await silence(store, who, questions)
        return found, len(await confide.memories(asker, limit=len(chats.turns)))


def messages(chats: Conversation, who: Audience, agent: Entity) -> list[Message]:
    """A chat a day, a minute from turn to turn."""
    said, at = list[Message](), NOW - timedelta(days=30)
    for number, turn in enumerate(chats.turns):
        at += timedelta(days=turn.is_new, minutes=1)
        is_agents = turn.speaker != chats.asker
        said.append(
            Message(
                id=str(number), place=who.place, speaker=agent if is_agents else who.asker,
                text=turn.text, said_at=at, is_from_agent=is_agents,
            )
        )  # fmt: skip
    return said


async def part(
    store: Store, k: int, chats: Conversation, question: Question, who: Audience
) -> float:
    """Which part of the evidence stands behind what is told; a memory has words of its turns."""
    context = await store.by_cutoff[k].recall(question.text, who)
    words = [said.text for one in context.memories for said in one.evidence]
    turns = {i for i in question.evidence if any(one in chats.turns[i].text for one in words)}
    return len(turns) / len(question.evidence)
