"""The story of the first page: what is said in private stays there."""

import pytest

from confide import Confide, audience, statement


@pytest.mark.req("S2", "A3", "B1")
async def test_what_alice_says_in_private_is_told_to_alice_alone(confide: Confide) -> None:
    await confide.remember(
        statement("My sister is visiting next week", by="human:alice", place="dm", kind="event")
    )
    question = "who is visiting?"
    assert (await confide.recall(question, audience("human:alice", "dm"))).memories
    for asker, place in [
        ("human:bob", "dm"),
        ("human:alice", "group:friends"),
        ("human:alice", "public:general@guild"),
        ("human:bob", "public:general@guild"),
    ]:
        assert not (await confide.recall(question, audience(asker, place))).memories
