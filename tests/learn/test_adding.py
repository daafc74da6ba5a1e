"""`add` learns at once, and only what is new (B16)."""

from __future__ import annotations

from typing import Any

import pytest

from confide import Confide, audience
from confide.errors import InvalidInput
from confide.model import Entity
from confide.privacy.places import direct, parse_place
from confide.remember.adding import overlap
from confide.remember.observe import Observing

from .speaking import message

ALICE = Entity.parse("human:alice")


def user(content: str, **fields: object) -> dict[str, object]:
    return {"role": "user", "content": content, **fields}


def agent(content: str) -> dict[str, object]:
    return {"role": "assistant", "content": content}


async def kept(confide: Confide) -> list[str]:
    async with confide.database.keep() as connection:
        rows = await connection.fetch(
            "SELECT text FROM confide.message WHERE agent = $1 ORDER BY seq", confide.database.agent
        )
    return [row["text"] for row in rows]


@pytest.mark.req("B16")
async def test_the_first_message_is_remembered_before_add_returns(confide: Confide) -> None:
    done = await confide.add([user("I live in Ghent.")], by="human:alice", place="dm")
    assert any("Ghent" in one.text for one in done.remembered)
    assert (done.waits, done.refused, done.known, done.is_learned) == ((), (), 0, True)
    told = await confide.recall("Where do I live?", asker="human:alice", place="dm")
    assert "Ghent" in str(told)
    (session,) = await confide.learning.sessions()
    assert session.unlearned == 0


@pytest.mark.req("B16")
async def test_the_same_again_a_longer_list_and_a_window_learn_only_what_is_new(
    confide: Confide,
) -> None:
    said = [
        user("I keep bees."), agent("How many?"), user("Yes"), agent("How many hives?"),
        user("Yes"), user("My favourite colour is green."), agent("Noted."), user("I own a canoe."),
    ]  # fmt: skip
    where = {"by": "human:alice", "place": "dm"}
    for until in (2, 2, 5, 6):
        await confide.add(said[:until], **where)
    assert (await confide.add(said[3:7], **where)).known == 3
    assert (await confide.add(said[1:4], **where)).known == 3
    last = await confide.add(said[4:], **where)
    assert last.known == 3
    assert any("canoe" in one.text for one in last.remembered)
    assert await kept(confide) == [one["content"] for one in said]


@pytest.mark.req("B16")
async def test_ids_decide_where_they_are_given(confide: Confide) -> None:
    where = {"by": "human:alice", "place": "dm"}
    await confide.add([user("Yes", id="1"), user("Yes", id="2")], **where)
    again = await confide.add(
        [user("Yes", id="2"), user("Yes", id="3"), user("Yes", id="3")], **where
    )
    assert again.known == 2
    assert await kept(confide) == ["Yes"] * 3
    assert not (await confide.observe(message("Yes", id="1", at=confide.means.clock()))).is_new


def test_an_overlap_is_a_run_from_the_first_turn_given() -> None:
    def at(before: str, given: str) -> list[int | None]:
        return overlap(
            *([one.encode() for one in s] for s in (before, given)), [False] * len(given)
        )

    assert at("abc", "abcd") == [0, 1, 2, None]
    assert at("abcb", "cbd") == [2, 3, None]
    assert at("abcd", "bc") == [1, 2]
    assert at("ayb", "cyd") == [None, None, None]
    assert at("aa", "aaa") == [0, 1, None]
    assert at("", "a") == [None]


def test_what_was_not_kept_is_known_by_what_stands_beside_it() -> None:
    def at(before: str, given: str, *, named: bool = False) -> list[int | None]:
        marks = ([b"" if one == "-" else one.encode() for one in s] for s in (before, given))
        return overlap(*marks, [named] * len(given))

    for named in (False, True):
        assert at("a-", "axn", named=named) == [0, 1, None]
        assert at("a-c", "xcn", named=named) == [1, 2, None]
        assert at("--", "xyn", named=named) == [0, 1, None], (
            "a longer list of which nothing is kept"
        )
        assert at("-", "n", named=named) == [None], "a blank alone says nothing"
        assert at("a--", "nm", named=named) == [None, None]
    assert at("a-c", "c", named=True) == [2]


@pytest.mark.req("B16")
async def test_system_and_tool_messages_are_not_even_kept(confide: Confide) -> None:
    said = [
        {"role": "system", "content": "Alice is a spy."},
        {"role": "tool", "content": "Alice owns a yacht."},
        {"role": "assistant", "content": None},
        user("I own a canoe."),
    ]
    done = await confide.add(said, by="human:alice", place="dm")
    assert await kept(confide) == ["I own a canoe."]
    assert all("canoe" in one.text for one in done.remembered)


