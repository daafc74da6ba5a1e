"""Files of messages, as somebody would export them from a chat."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import AsyncIterator, Iterable

import pytest
from tests.conftest import Opened
from tests.learn.speaking import message

from confide import Confide, Entity, operator_as
from confide.actor import Actor
from confide.keep.sources import File, Taken

ALICE, BOB, ZED = (Entity("human", name) for name in ("alice", "bob", "zed"))
OPERATOR, AS_ALICE, AS_BOB, AS_ZED = (operator_as(who) for who in (None, ALICE, BOB, ZED))
_numbers = itertools.count(1)


@pytest.fixture
async def confide(open_confide: Opened) -> AsyncIterator[Confide]:
    """Nothing is learned beside the test, however slow the machine is."""
    async with open_confide(learn=False) as opened:
        yield opened


def a_file(
    confide: Confide,
    said: Iterable[tuple[str, str]],
    *,
    name: str = "chat.jsonl",
    place: str = "group:tea",
    platform: str = "local",
) -> File:
    """Who said what, under ids that no other file has."""
    at, number = confide.means.clock(), next(_numbers)
    messages = [
        message(text, by=by, place=place, at=at, id=f"f{number}.{n}", platform=platform)
        for n, (by, text) in enumerate(said)
    ]
    content = repr([(one.id, one.text) for one in messages]).encode()
    return File(name=name, sha256=hashlib.sha256(content).digest(), messages=messages)


async def take(confide: Confide, file: File, actor: Actor = OPERATOR) -> Taken:
    return await confide.sources.take(file, actor=actor)
