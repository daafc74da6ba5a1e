"""B13: joining, leaving, roles and kinds have a time. The newest counts, however late it arrives."""

from __future__ import annotations

from datetime import datetime, timedelta
from random import Random

import pytest
from tests.conftest import Clock, Opened
from tests.learn.speaking import message

from confide import Confide, Entity, audience, statement
from confide.errors import ConfideError, InvalidInput

ALICE, BOB, CAROL = (Entity("human", name) for name in ("alice", "bob", "carol"))
CHAT = "group:chat"


async def say(confide: Confide, text: str, where: str = CHAT, **fields: object):
    return await confide.remember(statement(text, by=ALICE, place=where, **fields))


async def is_told(confide: Confide, memory: object, who: Entity, where: str = "dm") -> bool:
    explained = await confide.explain(memory, audience(who, where))
    assert explained.decision.told == explained.told_by_database
    return explained.decision.told


@pytest.mark.req("B13")
async def test_a_late_message_does_not_bring_back_somebody_who_left(
    confide: Confide, clock: Clock
) -> None:
    week_ago = clock.now - timedelta(days=7)
    await confide.world.join(CHAT, ALICE, BOB, at=week_ago)
    await confide.world.leave(CHAT, BOB, at=clock.now - timedelta(days=1))
    await confide.observe(message("I am still here", by="human:bob", place=CHAT, at=week_ago))
    said = await say(confide, "The raft is hidden by the bridge")
    assert not await is_told(confide, said.id, BOB)
    assert not await is_told(confide, said.id, BOB, CHAT)
    assert await is_told(confide, said.id, ALICE, CHAT)


@pytest.mark.req("B13", "S11")
@pytest.mark.parametrize("room", ["public:general@guild", "restricted:mods@guild", CHAT])
async def test_a_newcomers_first_words_are_kept_where_somebody_came_back(
    confide: Confide, clock: Clock, room: str
) -> None:
    for verb in (confide.world.join, confide.world.leave, confide.world.join):
        clock.advance(minutes=1)
        await verb(room, BOB)
    first = message("I am new here", by="human:carol", place=room, at=clock.now)
    assert (await confide.observe(first)).is_kept


@pytest.mark.req("B13")
async def test_an_older_statement_never_overrides_a_newer_one(
    confide: Confide, clock: Clock
) -> None:
    at = clock.now - timedelta(hours=1)
    for verb, undo, what in (
        (confide.world.join, confide.world.leave, CHAT),
        (confide.world.join_space, confide.world.leave_space, "guild"),
        (confide.world.assign, confide.world.unassign, "role:tutor"),
    ):
        assert await verb(what, BOB, at=at)
        assert not await undo(what, BOB, at=at - timedelta(minutes=1))
        assert not await verb(what, BOB, at=at), "said twice"
        assert await undo(what, BOB, at=at), "of two at one time the one that tells fewer counts"
        assert not await verb(what, BOB, at=at)
        assert await verb(what, BOB, at=at + timedelta(minutes=1))


@pytest.mark.req("B13", "S20")
async def test_an_older_kind_does_not_reopen_a_channel(confide: Confide, clock: Clock) -> None:
    at = clock.now - timedelta(hours=1)
    await confide.world.attest("public:general@guild", at=at)
    said = await say(confide, "The lighthouse opens at nine", "public:general@guild")
    await confide.world.join("public:help@guild", ALICE, BOB)
    assert await is_told(confide, said.id, BOB, "public:help@guild")
    await confide.world.attest("restricted:general@guild", at=at + timedelta(minutes=1))
    await confide.world.attest("public:general@guild", at=at)
    later = await say(confide, "The harbour closes at ten", "public:general@guild")
    for one in (said, later):
        assert not await is_told(confide, one.id, BOB, "public:help@guild")
        assert not await is_told(confide, one.id, ALICE, "public:help@guild")


@pytest.mark.req("B13")
async def test_what_is_said_to_happen_in_the_future_is_refused(
    confide: Confide, clock: Clock
) -> None:
    soon, later = clock.now + timedelta(minutes=4), clock.now + timedelta(minutes=6)
    await confide.world.join(CHAT, ALICE, at=soon)
    for verb, what in (
        (confide.world.join, CHAT),
        (confide.world.leave, CHAT),
        (confide.world.join_space, "guild"),
        (confide.world.leave_space, "guild"),
        (confide.world.assign, "role:tutor"),
        (confide.world.unassign, "role:tutor"),
    ):
        with pytest.raises(InvalidInput, match=r"at: .*ahead"):
            await verb(what, BOB, at=later)
    with pytest.raises(InvalidInput, match="at: "):
        await confide.world.attest("public:general@guild", at=later)


