"""An answer that is a memory only with its question: labelled as both, and gone with either."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

import pytest

from confide import Confide, audience
from confide.actor import operator_as
from confide.model import Entity, Fact, Kind, Message, Scope, Trust
from confide.privacy.places import parse_place

from .speaking import say

ALICE, BOB = Entity.parse("human:alice"), Entity.parse("human:bob")
PETS, MODS = parse_place("group:pets", ALICE), parse_place("restricted:mods@guild", ALICE)
QUESTION, ANSWER = "What's the cat's name?", "Coco"
BOTH = "The cat's name: Coco"


async def texts(confide: Confide, who: Entity = ALICE) -> list[str]:
    return sorted(memory.text for memory in await confide.memories(who))


async def told(confide: Confide, asker: str, place: str) -> list[str]:
    context = await confide.recall("what is the cat called, Coco?", audience(asker, place))
    return [one.memory.text for one in context.memories]


async def talk(confide: Confide, place: str = "group:pets", answer: str = ANSWER) -> None:
    """Both are in the room before anything is said, so that nobody comes in between."""
    await confide.world.join(parse_place(place, ALICE), ALICE, BOB)
    await say(confide, QUESTION, by="human:bob", place=place, id="question")
    await say(confide, answer, by="human:alice", place=place, id="answer")


async def learn(confide: Confide) -> None:
    await confide.learning.learn(is_everything=True)


@pytest.mark.req("S13", "S11")
async def test_a_one_word_answer_is_remembered_with_what_was_asked(confide: Confide) -> None:
    await talk(confide)
    await learn(confide)
    (memory,) = await confide.memories(ALICE)
    assert memory.text == BOTH
    assert memory.owner == memory.speaker == ALICE
    assert await texts(confide, BOB) == []


@pytest.mark.req("S11", "S3")
async def test_its_label_is_that_of_both_messages(confide: Confide) -> None:
    await talk(confide)
    await learn(confide)
    (memory,) = await confide.memories(ALICE)
    owners = {clause.owner for clause in memory.label.clauses}
    assert owners == {ALICE, BOB}
    assert {clause.owner for clause in memory.origin.inherited} == {BOB}


@pytest.mark.req("S13")
async def test_it_is_trusted_no_more_than_the_words_it_borrowed(confide: Confide) -> None:
    await talk(confide)
    await learn(confide)
    (memory,) = await confide.memories(ALICE)
    assert memory.trust is Trust.HEARSAY


@pytest.mark.req("S11")
async def test_both_messages_are_kept_as_evidence(confide: Confide) -> None:
    await talk(confide)
    await learn(confide)
    context = await confide.recall(QUESTION, audience("human:alice", "group:pets"))
    (one,) = [one for one in context.memories if one.memory.text == BOTH]
    assert {(said.speaker, said.text) for said in one.evidence} == {
        ("human:bob", QUESTION),
        ("human:alice", ANSWER),
    }


@pytest.mark.req("S3", "S11")
async def test_nothing_is_borrowed_in_a_restricted_place(confide: Confide) -> None:
    """Only Bob may ask for his words there, and only Alice for hers: nobody for both."""
    await talk(confide, "restricted:mods@guild")
    await say(confide, "I live in Lyon.", place="restricted:mods@guild")
    await learn(confide)
    assert await texts(confide) == ["I live in Lyon."]


@pytest.mark.req("S3", "S11")
async def test_a_question_asked_in_a_restricted_place_leaks_with_no_answer(
    confide: Confide,
) -> None:
    """Even if an extractor borrows there, and everybody asks everywhere, also after a move."""
    await talk(confide, "restricted:mods@guild")
    await confide.world.join(parse_place("public:lobby@guild", ALICE), ALICE, BOB)
    await borrow(confide)
    async with confide.database.keep() as connection:
        kept = await connection.fetchrow("SELECT text, scope, clauses::text FROM confide.memory")
    assert kept is not None
    assert (kept["text"], kept["scope"]) == (BOTH, Scope.CHANNEL_RESTRICTED)
    assert "human:bob" in kept["clauses"]
    for asker in ("human:alice", "human:bob", "human:carol"):
        for place in ("public:lobby@guild", "group:pets", "dm"):
            assert await told(confide, asker, place) == []
    await confide.world.leave(MODS, BOB)
    assert await told(confide, "human:bob", "dm") == []


@pytest.mark.req("S3", "S11")
async def test_what_two_said_in_public_stays_in_their_space(confide: Confide) -> None:
    await talk(confide, "public:lobby@guild")
    await learn(confide)
    assert await told(confide, "human:alice", "public:lobby@guild") == [BOTH]
    assert await told(confide, "human:alice", "public:hall@elsewhere") == []
    assert await told(confide, "human:carol", "dm") == []


@pytest.mark.req("S11")
async def test_whoever_left_the_room_no_longer_hears_what_was_asked_in_it(confide: Confide) -> None:
    """Alice's own words go with her; Bob's stay in his room."""
    await talk(confide)
    await say(confide, "I live in Lyon.", place="group:pets")
    await learn(confide)
    assert BOTH in await told(confide, "human:alice", "group:pets")
    await confide.world.leave(PETS, ALICE)
    assert BOTH not in await told(confide, "human:alice", "dm")


@pytest.mark.req("S11")
async def test_deleting_the_question_takes_its_words_out_of_the_answers_memory(
    confide: Confide,
) -> None:
    await talk(confide)
    await learn(confide)
    assert await confide.learning.deleted("question")
    assert await texts(confide) == []
    await learn(confide)
    assert await texts(confide) == [], "without its question, Coco is nobody"


@pytest.mark.req("S11")
async def test_deleting_the_answer_erases_the_memory(confide: Confide) -> None:
    await talk(confide)
    await learn(confide)
    assert await confide.learning.deleted("answer")
    await learn(confide)
    assert await texts(confide) == []


@pytest.mark.req("S11")
async def test_an_edited_question_is_answered_anew(confide: Confide) -> None:
    await talk(confide)
    await learn(confide)
    assert await confide.learning.edited("question", "What's the dog's name?")
    assert await texts(confide) == []
    await learn(confide)
    assert await texts(confide) == ["The dog's name: Coco"]


@pytest.mark.req("S11")
async def test_what_else_the_answer_said_is_learned_once_and_stays(confide: Confide) -> None:
    await talk(confide, answer="Coco. I live in Lyon.")
    await learn(confide)
    assert len(await texts(confide)) == 2
    await confide.learning.deleted("question")
    await learn(confide)
    (left,) = await confide.memories(ALICE)
    assert "Lyon" in left.text
    assert "cat" not in left.text


@pytest.mark.req("S11", "B8")
async def test_a_question_deleted_between_answering_and_learning_is_not_used(
    confide: Confide,
) -> None:
    await talk(confide)
    await confide.learning.deleted("question")
    await learn(confide)
    assert await texts(confide) == []


@pytest.mark.req("S11", "B8")
@pytest.mark.parametrize("moment", ["extracted", "journaled", "screened", "embedded"])
async def test_a_question_deleted_while_its_answer_is_learned_is_not_used(
    confide: Confide, moment: str
) -> None:
    await talk(confide)
    await confide.learning.make_due()
    stopped: list[str] = []

    def stop(step: str) -> None:
        if step == moment and not stopped:
            stopped.append(step)
            raise InterruptedError

    worker = confide.learning.worker(step=stop)
    with contextlib.suppress(InterruptedError):
        await worker.drain()
    assert stopped
    await confide.learning.deleted("question")
    await learn(confide)
    assert await texts(confide) == []


@pytest.mark.req("B8")
async def test_a_question_off_the_record_is_neither_read_nor_used(confide: Confide) -> None:
    await confide.world.join(PETS, ALICE, BOB)
    await confide.learning.off_the_record(BOB, PETS)
    await talk(confide)
    await learn(confide)
    assert await texts(confide) == []


@pytest.mark.req("B8")
async def test_whoever_goes_off_the_record_before_it_is_learned_lends_nothing(
    confide: Confide,
) -> None:
    await talk(confide)
    await confide.learning.off_the_record(BOB, PETS)
    await learn(confide)
    assert await texts(confide) == []


@pytest.mark.req("S21")
async def test_somebody_who_opts_out_takes_their_words_out_of_others_memories(
    confide: Confide,
) -> None:
    await talk(confide)
    await learn(confide)
    await confide.rights.opt_out(BOB, actor=operator_as(BOB))
    assert await texts(confide) == []
    assert await told(confide, "human:alice", "group:pets") == []


@pytest.mark.req("S21")
async def test_nothing_is_borrowed_from_somebody_who_opted_out(confide: Confide) -> None:
    await talk(confide)
    await confide.rights.opt_out(BOB, actor=operator_as(BOB))
    await learn(confide)
    assert await texts(confide) == []


@pytest.mark.req("S13", "S11")
async def test_the_agents_question_is_never_repeated_in_a_memory(confide: Confide) -> None:
    await confide.world.join(PETS, ALICE, BOB)
    asked = "What's the name of the cat that Bob gave away?"
    await say(confide, asked, by="si:bot", place="group:pets", is_from_agent=True)
    await say(confide, ANSWER, place="group:pets")
    await learn(confide)
    assert not any("gave away" in text for text in await texts(confide))


@pytest.mark.req("S11")
async def test_a_question_of_another_day_is_not_the_one_that_is_answered(
    confide: Confide, clock
) -> None:
    await confide.world.join(PETS, ALICE, BOB)
    await say(confide, QUESTION, by="human:bob", place="group:pets")
    clock.advance(hours=20)
    await say(confide, ANSWER, place="group:pets")
    await learn(confide)
    assert await texts(confide) == []


class Borrowing:
    """An extractor that uses whatever message it likes."""

    version = "borrowing-1"

    def __init__(self, *ids: str, text: str = BOTH, **fields: object) -> None:
        self.ids, self.text, self.fields = ids, text, fields

    def extract(self, messages: Sequence[Message]) -> list[Fact]:
        return [
            Fact(
                text=self.text,
                snippet=one.text,
                message_id=one.id,
                speaker=one.speaker,
                kind=Kind.PREFERENCE,
                confidence=1.0,
                also_from=self.ids or tuple(m.id for m in messages if m.speaker == BOB),
                **self.fields,  # pyright: ignore[reportArgumentType]
            )
            for one in messages
            if one.speaker == ALICE
        ]


async def borrow(confide: Confide, *ids: str, **fields: object) -> None:
    await confide.learning.make_due()
    await confide.learning.worker(extractor=Borrowing(*ids, **fields)).drain()  # pyright: ignore[reportArgumentType]


@pytest.mark.req("S13")
async def test_a_fact_with_words_of_an_unknown_message_is_void(confide: Confide) -> None:
    await talk(confide)
    await borrow(confide, "00000000-0000-0000-0000-000000000000")
    assert await texts(confide) == []


@pytest.mark.req("S3", "S13")
async def test_no_words_come_from_another_place(confide: Confide) -> None:
    await say(
        confide, "The vault code is in the drawer", by="human:bob", place="restricted:m@guild"
    )
    async with confide.database.keep() as connection:
        secret = await connection.fetchval("SELECT id::text FROM confide.message")
    await say(confide, ANSWER, place="group:pets")
    await borrow(confide, secret, text="Coco knows that the vault code is in the drawer")
    assert await texts(confide) == []


@pytest.mark.req("S5", "A12")
async def test_borrowed_words_are_neither_told_everywhere_nor_portable(confide: Confide) -> None:
    await talk(confide, answer="Steve")
    await borrow(
        confide, text="My in-game name is Steve", is_global_safe=True, is_portable=True,
        attribute=("in_game_name", "Steve"),
    )  # fmt: skip
    (memory,) = await confide.memories(ALICE)
    assert memory.scope is Scope.GROUP
    assert not memory.origin.is_portable


@pytest.mark.req("S11")
async def test_a_credential_in_the_question_is_not_kept_as_evidence(confide: Confide) -> None:
    await confide.world.join(PETS, ALICE, BOB)
    asked = "Does the cat feeder take ghp_16C7e42F292c6912E7710c838347Ae178B4a as its token?"
    await say(confide, asked, by="human:bob", place="group:pets")
    await say(confide, "Yes, that one", place="group:pets")
    await borrow(confide, text="The cat feeder takes its token")
    assert await texts(confide) == []


@pytest.mark.req("S11")
async def test_evidence_keeps_only_the_part_of_a_message_that_was_used(
    confide: Confide, clock
) -> None:
    await confide.world.join(PETS, ALICE, BOB)
    asked = "My boss yelled at me all day. What's the cat's name?"
    await say(confide, asked, by="human:bob", place="group:pets")
    clock.advance(seconds=5)
    await say(confide, ANSWER, place="group:pets")
    await learn(confide)
    async with confide.database.keep() as connection:
        kept = await connection.fetch(
            "SELECT text FROM confide.evidence WHERE speaker = 'human:bob'"
        )
    assert [row["text"] for row in kept if "cat" in row["text"]] == [QUESTION]
