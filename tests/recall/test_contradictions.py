"""First-hand and newer win between memories that contradict each other, and only between those."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from confide import Confide, audience, statement
from confide.model import Entity
from confide.recall.claims import claims
from confide.recall.context import Context
from confide.recall.contradicting import contradicts
from confide.store.search import Found
from confide.store.terms import asked

from ..conftest import Clock

pytestmark = pytest.mark.req("S14", "S28")

ALICE, BOB, CAROL, DORA = "human:alice", "human:bob", "human:carol", "human:dora"
ROOM = "group:friends"
THEN = datetime(2026, 1, 1, tzinfo=UTC)


def found(text: str, *, by: str = ALICE, days: int = 0, **more: Any) -> Found:
    row = {"id": uuid.uuid4(), "text": text, "speaker": by, "owner": by, "subjects": []}
    row |= {"kind": "knowledge", "trust": "said", "said_at": THEN + timedelta(days=days)}
    return Found(
        row | {"attribute": None, "called": None} | more, Entity("si", "confide"), 0.0, 0.0
    )


def is_settled_by(newer: Found, older: Found, question: str) -> bool:
    return contradicts(*claims([newer, older], asked(question)))


@pytest.mark.parametrize(
    ("question", "newer", "older"),
    [
        ("Where do I live?", "I live in Munich", "I live in Berlin"),
        ("Where do I live?", "I have moved to Munich and I love it", "Right now I live in Berlin"),
        ("Where do I live?", "I live at 5 Main Street", "I live in a small flat in Berlin"),
        ("Who am I?", "I live in Munich", "I live in Berlin"),
        ("How much does Max weigh?", "Max weighs 14 kilos since the holidays", "Max weighs 12 kilos"),
        ("How heavy is Max?", "Max already weighs 14 kilos", "Max weighs 12 kilos"),
        ("What is my favorite color?", "Purple is my favourite colour", "My favorite color is green"),
        ("What is my favourite film?", "My favourite film is Alien these days", "My favourite film is Jaws"),
        ("How old am I?", "I am 31 years old", "I am 30 years old"),
        ("How many kids do I have?", "I have three kids", "I have two kids"),
        ("When is the meeting?", "The meeting is at nine", "The meeting is at noon"),
        ("When does the train leave?", "The train leaves at 9:40", "The train leaves at 9:15"),
        ("When is the deadline?", "The deadline is Friday", "The deadline is Wednesday"),
        ("Where are my keys?", "The keys are in the car", "The keys are in the drawer"),
        ("Where do I work?", "I work at Apple", "I work at Google"),
        ("What is my job?", "I work as a baker", "I work as a teacher"),
        ("What car do I drive?", "I drive an Audi", "I drive a Volvo"),
        ("What is my phone number?", "My new phone number is 555-9999", "My phone number is 555-1234"),
        ("What is my cat called?", "My cat is called Tim", "My cat's name is Tom"),
        ("Who is my dentist?", "My dentist is Dr. Weber", "My dentist is Dr. Braun"),
        ("Who is my landlord?", "My landlord is Mr. Novak", "My landlord is Mrs. Stone"),
        ("What is my shoe size?", "I wear size 43", "I wear size 42"),
        ("When was I born?", "I was born in 1991", "I was born in 1990"),
        ("Which team am I on?", "I am on the red team", "I am on the blue team"),
        ("Do I like tea?", "I don't like tea anymore", "I like tea"),
        ("Am I vegetarian?", "I am not vegetarian", "I am vegetarian"),
        ("Wo wohne ich?", "Ich wohne in München", "Ich wohne in Berlin"),
        ("Was ist meine Lieblingsfarbe?", "Meine Lieblingsfarbe ist lila", "Meine Lieblingsfarbe ist rot"),
    ],
)  # fmt: skip
def test_another_value_of_the_same_thing_contradicts(question: str, newer: str, older: str):
    assert is_settled_by(found(newer, days=2), found(older), question)


@pytest.mark.parametrize(
    ("question", "newer", "older"),
    [
        ("What do I like to drink?", "I like coffee", "I like tea"),
        ("How much do my dogs weigh?", "Luna weighs 4 kilos", "Max weighs 12 kilos"),
        ("Tell me about Max", "Max likes carrots", "Max weighs 12 kilos"),
        ("What are my hobbies?", "My hobby is chess", "My hobby is knitting"),
        ("What do I play?", "I play the violin", "I play the piano"),
        ("What am I allergic to?", "I am allergic to nuts", "I am allergic to pollen"),
        ("What do I cook?", "I cook pasta", "I cook rice"),
        ("Do I have pets?", "I have a dog called Rex", "I have a dog called Max"),
        ("What pets do I have?", "My cat is called Tom", "My dog is called Rex"),
        ("Who are my friends?", "Bob is my friend", "Carol is my friend"),
        ("Which room is free?", "Room 12 is free", "Room 14 is free"),
        ("When did I go to the dentist?", "I went to the dentist in May", "I went to the dentist in March"),
        ("When do I swim?", "I swim on Monday", "I swim on Friday"),
        ("Which appointments do I have?", "I have an appointment on Monday", "I have an appointment on Friday"),
        ("What do I drink?", "I drink tea in the morning", "I drink beer in the evening"),
        ("What are my goals?", "My goal is to run a marathon", "My goal is to learn Polish"),
        ("Who do I work with?", "I work with Bob", "I work with Dora"),
        ("How was the meeting?", "The meeting on Monday was long", "The meeting on Friday was short"),
        ("When is the meeting?", "The meeting is at the office", "The meeting is at noon"),
        ("What colour is my car?", "My car is broken", "My car is red"),
        ("What is my favourite food?", "My favourite food is pizza", "My favourite colour is green"),
        ("Where do I live?", "My sister lives in Munich", "I live in Berlin"),
        ("Where do I live?", "I also live in Porto", "I live in Berlin"),
        ("Where do I live?", "I used to live in Porto", "I live in Berlin"),
        ("Where do I live?", "I don't live in Porto", "I live in Berlin"),
        ("Do I live in Berlin?", "I live in Munich", "I live in Berlin"),
        ("What did I say about it?", "Thanks for the support. You rock!", "Thanks for the advice, Gina"),
    ],
)  # fmt: skip
def test_two_things_that_are_both_true_do_not_contradict(question: str, newer: str, older: str):
    assert not is_settled_by(found(newer, days=2), found(older), question)


@pytest.mark.parametrize("kind", ["event", "observation", "task"])
def test_what_happens_again_does_not_contradict_what_happened(kind: str):
    newer = found("Dentist with Anna in room 4", kind=kind, days=2)
    older = found("Dentist with Anna in room 7", kind=kind)
    assert not is_settled_by(newer, older, "When is the dentist?")
    assert is_settled_by(
        found("I moved to Munich", kind=kind), found("I live in Berlin"), "Where do I live?"
    )


@pytest.mark.parametrize(
    ("newer", "older", "contradict"),
    [
        ("time zone: CET", "time zone: PST", True),
        ("time zone: CET", "time zone: cet", False),
        ("time zone: CET", "region: Europe", False),
        ("spoken languages: French", "spoken languages: German", False),
        ("platform: Linux", "platform: Windows", False),
        ("expertise: expert in Rust", "expertise: beginner in Rust", True),
        ("expertise: expert in Rust", "expertise: beginner in Python", False),
    ],
)
def test_attributes_decide_where_both_have_them(newer: str, older: str, contradict: bool):
    for words in ("I live in Munich", "Something else"):
        one, other = found(words, attribute=newer, days=2), found("I live in Rome", attribute=older)
        assert is_settled_by(one, other, "Where do I live?") is contradict


def test_memories_of_two_people_never_contradict():
    of_bob = found("I live in Munich", by=BOB, days=2)
    assert not is_settled_by(of_bob, found("I live in Berlin"), "Where do they live?")
    of_carol = found("I live with Bob in Porto", by=CAROL, subjects=[BOB], days=2)
    assert not is_settled_by(of_carol, found("I live in Oslo", by=BOB), "Where does Bob live?")


def test_a_person_is_the_same_by_id_and_by_what_they_are_called():
    own = found("I live in Porto", by="human:77", called="Carol")
    heard = found("Carol lives in Paris", by=BOB, subjects=["human:77"], trust="hearsay", days=9)
    assert is_settled_by(own, heard, "Who is Carol?")


def test_who_says_what_they_think_of_somebody_is_no_first_hand_source():
    own = found("I live in Porto", by=CAROL)
    thought = found("I think Carol lives in Paris", by=BOB, subjects=[CAROL], days=9)
    one, other = claims([own, thought], asked("Where does Carol live?"))
    assert contradicts(one, other)
    assert one.standing > other.standing


SAID = st.one_of(st.text(max_size=80), st.lists(st.sampled_from(
    ["I", "live", "in", "is", "a", "my", "12", "9:40", "Berlin", "not", "moved to", "Rome", ".", "和平"]
), max_size=9).map(" ".join))  # fmt: skip


@given(SAID, SAID, st.text(max_size=30))
def test_any_words_can_be_compared_and_none_contradicts_itself(one: str, other: str, question: str):
    assert is_settled_by(found(one, days=2), found(other), question) in (True, False)
    assert not is_settled_by(found(one, days=2), found(one), question)


def texts(context: Context) -> list[str]:
    return [told.memory.text for told in context.memories]


async def say(confide: Confide, text: str, by: str = ALICE, place: str = "dm", **more: Any) -> None:
    await confide.remember(statement(text, by=by, place=place, **more))


@pytest.mark.parametrize("is_turned", [False, True])
@pytest.mark.parametrize(
    ("question", "first", "second"),
    [
        ("Where do I live?", "I live in Berlin", "I live in Munich"),
        ("How much does Max weigh?", "Max weighs 12 kilos", "Max weighs 14 kilos since the holidays"),
        ("What is my favourite colour?", "My favourite colour is green", "My favourite colour is purple"),
    ],
)  # fmt: skip
async def test_the_newer_of_two_comes_first_whichever_words_fit_better(
    confide: Confide, clock: Clock, question: str, first: str, second: str, is_turned: bool
) -> None:
    older, newer = (second, first) if is_turned else (first, second)
    await say(confide, older, kind="preference")
    clock.advance(days=2)
    await say(confide, newer, kind="knowledge")
    assert texts(await confide.recall(question, audience(ALICE, "dm"))) == [newer, older]


async def test_what_is_both_true_stays_in_the_order_of_relevance(
    confide: Confide, clock: Clock
) -> None:
    await say(confide, "Max weighs 12 kilos")
    clock.advance(days=2)
    await say(confide, "Luna weighs 4 kilos")
    found = texts(await confide.recall("How much does Max weigh?", audience(ALICE, "dm")))
    assert found == ["Max weighs 12 kilos", "Luna weighs 4 kilos"]


@pytest.mark.req("S31", "A13")
@pytest.mark.parametrize("question", ["Who is Carol?", "Where does Carol live?"])
@pytest.mark.parametrize("own", ["Carol lives in Porto", "I live in Porto"])
async def test_what_somebody_said_of_themselves_comes_before_what_others_say(
    confide: Confide, clock: Clock, question: str, own: str
) -> None:
    await say(confide, own, by=CAROL, place=ROOM)
    clock.advance(days=2)
    await say(confide, "Carol lives in Paris", by=BOB, place=ROOM, about=[CAROL])
    told = texts(await confide.recall(question, audience(DORA, ROOM)))
    assert told.index(own) < told.index("Carol lives in Paris")


async def test_nobody_drowns_others_by_contradicting_them_again_and_again(
    confide: Confide, clock: Clock
) -> None:
    await say(confide, "Carol lives in Porto", by=CAROL, place=ROOM)
    for person in (ALICE, BOB):
        await say(confide, "Carol lives in Paris, I think", by=person, place=ROOM, about=[CAROL])
    clock.advance(days=2)
    for city in ("Rome", "Oslo", "Bern", "Riga", "Kiel", "Nice", "Cork", "Gent"):
        await say(confide, f"Carol lives in {city}", by="human:mallory", place=ROOM, about=[CAROL])
    told = (await confide.recall("Where does Carol live?", audience(DORA, ROOM))).memories
    assert told[0].memory.text == "Carol lives in Porto"
    by_mallory = [one for one in told if str(one.memory.speaker) == "human:mallory"]
    assert 0 < len(by_mallory) <= len(told) / 2


@pytest.mark.req("S31")
async def test_parts_of_a_broad_question_are_settled_after_they_are_merged(
    confide: Confide, clock: Clock
) -> None:
    await say(confide, "I live in Berlin", kind="identity")
    clock.advance(days=2)
    await say(confide, "I live in Munich", kind="event")
    told = texts(await confide.recall("Who am I?", audience(ALICE, "dm")))
    assert told == ["I live in Munich", "I live in Berlin"]


@pytest.mark.req("S2")
async def test_a_hidden_memory_settles_nothing_for_those_who_may_not_hear_it(
    confide: Confide, clock: Clock
) -> None:
    await say(confide, "I live in Berlin", place=ROOM)
    clock.advance(days=1)
    await say(confide, "I live in Hamburg", place=ROOM)
    before = await confide.recall("Where does Alice live?", audience(BOB, ROOM))
    clock.advance(days=1)
    await say(confide, "I live in Munich")
    after = await confide.recall("Where does Alice live?", audience(BOB, ROOM))
    assert texts(after) == texts(before) == ["I live in Hamburg", "I live in Berlin"]
    assert [one.relevance for one in after.memories] == [one.relevance for one in before.memories]
