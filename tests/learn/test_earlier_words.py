"""A memory that repeats its speaker's own earlier words: labelled as both messages, gone with either."""

from __future__ import annotations

import pytest

from confide import Confide, audience
from confide.actor import operator_as
from confide.model import Entity, Trust
from confide.privacy.places import parse_place

from .speaking import say

ALICE, BOB = Entity.parse("human:alice"), Entity.parse("human:bob")
TOURNAMENT = "Last week I won the regional chess tournament in Porto!"
GOES_ON = "I won it with a strategy of waiting for 40 moves."


async def talk(confide: Confide, place: str = "group:chess") -> None:
    if place != "dm":
        await confide.world.join(parse_place(place, ALICE), ALICE, BOB)
    await say(confide, TOURNAMENT, place=place, id="first")
    await say(confide, GOES_ON, place=place, id="second")
    await confide.learning.learn(is_everything=True)


async def texts(confide: Confide) -> list[str]:
    return sorted(memory.text for memory in await confide.memories(ALICE))


@pytest.mark.req("S13", "S11")
@pytest.mark.parametrize("place", ["dm", "group:chess", "restricted:mods@guild"])
async def test_ones_own_words_change_neither_label_nor_trust(confide: Confide, place: str) -> None:
    await talk(confide, place)
    longer, first = sorted(await confide.memories(ALICE), key=lambda one: one.text)
    assert longer.text.startswith(GOES_ON)
    assert "tournament" in longer.text
    assert longer.label == first.label
    assert longer.trust is first.trust is Trust.SAID


@pytest.mark.req("S11")
async def test_deleting_the_earlier_message_takes_its_words_out_of_the_memory(
    confide: Confide,
) -> None:
    await talk(confide)
    await confide.learning.deleted("first")
    await confide.learning.learn(is_everything=True)
    assert all("tournament" not in text for text in await texts(confide))
    told = await confide.recall("who won the tournament?", audience("human:alice", "group:chess"))
    assert told.memories == ()


@pytest.mark.req("A4")
async def test_what_was_to_stay_private_is_not_repeated_in_what_follows(confide: Confide) -> None:
    room = parse_place("group:chess", ALICE)
    await confide.world.join(room, ALICE, BOB)
    await say(
        confide, "remember just for me that I won the regional chess tournament in Porto",
        place="group:chess",
    )  # fmt: skip
    await say(confide, GOES_ON, place="group:chess")
    await confide.learning.learn(is_everything=True)
    told = await confide.recall("who won the tournament?", audience("human:bob", "group:chess"))
    assert all("tournament" not in one.memory.text for one in told.memories)


@pytest.mark.req("B5")
async def test_what_was_forgotten_does_not_come_back_as_earlier_words(confide: Confide) -> None:
    await say(confide, TOURNAMENT)
    await confide.learning.learn(is_everything=True)
    (memory,) = await confide.memories(ALICE)
    await confide.forget(memory.id, actor=operator_as(ALICE), now=True)
    await say(confide, TOURNAMENT)
    await say(confide, GOES_ON)
    await confide.learning.learn(is_everything=True)
    assert all("tournament" not in text for text in await texts(confide))