@pytest.mark.parametrize("who", [7, None, "bob", b"human:bob", ["human:bob"]])
async def test_what_is_nobody_is_refused_and_changes_nothing(confide: Confide, who: object) -> None:
    await confide.world.join(CHAT, "human:alice", "human:bob")
    for verb in (confide.world.join, confide.world.leave):
        with pytest.raises(ConfideError, match="who"):
            await verb(CHAT, who)
    for verb in (confide.world.assign, confide.world.unassign):
        with pytest.raises(ConfideError, match="who"):
            await verb("role:tutor", who)
    said = await say(confide, "The raft is hidden by the bridge")
    assert await is_told(confide, said.id, BOB)


@pytest.mark.req("B13")
async def test_backfilled_words_are_for_those_who_were_there_then(
    confide: Confide, clock: Clock
) -> None:
    long_ago = clock.now - timedelta(days=30)
    await confide.world.join(CHAT, ALICE, BOB, at=long_ago)
    await confide.world.join(CHAT, CAROL, at=clock.now - timedelta(days=1))
    old = await say(confide, "The raft is hidden by the bridge", said_at=long_ago)
    assert await is_told(confide, old.id, BOB)
    assert not await is_told(confide, old.id, CAROL)


@pytest.mark.req("B13")
async def test_whose_leaving_arrives_late_was_not_there(confide: Confide, clock: Clock) -> None:
    start = clock.now - timedelta(days=2)
    await confide.world.join(CHAT, ALICE, BOB, at=start)
    said = await say(confide, "The raft is hidden by the bridge")
    assert await is_told(confide, said.id, BOB)
    await confide.world.leave(CHAT, BOB, at=clock.now - timedelta(hours=1))
    clock.advance(minutes=1)
    await confide.world.join(CHAT, BOB)
    assert not await is_told(confide, said.id, BOB), "he is back, and was away when it was said"
    assert await is_told(confide, said.id, BOB, CHAT), "as a member he reads back"


@pytest.mark.req("B13", "A3")
@pytest.mark.parametrize("seed", range(6))
async def test_late_doubled_and_reordered_statements(
    confide: Confide, clock: Clock, seed: int
) -> None:
    """Told alone to somebody: only who is in the room by the newest statement, and was there when
    it was said, by what was known on arrival and by what is known at the end."""
    chance, start = Random(seed), clock.now
    when = [start - timedelta(hours=n) for n in range(1, 13)]
    await confide.world.join(CHAT, ALICE, at=start - timedelta(days=9))
    stated: dict[Entity, list[tuple[datetime, bool]]] = {BOB: [], CAROL: []}
    words = []
    for n in range(10):
        clock.advance(seconds=1)
        who, at = chance.choice([BOB, CAROL]), chance.choice(when)
        match chance.randrange(3):
            case 0:
                said = await say(confide, f"The raft number {seed}{n} is hidden", said_at=at)
                words.append((said.id, at, {p: _in_at(s, at) for p, s in stated.items()}, n))
            case 1:
                for _ in range(chance.randint(1, 2)):
                    await confide.world.join(CHAT, who, at=at)
                stated[who].append((at, True))
            case _:
                for _ in range(chance.randint(1, 2)):
                    await confide.world.leave(CHAT, who, at=at)
                stated[who].append((at, False))
    for id, at, known, _ in words:
        for who, said in stated.items():
            is_in, was_in = _in_at(said, clock.now), _in_at(said, at)
            told = await is_told(confide, id, who)
            assert not told or (is_in and was_in and known[who]), (seed, who, at, said)
            if is_in and known[who] and all(has_come for _, has_come in said):
                assert told, (seed, who, at, said)


def _in_at(stated: list[tuple[datetime, bool]], moment: datetime) -> bool:
    """By the newest statement until then; of two at one time, that they left."""
    until = [one for one in stated if one[0] <= moment]
    return bool(until) and max(until, key=lambda one: (one[0], not one[1]))[1]


