"""Repeating, replacing, contradicting: what becomes of the old memory."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from confide import Confide, audience
from confide.model import Entity, Fact, Kind, Message, Status, Trust
from confide.remember.reconcile import Relation, Said, relation, says_the_same

from .speaking import Verbatim, learn, say

ALICE = Entity.parse("human:alice")
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def said(text: str, *, hours: float = 0, **fields: object) -> Said:
    given = {"trust": Trust.SAID, "speaker": "human:alice"} | fields
    return Said(text=text, said_at=NOON + timedelta(hours=hours), **given)  # pyright: ignore[reportArgumentType]


async def kept(confide: Confide) -> dict[str, tuple[Status, int]]:
    async with confide.database.keep() as connection:
        rows = await connection.fetch("SELECT text, status, source_count FROM confide.memory")
    return {row["text"]: (Status(row["status"]), row["source_count"]) for row in rows}


@pytest.mark.req("S8", "S28")
@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("I like green tea", "I really like green tea", Relation.SAME),
        ("I like green tea", "Green tea, I like", Relation.SAME),
        ("I like green tea", "I don't like green tea", Relation.NEWER),
        ("The door is open", "The door is not open", Relation.NEWER),
        ("I like green tea", "I like black tea", Relation.OTHER),
        ("I have 2 cats", "I have 3 cats", Relation.OTHER),
        ("I live in Rome", "I moved to Berlin", Relation.NEWER),
        ("I work at Acme", "I work for Globex now", Relation.NEWER),
        ("My favourite colour is blue", "My favorite color is red", Relation.NEWER),
        ("My favourite colour is blue", "My favourite band is Blur", Relation.OTHER),
        ("My sister is a nurse", "My sister is ill", Relation.OTHER),
        ("I can't say I don't like tea", "I like tea", Relation.OTHER),
        ("Ich mag Tee", "Ich mag keinen Tee", Relation.OTHER),
    ],
)
def test_nearness_alone_decides_nothing(old: str, new: str, expected: Relation) -> None:
    assert relation(said(new, hours=1), said(old), similarity=0.99) is expected


@pytest.mark.req("S8")
def test_what_is_not_near_in_meaning_is_never_merged() -> None:
    assert relation(said("I like tea"), said("I like tea"), similarity=0.85) is Relation.OTHER


@pytest.mark.req("A13")
def test_hearsay_and_third_parties_never_replace_what_somebody_said_of_themselves() -> None:
    own = said("I live in Rome")
    rumour = said("I live in Oslo", hours=1, trust=Trust.HEARSAY)
    assert relation(rumour, own, 0.9) is Relation.OTHER
    third = said("I live in Oslo", hours=1, speaker="human:bob")
    assert relation(third, own, 0.9) is Relation.OTHER
    about_another = said("I live in Oslo", hours=1, subjects=frozenset({"human:x"}))
    assert relation(about_another, own, 0.9) is Relation.OTHER


@pytest.mark.req("S28")
def test_what_was_said_earlier_but_learned_later_does_not_win() -> None:
    assert relation(said("I live in Rome"), said("I live in Oslo", hours=1), 0.9) is Relation.OLDER


def test_numbers_and_negation_are_content() -> None:
    assert not says_the_same("I run 5 km", "I run 10 km")
    assert not says_the_same("I never run", "I run")
    assert not says_the_same("", "")


@pytest.mark.req("S19", "P3")
async def test_the_same_words_twice_are_one_memory_with_two_sources(confide: Confide) -> None:
    for _ in range(2):
        await say(confide, "I like green tea")
    await say(confide, "I really like green tea")
    await learn(confide)
    assert await kept(confide) == {"I like green tea": (Status.APPROVED, 3)}
    async with confide.database.keep() as connection:
        words = await connection.fetch("SELECT text FROM confide.evidence ORDER BY position")
    assert [row["text"] for row in words] == ["I like green tea"] * 2 + ["I really like green tea"]


@pytest.mark.req("S8")
async def test_the_same_words_in_two_places_stay_two_memories(confide: Confide) -> None:
    for place in ("dm", "group:tea", "public:general@guild"):
        await say(confide, "I like green tea", place=place)
    await learn(confide)
    assert len(await confide.memories(ALICE)) == 3


@pytest.mark.req("S28", "A13")
async def test_a_contradiction_is_kept_as_history_and_the_newer_one_told(confide: Confide) -> None:
    await say(confide, "I live in Rome")
    await learn(confide)
    await say(confide, "I live in Berlin now")
    await learn(confide)
    assert await kept(confide) == {
        "I live in Rome": (Status.SUPERSEDED, 1),
        "I live in Berlin now": (Status.APPROVED, 1),
    }
    context = await confide.recall("where do I live?", audience("human:alice", "dm"))
    assert [one.memory.text for one in context.memories] == ["I live in Berlin now"]


@pytest.mark.req("S28")
async def test_another_place_supersedes_nothing(confide: Confide) -> None:
    await say(confide, "I live in Rome")
    await say(confide, "I live in Berlin", place="group:tea")
    await learn(confide)
    assert {status for status, _ in (await kept(confide)).values()} == {Status.APPROVED}


@pytest.mark.req("A19")
async def test_a_deleted_message_takes_what_it_taught_along(confide: Confide) -> None:
    await say(confide, "I live in Rome", id="rome")
    await say(confide, "I live in Berlin", id="berlin")
    await learn(confide)
    assert await confide.learning.deleted("berlin")
    assert await kept(confide) == {"I live in Rome": (Status.APPROVED, 1)}
    assert not (await say(confide, "I live in Berlin", id="berlin")).is_kept, "it stays deleted"
    assert not await confide.learning.deleted("never seen")
    assert not (await say(confide, "I like tea", id="never seen")).is_kept


@pytest.mark.req("A19", "P4")
async def test_what_waited_waits_again_when_what_replaced_it_is_deleted(confide: Confide) -> None:
    await say(confide, "I live in Rome", id="rome")
    await say(confide, "I live in Berlin", id="berlin")
    await learn(confide, confidence=0.6)
    assert {status for status, _ in (await kept(confide)).values()} == {
        Status.PENDING, Status.SUPERSEDED,
    }  # fmt: skip
    assert await confide.learning.deleted("berlin")
    assert await kept(confide) == {"I live in Rome": (Status.PENDING, 1)}


@pytest.mark.req("A19")
async def test_an_edited_message_is_learned_again(confide: Confide) -> None:
    await say(confide, "I like green tea", id="1")
    await learn(confide)
    assert await confide.learning.edited("1", "I like black coffee")
    assert await kept(confide) == {}
    await learn(confide)
    assert await kept(confide) == {"I like black coffee": (Status.APPROVED, 1)}


@pytest.mark.req("A19", "S8")
async def test_deleting_one_source_of_a_merged_memory_leaves_the_words_of_the_others(
    confide: Confide,
) -> None:
    await say(confide, "I like green tea", id="1")
    await say(confide, "I really like green tea", id="2")
    await learn(confide)
    await confide.learning.deleted("1")
    assert await kept(confide) == {"I really like green tea": (Status.APPROVED, 1)}
    context = await confide.recall("green tea?", audience("human:alice", "dm"))
    assert [one.memory.text for one in context.memories] == ["I really like green tea"]
    await confide.learning.deleted("2")
    assert await kept(confide) == {}


@pytest.mark.req("A19")
async def test_an_edit_shuts_out_whoever_read_the_old_words(confide: Confide) -> None:
    """The message changes while a worker is between reading and applying."""
    await say(confide, "I like green tea", id="1")
    await confide.learning.make_due()
    worker = confide.learning.worker(
        extractor=Slow(lambda: confide.learning.edited("1", "I like coffee"))
    )
    await worker.drain()
    assert await kept(confide) == {"I like coffee": (Status.APPROVED, 1)}
    assert await confide.learning.jobs() == []


class Slow(Verbatim):
    """Something happens while this one thinks, the first time."""

    def __init__(self, happens: Callable[[], Awaitable[object]]) -> None:
        super().__init__()
        self._happens: Callable[[], Awaitable[object]] | None = happens

    async def extract(self, messages: Sequence[Message]) -> list[Fact]:  # pyright: ignore[reportIncompatibleMethodOverride]
        happens, self._happens = self._happens, None
        if happens:
            await happens()
        return super().extract(messages)


@pytest.mark.req("S10")
async def test_kinds_are_part_of_what_is_compared(confide: Confide) -> None:
    await say(confide, "I like green tea")
    await learn(confide, kind=Kind.PREFERENCE)
    await say(confide, "I like green tea")
    await learn(confide, kind=Kind.EVENT)
    assert len(await confide.memories(ALICE)) == 2


@pytest.mark.req("A13", "P5")
async def test_what_waits_for_review_replaces_nothing(confide: Confide) -> None:
    await say(confide, "I live in Rome")
    await learn(confide)
    await say(confide, "I live in Oslo")
    await learn(confide, confidence=0.6)
    assert (await kept(confide))["I live in Rome"] == (Status.APPROVED, 1)
    await say(confide, "I live in Oslo")
    await learn(confide)
    assert await kept(confide) == {
        "I live in Rome": (Status.SUPERSEDED, 1),
        "I live in Oslo": (Status.APPROVED, 2),
    }


@pytest.mark.req("S11")
async def test_nothing_is_learned_from_somebody_who_opted_out_meanwhile(confide: Confide) -> None:
    await say(confide, "I like green tea")
    async with confide.database.keep() as connection:
        await connection.execute(
            "INSERT INTO confide.opt_out VALUES ($1, 'human:alice', now())", confide.database.agent
        )
    await learn(confide)
    assert await kept(confide) == {}
    assert await confide.learning.jobs() == []


class Together(Verbatim):
    """Takes a question and its answer for one fact."""

    def extract(self, messages: Sequence[Message]) -> list[Fact]:
        question, answer = messages
        (fact,) = Verbatim.extract(self, [answer])
        text = f"{question.text} {answer.text}"
        return [replace(fact, text=text, also_from=(question.id,))]


@pytest.mark.req("S13", "A19")
@pytest.mark.parametrize("deleted", ["q", "a"])
async def test_words_of_two_messages_carry_both_labels_and_go_with_either(
    confide: Confide, deleted: str
) -> None:
    await say(confide, "What is your dog called?", by="human:bob", place="group:dogs", id="q",
              present=["human:alice"])  # fmt: skip
    await say(confide, "Coco", place="group:dogs", id="a")
    await confide.learning.make_due()
    async with confide.database.keep() as connection:
        await connection.execute(
            "UPDATE confide.session SET due_at = NULL, due_because = NULL"
            " WHERE speaker = 'human:bob'"
        )
    await confide.learning.worker(extractor=Together()).drain()
    (memory,) = await confide.memories(ALICE)
    assert {"human:alice", "human:bob"} <= {str(c.owner) for c in memory.label.clauses}
    await confide.learning.deleted(deleted)
    assert await kept(confide) == {}