@pytest.mark.req("B16", "A19")
async def test_a_name_proves_nothing_and_people_says_whose_it_is(confide: Confide) -> None:
    said = [user("I keep bees.", name="Anna"), user("I own a canoe.", name="Ben")]
    with pytest.raises(InvalidInput, match="a name proves nothing"):
        await confide.add(said, by="human:alice", place="group:tea")
    assert await kept(confide) == []
    people = {"Anna": "human:anna", "Ben": "human:ben"}
    await confide.add(said, place="group:tea", people=people)
    assert [one.text for one in await confide.memories(Entity.parse("human:ben"))] != []
    for memory in await confide.memories(Entity.parse("human:anna")):
        assert "canoe" not in memory.text
    with pytest.raises(InvalidInput, match="does not say who 'Carl' is"):
        await confide.add([user("Hi", name="Carl")], place="group:tea", people=people)
    with pytest.raises(InvalidInput, match="one person"):
        await confide.add(said, place="dm", people=people)


@pytest.mark.req("B16", "B8", "S21")
async def test_what_was_said_off_the_record_is_not_learned_when_it_is_sent_again(
    confide: Confide,
) -> None:
    where = {"by": "human:alice", "place": "dm"}
    said = [user("I keep bees."), user("I owe Zed four thousand."), user("I own a canoe.")]
    await confide.add(said[:1], **where)
    await confide.learning.off_the_record(ALICE, direct(ALICE))
    refused = await confide.add(said[:2], **where)
    assert [(one.number, one.because) for one in refused.refused] == [(1, "off the record")]
    await confide.learning.on_the_record(ALICE, direct(ALICE))
    after = await confide.add(said, **where)
    assert after.known == 2
    assert await kept(confide) == ["I keep bees.", "I own a canoe."]


async def marks(confide: Confide) -> list[bool]:
    """For each message that `add` was given, whether anything of it is kept."""
    async with confide.database.keep() as connection:
        rows = await connection.fetch(
            "SELECT mark <> '' AS is_marked FROM confide.turn WHERE agent = $1 ORDER BY seq",
            confide.database.agent,
        )
    return [row["is_marked"] for row in rows]


@pytest.mark.req("B16", "B8")
@pytest.mark.parametrize("has_ids", [False, True])
async def test_of_what_is_off_the_record_not_even_a_hash_is_kept(
    confide: Confide, has_ids: bool
) -> None:
    """Before, during and after; also while it is only being looked at, and of the agent's answer."""
    ids = [{"id": f"m{n}"} if has_ids else {} for n in range(7)]
    said = [
        user("I keep bees.", **ids[0]), user("I owe Zed four thousand.", **ids[1]),
        agent("Four thousand is a lot."), user("I own a canoe.", **ids[3]),
        user("Off the record: I sold the boat.", **ids[4]), user("I play chess.", **ids[5]),
    ]  # fmt: skip
    where = {"by": "human:alice", "place": "dm"}
    seen: list[list[bool]] = []
    observe = Observing.observe

    async def looked_at(self: Observing, *given: Any) -> Any:
        seen.append(await marks(confide))
        return await observe(self, *given)

    await confide.add(said[:1], **where)
    await confide.learning.off_the_record(ALICE, direct(ALICE))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Observing, "observe", looked_at)
        await confide.add(said[:3], **where)
    assert seen == [[True, False, False]] * 2
    assert await marks(confide) == [True, False, False]
    await confide.learning.on_the_record(ALICE, direct(ALICE))
    assert (await confide.add(said, **where)).known == 3
    assert await marks(confide) == [True, False, False, True, False, True]
    again = await confide.add(said, **where)
    assert again.known == 6
    assert not again.remembered
    assert await kept(confide) == ["I keep bees.", "I own a canoe.", "I play chess."]


@pytest.mark.req("B16", "S21")
async def test_nothing_of_somebody_who_opted_out_is_added(confide: Confide) -> None:
    from confide import operator_as

    await confide.rights.opt_out(ALICE, actor=operator_as(ALICE))
    done = await confide.add([user("I own a canoe.")], by="human:alice", place="dm")
    assert [one.because for one in done.refused] == ["opted out"]
    assert await kept(confide) == []
    assert await marks(confide) == [False]


@pytest.mark.req("B16", "A14")
async def test_a_credential_is_refused_and_nothing_of_it_is_kept(confide: Confide) -> None:
    secret = "My password is hunter2-Xy7!pq"
    done = await confide.add([user(secret), user("I own a canoe.")], by="human:alice", place="dm")
    assert [one.number for one in done.refused] == [0]
    assert "never stored" in done.refused[0].because
    assert await marks(confide) == [False, True]
    assert await kept(confide) == ["I own a canoe."]


