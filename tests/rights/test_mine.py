"""One's own memories: list, search, view, mentions and stats, as only the asker sees them."""

from __future__ import annotations

import uuid

import pytest
from tests.cli.conftest import Ask, Run

from confide import Confide, Entity, statement
from confide.errors import NotFound
from confide.model import Kind, Scope
from confide.privacy.places import parse_place

ALICE, BOB, MIA = (Entity("human", name) for name in ("alice", "bob", "mia"))


async def say(confide: Confide, text: str, by: Entity, place: str, **more: object):
    return await confide.remember(statement(text, by=by, place=place, **more))


@pytest.mark.req("S22")
async def test_a_search_finds_ones_own_and_nobody_elses(confide: Confide) -> None:
    mine = await say(confide, "My boat is called Pelican", BOB, "dm")
    await say(confide, "My boat is called Heron", ALICE, "public:p@s")
    await confide.world.join(parse_place("public:p@s", BOB), BOB)
    found = await confide.mine.search(BOB, "what is the boat called?")
    assert [one.id for one in found] == [mine.id]
    assert await confide.mine.search(MIA, "what is the boat called?") == []


@pytest.mark.req("S22", "S9")
async def test_one_memory_is_viewed_by_those_it_is_for_and_about(confide: Confide) -> None:
    said = await say(confide, "Bob loves pizza", ALICE, "public:p@s", about=[BOB])
    await confide.world.join(parse_place("public:p@s", BOB), BOB, MIA)
    assert (await confide.mine.view(BOB, said.id, space="s")).memory.text == "Bob loves pizza"
    for who, id, space in (
        (MIA, said.id, "s"), (BOB, uuid.uuid4(), "s"), (BOB, said.id, "t"), (BOB, said.id, None)
    ):  # fmt: skip
        with pytest.raises(NotFound, match="there is no such memory"):
            await confide.mine.view(who, id, space=space)


@pytest.mark.req("S22", "A9", "K6")
async def test_mentions_are_what_shared_memories_say_about_me(confide: Confide) -> None:
    shared = await say(confide, "Bob loves pizza", ALICE, "public:p@s", about=[BOB])
    await say(confide, "Bob is late again", ALICE, "dm", about=[BOB])
    await say(confide, "I love pizza too", BOB, "public:p@s")
    assert [one.id for one in await confide.mine.mentions(BOB, space="s")] == [shared.id]
    assert await confide.mine.mentions(BOB) == ()
    assert await confide.mine.mentions(ALICE, space="s") == ()
    assert (await confide.mine.stats(BOB, space="s")).mentions == 1
    await confide.world.leave_space("s", BOB)
    assert await confide.mine.mentions(BOB, space="s") == ()


@pytest.mark.req("S22", "S25")
async def test_stats_count_by_level_what_one_may_hear_and_nothing_hidden(confide: Confide) -> None:
    await say(confide, "I paint", BOB, "dm", kind="preference")
    await say(confide, "I sing", BOB, "dm", kind="preference")
    await say(confide, "I run", BOB, "restricted:mods@s")
    before = await confide.mine.stats(BOB)
    found = {(one.scope, one.kind): one.memories for one in before.counts}
    assert found == {
        (Scope.DM, Kind.PREFERENCE): 2,
        (Scope.CHANNEL_RESTRICTED, Kind.KNOWLEDGE): 1,
    }
    await say(confide, "Bob is odd", ALICE, "dm", about=[BOB])
    assert await confide.mine.stats(BOB) == before
    await confide.world.leave(parse_place("restricted:mods@s", BOB), BOB)
    assert len((await confide.mine.stats(BOB)).counts) == 1


@pytest.mark.req("S22")
def test_the_command_line_shows_ones_own(ask: Ask, run: Run) -> None:
    said = ask("remember", "I paint boats", "--by", "human:bob", "--in", "dm")
    assert ask("memories", "--as", "human:bob", "--id", said["id"])["text"] == "I paint boats"
    assert ask("memories", "--as", "human:bob", "--stats")["counts"][0]["memories"] == 1
    assert ask("memories", "--as", "human:bob", "--mentions")["count"] == 0
    assert run("memories", "--as", "human:bob", "--mentions", "--stats").exit_code == 2
    hidden = run("memories", "--as", "human:mia", "--id", said["id"])
    absent = run("memories", "--as", "human:mia", "--id", str(uuid.uuid4()))
    assert (hidden.exit_code, hidden.stderr) == (absent.exit_code, absent.stderr)