@pytest.mark.req("K5")
async def test_what_was_said_in_confidence_is_never_told_everywhere(confide: Confide) -> None:
    with pytest.raises(InvalidInput, match="confidential"):
        await say(
            confide, "My in-game name is UrbanKnight", "dm", scope="global", confidential=True
        )


@pytest.mark.req("S21")
async def test_who_opted_out_of_global_says_nothing_everywhere(confide: Confide) -> None:
    from confide import operator_as

    await confide.rights.opt_out(ALICE, actor=operator_as(ALICE), is_global_only=True)
    with pytest.raises(InvalidInput, match="scope"):
        await say(confide, "My in-game name is UrbanKnight", "dm", scope="global", kind="identity")


@pytest.mark.req("K5", "K18")
async def test_a_granted_memory_belongs_to_who_told_it(confide: Confide) -> None:
    said = await say(
        confide, "The raft is hidden by the bridge", "dm", access=["human:bob"],
        consent=["human:alice"],
    )  # fmt: skip
    assert said.memory.owner == ALICE
    assert await is_told(confide, said.id, BOB)


@pytest.mark.req("S21")
async def test_opting_out_of_global_binds_before_during_and_after(confide: Confide) -> None:
    """What was told everywhere is silent meanwhile, what is learned meanwhile stays where it was."""
    from confide import operator_as

    actor = operator_as(ALICE)
    names = ("My in-game name is Nightjar", "My in-game name is Kestrel")
    elsewhere = "public:general@harbour"
    await confide.world.join(elsewhere, ALICE)
    before = await say(confide, names[0], "dm", scope="global", kind="identity")
    assert await is_told(confide, before.id, ALICE, elsewhere)
    await confide.rights.opt_out(ALICE, actor=actor, is_global_only=True)
    assert not await is_told(confide, before.id, ALICE, elsewhere)
    with pytest.raises(InvalidInput, match="scope"):
        await say(confide, names[1], "dm", scope="global", kind="identity")
    during = await say(confide, names[1], "dm", kind="identity")
    assert not await is_told(confide, during.id, ALICE, elsewhere)
    await confide.rights.opt_in(ALICE, actor=actor)
    assert await is_told(confide, before.id, ALICE, elsewhere)
    assert not await is_told(confide, during.id, ALICE, elsewhere), "nothing is promoted afterwards"


@pytest.mark.req("K5", "A8")
async def test_who_floods_the_agent_with_grants_archives_only_their_own(
    open_confide: Opened,
) -> None:
    async with open_confide(max_entries=3) as confide:
        mine = await say(
            confide, "The raft is hidden by the bridge", "dm", access=["human:bob"],
            consent=["human:alice"],
        )  # fmt: skip
        for n in range(8):
            await confide.remember(
                statement(
                    f"Kite number {n} is mine", by=CAROL, place="dm", access=["human:bob"],
                    consent=["human:carol"],
                )
            )  # fmt: skip
        await confide.upkeep.gc()
        assert await is_told(confide, mine.id, BOB)


@pytest.mark.req("B13", "S20")
async def test_words_from_before_a_channel_opened_stay_with_what_it_was(
    confide: Confide, clock: Clock
) -> None:
    start = clock.now - timedelta(days=2)
    await confide.world.attest("restricted:mods@guild", at=start)
    await confide.world.join("restricted:mods@guild", ALICE, at=start)
    await confide.world.join("public:help@guild", ALICE, BOB)
    await confide.world.attest("public:mods@guild", at=clock.now - timedelta(days=1))
    late = await say(confide, "The west wall is next", "public:mods@guild", said_at=start)
    assert not await is_told(confide, late.id, BOB, "public:help@guild")
    assert not await is_told(confide, late.id, ALICE, "public:mods@guild")
    assert await is_told(confide, late.id, ALICE)
    fresh = await say(confide, "The east wall is next", "public:mods@guild")
    assert await is_told(confide, fresh.id, BOB, "public:help@guild")


@pytest.mark.req("B13")
async def test_a_large_place_is_joined_and_left_at_once(confide: Confide) -> None:
    crowd = [f"human:m{n}" for n in range(2_500)]
    assert await confide.world.join("public:general@guild", *crowd)
    assert not await confide.world.join("public:general@guild", *crowd)
    (known,) = await confide.world.places()
    assert known.members == 2_500
    assert await confide.world.leave_space("guild", *crowd[:2])
    assert not await confide.world.leave_space("guild", *crowd[:2])
