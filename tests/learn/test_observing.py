"""What is kept of what is said, and what is not."""

from __future__ import annotations

import asyncio

import pytest

from confide import Confide, audience, statement
from confide.errors import InvalidInput, SwitchedOff
from confide.model import Entity
from confide.privacy.places import parse_place

from .speaking import message, say

ALICE, BOB = Entity.parse("human:alice"), Entity.parse("human:bob")
GENERAL = parse_place("public:general@guild", ALICE)


async def rows(confide: Confide, sql: str) -> list:
    async with confide.database.keep() as connection:
        return await connection.fetch(sql)


@pytest.mark.req("S11")
async def test_a_message_delivered_twice_is_kept_once(confide: Confide) -> None:
    first = await say(confide, "I keep bees", id="1")
    again = await say(confide, "I keep bees", id="1")
    elsewhere = await say(confide, "I keep bees", id="1", platform="matrix")
    assert (first.is_new, again.is_new, elsewhere.is_new) == (True, False, True)
    (session,) = await confide.learning.sessions()
    assert (session.message_count, session.unlearned) == (2, 2)


@pytest.mark.req("S11")
async def test_two_who_observe_the_same_stream_keep_each_message_once(open_confide) -> None:
    async with open_confide() as one, open_confide() as two:
        stream = [
            message(f"I own {n} maps", id=f"{n}", by=f"human:p{n % 3}", place="group:maps", at=one.means.clock())
            for n in range(30)
        ]  # fmt: skip
        became = await asyncio.gather(*(c.observe(m) for m in stream for c in (one, two)))
        assert sum(b.is_new for b in became) == 30
        assert sum(s.message_count for s in await one.learning.sessions()) == 30


@pytest.mark.req("S11")
async def test_only_what_is_said_to_the_agent_is_kept_unless_it_listens(confide: Confide) -> None:
    aside = {"place": "public:general@guild", "is_to_agent": False}
    assert (await say(confide, "I keep bees", **aside)).because == "not addressed to the agent"
    await confide.learning.listen(GENERAL)
    assert (await say(confide, "I keep bees", **aside)).is_new
    await confide.learning.listen(GENERAL, is_on=False)
    assert not (await say(confide, "I keep cats", **aside)).is_kept
    assert (await say(confide, "In a direct chat all is for the agent", is_to_agent=False)).is_kept


@pytest.mark.req("S11")
async def test_bots_and_those_who_opted_out_are_never_kept(confide: Confide) -> None:
    await confide.learning.listen(GENERAL)
    assert not (await say(confide, "beep", by="app:webhook", place="public:general@guild")).is_kept
    await rows(
        confide,
        f"INSERT INTO confide.opt_out VALUES ('{confide.database.agent}', 'human:bob', now())",
    )
    refused = await say(confide, "I keep bees", by="human:bob", place="public:general@guild")
    assert refused.because == "opted out"
    assert await rows(confide, "SELECT FROM confide.message") == []


@pytest.mark.req("B8")
async def test_off_the_record_nothing_is_read_or_written_there(confide: Confide) -> None:
    await confide.remember(statement("I keep bees", by="human:alice", place="dm"))
    dm = parse_place("dm", ALICE)
    asked = "what do I keep?", audience("human:alice", "dm")
    assert (await confide.recall(*asked)).memories
    await confide.learning.off_the_record(ALICE, dm)
    assert (await say(confide, "I keep cats")).because == "off the record"
    assert (await say(confide, "Cats, you say", is_from_agent=True)).because == "off the record"
    assert not (await confide.recall(*asked)).memories
    with pytest.raises(SwitchedOff):
        await confide.remember(statement("I keep cats", by="human:alice", place="dm"))
    in_group = await say(confide, "I keep hens", place="group:farm")
    assert in_group.is_kept
    await confide.learning.on_the_record(ALICE, dm)
    assert (await confide.recall(*asked)).memories
    assert (await say(confide, "I keep dogs")).is_kept


@pytest.mark.req("S17")
async def test_a_memory_that_is_switched_off_observes_nothing_and_says_so(open_confide) -> None:
    async with open_confide(enabled=False) as off:
        with pytest.raises(SwitchedOff):
            await say(off, "I keep bees")


@pytest.mark.req("S11")
@pytest.mark.parametrize(
    "text", ["", "\x00binary\x01", "x" * 40_000, "lone \ud800 surrogate"], ids=range(4)
)
async def test_what_cannot_be_kept_is_refused_and_the_field_named(
    confide: Confide, text: str
) -> None:
    with pytest.raises(InvalidInput) as refused:
        await say(confide, text)
    assert refused.value.field == "text"
    assert await rows(confide, "SELECT FROM confide.message") == []


ODD = [
    "‮dlo era I",
    "I ❤️ 👩‍👩‍👧‍👦 and z̷͔̈́a̸l̶g̴o",
    "我喜欢喝茶。",
    "I like \x07bells\x1b[31m",
    "a" * 32_000,
    "I'm " * 8_000,
]


@pytest.mark.req("S11")
async def test_odd_text_is_kept_and_stops_no_worker(confide: Confide) -> None:
    for text in ODD:
        assert (await say(confide, text)).is_kept
    await say(confide, "I love keeping bees.")
    assert await confide.learning.learn(is_everything=True) == len(ODD) + 1
    assert await confide.learning.jobs() == []
    assert any("bees" in m.text for m in await confide.memories(ALICE))


@pytest.mark.req("S11")
async def test_the_telling_role_has_no_right_on_messages(confide: Confide) -> None:
    import asyncpg

    await say(confide, "I keep bees")
    for table in ("message", "session", "journal", "message_gone"):
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            async with confide.database.tell(
                audience("human:alice", "dm"), confide.means.clock()
            ) as telling:
                await telling.connection.fetch(f"SELECT * FROM confide.{table}")


@pytest.mark.req("S12")
async def test_raw_words_leave_seven_days_after_learning_and_thirty_days_at_most(
    confide: Confide, clock
) -> None:
    await say(confide, "I love keeping bees.")
    await confide.learning.learn(is_everything=True)
    await say(confide, "I am left alone", by="human:bob")
    clock.advance(days=6)
    await confide.learning.worker().sweep()
    raw = "SELECT count(*) FROM confide.message WHERE text IS NOT NULL"
    assert (await rows(confide, raw))[0][0] == 2
    clock.advance(days=2)
    await confide.learning.worker().sweep()
    assert (await rows(confide, raw))[0][0] == 1
    clock.advance(days=23)
    await confide.learning.worker().sweep()
    assert (await rows(confide, raw))[0][0] == 0
    (evidence,) = await rows(confide, "SELECT text FROM confide.evidence")
    assert "bees" in evidence["text"]
