"""The audience as the database knows it: nobody who listens may get lost on the way."""

from __future__ import annotations

from dataclasses import replace

import pytest

from confide import Confide, Entity, audience, statement
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


@pytest.mark.req("B7", "S32")
async def test_words_behind_an_answer_are_checked_again_too(confide: Confide) -> None:
    """The memory may be told in the room; what was said before it was said in confidence."""
    before = (
        statement("The surprise is a zeppelin flight for Carol", by="human:alice", place="dm"),
        statement("I was at the travel agency", by="human:alice", place=ROOM),
    )
    await confide.people.name(Entity("human", "alice"), "Alice A.")
    await confide.remember_all(
        [statement("I booked it for Friday", by="human:alice", place=ROOM, before=before)]
    )
    question, alone = "What did Alice book for Friday?", audience("human:alice", "dm")
    room = audience("human:alice", ROOM, present=["human:carol"])
    (told,) = (context := await confide.recall(question, alone)).memories
    assert [said.text for said in told.evidence] == [one.text for one in before]
    (left,) = (await confide.recheck(context, room)).memories
    assert [(said.speaker, said.text) for said in left.evidence] == [
        ("Alice A.", "I was at the travel agency")
    ]
    # What the first audience did not hear is not added for the second.
    there = await confide.recall(question, room)
    (again,) = (await confide.recheck(there, alone)).memories
    assert [said.text for said in again.evidence] == ["I was at the travel agency"]
