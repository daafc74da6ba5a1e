"""The audience as the database knows it: nobody who listens may get lost on the way."""

from __future__ import annotations

from dataclasses import replace

import pytest

from confide import Confide, audience, statement
from confide.privacy import atoms
from confide.privacy.policy import Anyone, EveryoneIn

ROOM = "public:garden@town"
QUESTION = "who keeps bees on the roof?"


@pytest.mark.req("B7", "S2")
@pytest.mark.parametrize(
    "beyond", [Anyone(), EveryoneIn(atoms.space("elsewhere")), EveryoneIn(atoms.place("other"))]
)
async def test_who_listens_beyond_the_room_must_be_covered_too(confide: Confide, beyond) -> None:
    await confide.remember(statement("Alice keeps bees on the roof", by="human:alice", place=ROOM))
    here = audience("human:bob", ROOM)
    assert (await confide.recall(QUESTION, here)).memories
    published = replace(here, viewers=here.viewers | {beyond})
    assert not (await confide.recall(QUESTION, published)).memories


@pytest.mark.req("B7")
async def test_an_answer_is_checked_again_when_more_people_will_see_it(confide: Confide) -> None:
    await confide.remember(
        statement("Alice keeps bees on the roof", by="human:alice", place="group:friends")
    )
    context = await confide.recall(QUESTION, audience("human:alice", "dm"))
    assert context.memories
    assert (await confide.recheck(context, audience("human:alice", "group:friends"))).memories
    assert not (await confide.recheck(context, audience("human:alice", ROOM))).memories
