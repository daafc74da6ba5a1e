"""Words that ask for confidence narrow what they are about, in five languages (8a, B8)."""

from __future__ import annotations

import pytest
from tests.learn.speaking import learn, say

from confide import Confide, Entity, Scope, audience, statement
from confide.language.confidence import asks_for_confidence, is_off_the_record

ALICE, BOB, KATE = (Entity("human", name) for name in ("alice", "bob", "kate"))
CREW = "group:crew"
WISHES = [
    "Between us", "don't tell Kate", "Keep this private", "please don't tell anyone",
    "keep it to yourself", "this is confidential", "Mom must not know about this",
    "nobody else should know", "this stays in this room", "dont repeat this to anyone",
    "Kate can't find out", "in confidence", "Das bleibt unter uns", "Sag Kate nichts davon",
    "erzähl das bitte niemandem", "behalte es für dich", "entre nous", "ne le dis à personne",
    "garde ça pour toi", "entre nosotros", "no se lo digas a nadie", "es un secreto",
    "fica entre nós", "não conte a ninguém", "guarda segredo", "que nadie se entere",
]  # fmt: skip
ORDINARY = [
    "don't tell me it's raining again", "The distance between Ghent and Bruges is 50 km",
    "I don't share my desk", "keep it simple", "tell Kate when she comes", "don't tell lies",
    "we stay here for two weeks", "I like secret gardens", "It's a private school in Ghent",
    "never mention cilantro to a cook", "He stays here every summer", "Sag mir Bescheid",
    "dis-moi tout", "no lo creo", "não sei",
]  # fmt: skip
SECRET = "I keep bees on the roof of the old mill"


def test_wishes_for_confidence_are_understood_and_ordinary_words_are_none() -> None:
    assert [wish for wish in WISHES if not asks_for_confidence(wish)] == []
    assert [said for said in ORDINARY if asks_for_confidence(said)] == []
    assert is_off_the_record("off the record: I hate my boss")
    assert not is_off_the_record("I bought the record of the year")


async def told(confide: Confide, asker: Entity, place: str) -> list[str]:
    context = await confide.recall("who keeps bees?", audience(asker, place))
    return [one.memory.text for one in context.memories]


async def meet(confide: Confide) -> None:
    for who in ("human:alice", "human:bob"):
        await say(confide, "hello everybody", by=who, place=CREW, is_to_agent=True)


@pytest.mark.req("K5", "A9", "B13")
@pytest.mark.parametrize("wish", WISHES[::4])
async def test_a_secret_told_in_a_group_is_not_told_before_who_joins_later(
    confide: Confide, wish: str
) -> None:
    await meet(confide)
    await say(confide, f"{wish}: {SECRET}.", place=CREW, is_to_agent=True)
    await learn(confide)
    await say(confide, "hi, I am new", by="human:kate", place=CREW, is_to_agent=True)
    assert await told(confide, KATE, "dm") == []
    assert await told(confide, BOB, CREW) == []
    assert await told(confide, ALICE, "dm")
    assert await told(confide, BOB, "dm")


@pytest.mark.req("K5", "B8")
@pytest.mark.parametrize("is_learned", [True, False])
async def test_a_wish_by_itself_is_about_what_was_just_said(
    confide: Confide, clock, is_learned: bool
) -> None:
    await meet(confide)
    await say(confide, f"{SECRET}.", place=CREW, is_to_agent=True)
    if is_learned:
        await learn(confide)
        assert await told(confide, BOB, CREW)
    clock.advance(minutes=2)
    await say(confide, "please don't tell anyone", place=CREW, is_to_agent=True)
    assert await told(confide, BOB, CREW) == []
    await learn(confide)
    assert await told(confide, BOB, CREW) == []
    assert await told(confide, ALICE, "dm")


@pytest.mark.parametrize("between", ["others", "time"])
async def test_a_wish_reaches_back_only_over_what_its_speaker_just_said(
    confide: Confide, clock, between: str
) -> None:
    await meet(confide)
    await say(confide, f"{SECRET}.", place=CREW, is_to_agent=True)
    if between == "others":
        await say(confide, "nice", by="human:bob", place=CREW, is_to_agent=True)
    else:
        clock.advance(minutes=11)
    await say(confide, "please don't tell anyone", place=CREW, is_to_agent=True)
    await learn(confide)
    assert await told(confide, BOB, CREW)


@pytest.mark.req("B8")
async def test_nothing_is_learned_from_what_is_off_the_record(confide: Confide) -> None:
    kept = await say(confide, f"Off the record, {SECRET}.")
    assert (kept.is_kept, kept.because) == (False, "it is off the record")
    await learn(confide)
    assert await told(confide, ALICE, "dm") == []


@pytest.mark.req("K5")
async def test_an_explicit_memory_keeps_its_wish_too(confide: Confide) -> None:
    await confide.remember(
        statement(f"{SECRET}, but don't tell Kate", by=ALICE, place=CREW, present=[BOB])
    )
    (kept,) = await confide.memories(ALICE)
    assert kept.scope is Scope.GROUP
    assert await told(confide, BOB, CREW) == []
    assert await told(confide, BOB, "dm")