@pytest.mark.req("B16", "P5")
async def test_what_waits_says_why(confide: Confide) -> None:
    words = "Please remember that my email is alice@example.org and my number is +32 470 12 34 56."
    done = await confide.add([user(words)], by="human:alice", place="dm")
    assert done.waits
    assert all(one.waits_because for one in done.waits)


@pytest.mark.req("B16")
async def test_what_was_deleted_stays_gone_when_the_list_comes_again(confide: Confide) -> None:
    where = {"by": "human:alice", "place": "dm"}
    said = [user("I owe Zed four thousand."), user("I own a canoe.")]
    await confide.add(said, **where)
    async with confide.database.keep() as connection:
        id = await connection.fetchval(
            "SELECT message_id FROM confide.message ORDER BY seq LIMIT 1"
        )
    assert await confide.learning.deleted(id)
    await confide.add([*said, agent("Nice!")], **where)
    assert await kept(confide) == ["I own a canoe.", "Nice!"]


@pytest.mark.req("B16", "S12")
async def test_observe_alone_waits_and_with_learn_now_it_does_not(confide: Confide) -> None:
    at, tea = confide.means.clock(), "group:tea"
    later = await confide.observe(message("I keep bees.", place=tea, at=at))
    assert (later.is_due, later.learned) == (False, ())
    now = await confide.observe(message("I own a canoe.", place=tea, at=at), learn="now")
    assert now.learned
    assert {one.id for one in await confide.memories(ALICE)} >= set(now.learned)
    with pytest.raises(InvalidInput, match="none of now, later"):
        await confide.observe(message("Hi", at=at), learn="soon")  # pyright: ignore


@pytest.mark.req("B16", "B13")
async def test_presence_is_that_of_when_it_was_said(confide: Confide, clock) -> None:
    tea = parse_place("group:tea", ALICE)
    said_at = clock.now
    await confide.world.join(tea, Entity.parse("human:ben"), at=said_at)
    clock.advance(hours=1)
    await confide.world.join(tea, Entity.parse("human:carl"), at=clock.now)
    done = await confide.add(
        [user("I own a canoe.", at=said_at.isoformat())], by="human:alice", place="group:tea"
    )
    assert done.remembered
    async with confide.database.keep() as connection:
        present = await connection.fetchval("SELECT present FROM confide.message")
    assert "human:carl" not in present
    assert "human:ben" in present


WRONG = [
    ("hello", "messages"),
    ([["user", "hi"]], "messages[0]"),
    ([{"role": "human", "content": "hi"}], "messages[0].role"),
    ([{"role": "user", "content": 7}], "messages[0].content"),
    ([{"role": "user", "content": "hi", "at": "noon"}], "messages[0].at"),
    ([{"role": "user", "content": "hi", "by": 7}], "messages[0].by"),
]


@pytest.mark.req("S17")
@pytest.mark.parametrize(("messages", "field"), WRONG, ids=[field for _, field in WRONG])
async def test_wrong_messages_are_refused_with_a_sentence(
    confide: Confide, messages: object, field: str
) -> None:
    with pytest.raises(InvalidInput) as refused:
        await confide.add(messages, by="human:alice", place="dm")  # pyright: ignore
    assert refused.value.field == field
    assert await kept(confide) == []


@pytest.mark.req("S17", "A4")
async def test_plain_strings_remember_and_recall_and_nothing_is_taken_for_granted(
    confide: Confide,
) -> None:
    await confide.remember("I own a canoe", by="human:alice", place="dm")
    told = await confide.recall("what do I own?", asker="human:alice", place="dm")
    assert "canoe" in str(told)
    with pytest.raises(InvalidInput, match="by: is missing"):
        await confide.remember("I own a canoe")
    with pytest.raises(InvalidInput, match="place: is missing"):
        await confide.remember("I own a canoe", by="human:alice")
    with pytest.raises(InvalidInput, match="audience: is missing"):
        await confide.recall("what do I own?")
    with pytest.raises(InvalidInput, match="instead of an Audience"):
        await confide.recall("what do I own?", "human:alice")  # pyright: ignore
    with pytest.raises(InvalidInput, match="leave out the rest"):
        await confide.recall("x", audience("human:alice", "dm"), place="group:tea")
    with pytest.raises(InvalidInput, match="is unknown"):
        await confide.remember("I own a canoe", by="human:alice", place="dm", colour="red")
    with pytest.raises(InvalidInput, match="instead of a Statement"):
        await confide.remember(7)  # pyright: ignore
