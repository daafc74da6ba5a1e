"""The leak test with a model that wants everything told everywhere: nothing is told for its sake."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import Opened
from tests.learn.speaking import learn, say
from tests.models import loopback
from tests.models.loopback import Answer, Server, is_merge, lines, memory, typed

from confide import Confide, Entity, audience
from confide.chat import Chat
from confide.leaktest import run as leaktest
from confide.leaktest import story as acts
from confide.leaktest.canaries import AGENT
from confide.leaktest.rooms import THOUGHT
from confide.leaktest.run import Size, run
from confide.leaktest.surfaces import TOP_K, Library, Recheck
from confide.leaktest.town import Question
from confide.model import Message

SEED = 20_260_301


def blurts(body: dict[str, Any]) -> Answer:
    """Says every word that it was ever given in this talk, the earlier turns too."""
    return loopback.text(" ".join(sorted(set(re.findall(r"\w+", json.dumps(body["messages"]))))))


class Talk(Recheck):
    """`Chat.say`, with a model that keeps nothing to itself."""

    name = "chat"
    limit: int | None = TOP_K
    sample: int | None = 16

    def __init__(self, library: Library) -> None:
        super().__init__(library)
        self._chat = Chat(library.confide)
        self._count = 0

    def can_ask(self, question: Question) -> bool:
        return question.room is not THOUGHT and question.asker != AGENT

    async def recall(self, words: str, question: Question) -> frozenset[str]:
        library = self._library
        self._count += 1
        heard = library.speech.audience(question)
        asked = Message(
            id=f"talk-{self._count}", place=heard.place, speaker=heard.asker, text=words,
            said_at=library.clock(),
        )  # fmt: skip
        answer = await self._chat.say(asked, lambda: library.speech.audience(question))
        return library.codes([answer.text])


@pytest.mark.req("B4", "B7", "S16")
async def test_the_leak_test_passes_over_a_chat_whose_model_blurts_everything_out(
    home: Path, claude: Server, with_claude: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def short(*given: Any) -> AsyncIterator[str]:
        told = 0
        async for act in acts.story(*given):
            yield act
            told += 1
            if told == 6:
                return

    monkeypatch.setattr(leaktest, "story", short)
    size = Size(towns=1, askers=1, density=0.2, thoughts=0, paths=9)
    monkeypatch.setitem(leaktest.SIZES, "quick", size)
    claude.otherwise = blurts
    settings = with_claude | {"external_models": "all"}
    opened = functools.partial(Confide.open, home, **settings)
    report = await run(opened, "quick", seed=SEED, surfaces=lambda library: [Talk(library)])
    assert len(claude.seen) > 80
    assert any(len(body["messages"]) > 1 for body in claude.seen)  # there was a history to blurt
    assert report.decisions["chat"] > 500
    assert (report.leaks, report.withheld) == ([], [])


#: Who is where; each says something of their own in each of their rooms.
ROOMS = {
    "dm": ("alice", "bob", "carol"),
    "group:friends": ("alice", "bob"),
    "restricted:mods@guild": ("alice", "carol"),
    "public:general@guild": ("alice", "bob"),
    "public:general@other": ("bob", "carol"),
    "ctx:care": ("alice", "bob"),
}
WIDE = {
    "global_safe": True, "portable": True, "sensitivity": "public", "kind": "identity",
    "confidence": 1.0, "subjects": [], "attribute": {"name": "in_game_name", "value": "StoneFox"},
}  # fmt: skip


def widens(seen: list[str]) -> loopback.Ask:
    """Marks everything as harmless, and merges with all that it ever read."""

    def answer(body: dict[str, Any]) -> Answer:
        given = lines(body)
        seen.extend(one["text"] for one in given)
        if is_merge(body):
            return typed({"summary": " and ".join(seen)[:590], "confidence": 1.0, "dialogue": []})
        return typed(
            {
                "memories": [
                    memory(one["n"], one["text"], one["text"], speaker=who) | WIDE
                    for one in given
                    for who in ("P1", "P2", "P3")
                ]
            }
        )

    return answer


def everything_said() -> list[tuple[str, str, str]]:
    """Who says what where; two things each that are alike enough to be merged."""
    said: list[tuple[str, str, str]] = []
    for number, (room, people) in enumerate(ROOMS.items()):
        for who in people:
            code = f"{who}{number}"
            for more in ("", "large "):
                said.append(
                    (who, room, f"I keep a {more}garden of {code} roses behind the old mill")
                )
    return said


async def told_everywhere(confide: Confide) -> dict[tuple[str, str], set[str]]:
    found: dict[tuple[str, str], set[str]] = {}
    for room, people in ROOMS.items():
        for who in people:
            context = await confide.recall(
                "garden of roses behind the old mill", audience(Entity("human", who), room)
            )
            text = " ".join(one.memory.text for one in context.memories)
            found[who, room] = set(re.findall(r"(?:alice|bob|carol)\d", text))
    return found


async def spoken(confide: Confide) -> None:
    for who, room, text in everything_said():
        others = [f"human:{one}" for one in ROOMS[room] if one != who and room != "dm"]
        await say(confide, text, by=f"human:{who}", place=room, present=others)


@pytest.mark.req("B4", "S8", "S13")
async def test_a_model_that_widens_and_mixes_everything_widens_and_mixes_nothing(
    open_confide: Opened, claude: Server, with_claude: dict[str, Any]
) -> None:
    """Each is told exactly where it is told without a model."""
    seen: list[str] = []
    claude.otherwise = widens(seen)
    settings = with_claude | {"top_k": 100, "similarity": -1.0, "context_tokens": 100_000}
    async with open_confide(**settings, agent="honest-world") as confide:
        await spoken(confide)
        await learn(confide)
        honest = await told_everywhere(confide)
    async with open_confide(**settings) as confide:
        await spoken(confide)
        await confide.learning.learn(is_everything=True)
        widened = await told_everywhere(confide)
    assert any(honest.values())
    assert any("large" in one for one in seen)
    assert any(is_merge(body) for body in claude.seen)
    for where, codes in widened.items():
        assert codes <= honest[where], where
    assert widened == honest
