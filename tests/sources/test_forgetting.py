"""Forgetting what came in a file: one person's part or all of it, and what its name says of whom."""

from __future__ import annotations

import asyncio

import pytest
from tests.conftest import Clock
from tests.erasure.conftest import found_in, told
from tests.learn.speaking import learn, message

from confide import Confide
from confide.errors import NotFound
from confide.keep.sources import File
from confide.store.sources import Counts

from .conftest import ALICE, AS_ALICE, AS_BOB, AS_ZED, OPERATOR, ZED, a_file, take

SAID = [
    ("human:zed", "I keep quokkas"),
    ("human:bob", "I paint boats"),
    ("human:zed", "I bake quokka bread"),
]


async def cut_off(confide: Confide, file: File) -> None:
    """Before its first line."""
    observe = confide.sources._observe

    async def die(*args: object, **fields: object) -> None:
        raise asyncio.CancelledError

    confide.sources._observe = die
    with pytest.raises(asyncio.CancelledError):
        await take(confide, file)
    confide.sources._observe = observe


@pytest.mark.req("P7", "P10", "B5")
async def test_a_person_forgets_their_part_and_the_file_stays_with_the_rest(
    confide: Confide,
) -> None:
    file = a_file(confide, SAID, name="zed-and-bob.jsonl")
    done = await take(confide, file)
    await take(confide, a_file(confide, [("human:zed", "I like figs")], name="other.jsonl"))
    await learn(confide)
    target = confide.erasure.of_source(str(done.batch.id), AS_ZED)
    assert (await confide.erasure.preview(target, actor=AS_ZED))["messages"] == 2
    gone = await confide.erasure.source(str(done.batch.id).upper(), actor=AS_ZED, now=True)
    assert (gone.counts["memories"], gone.counts["messages"]) == (2, 2)
    assert gone.found
    assert not any(gone.found.values())
    assert await found_in(confide, "quokka", "zed-and-bob") == {}
    assert "memory" in await found_in(confide, "I like figs")
    batch = await confide.sources.show(done.batch.id, actor=OPERATOR)
    assert (batch.file_name, batch.sha256) == ("", file.sha256.hex())
    assert batch.counts == Counts(lines=1, stored=1, known=0, refused=0)
    with pytest.raises(NotFound):
        await confide.sources.show(done.batch.id, actor=AS_ZED)
    assert (await confide.sources.show(done.batch.id, actor=AS_BOB)).messages == 1
    again = await take(confide, file)
    assert (again.batch.is_known, again.observed, again.ignored) == (True, 0, {"deleted": 2})
    batch = await confide.sources.show(done.batch.id, actor=OPERATOR)
    assert batch.counts == Counts(lines=3, stored=1, known=0, refused=2)
    assert batch.file_name == ""
    assert await found_in(confide, "quokka") == {}


@pytest.mark.req("P7", "P10", "B5")
async def test_who_runs_the_agent_forgets_a_whole_file_with_its_name(confide: Confide) -> None:
    done = await take(confide, a_file(confide, SAID, name="zed-and-bob.jsonl"))
    await learn(confide)
    gone = await confide.erasure.source(str(done.batch.id), actor=OPERATOR, now=True)
    assert gone.counts["memories"] == 3
    assert not any(gone.found.values())
    assert {"batch", "message", "memory"} <= set(gone.found)
    assert await found_in(confide, "quokka", "boats", "zed-and-bob", str(done.batch.id)) == {}


@pytest.mark.req("P7", "P10")
async def test_it_can_be_undone_for_a_day_and_is_gone_after_that(
    confide: Confide, clock: Clock
) -> None:
    done = await take(confide, a_file(confide, SAID, place="dm"))
    await learn(confide)
    assert len(await told(confide, "quokkas?")) == 2
    soft = await confide.erasure.source(str(done.batch.id), actor=AS_ZED)
    assert soft.undo_until is not None
    assert await told(confide, "quokkas?") == set()
    with pytest.raises(NotFound):
        await confide.erasure.restore(soft.id, actor=AS_BOB)
    assert await confide.erasure.restore(soft.id, actor=AS_ZED) == 2
    assert len(await told(confide, "quokkas?")) == 2
    other = await take(confide, a_file(confide, [("human:zed", "My quokka is old")], place="dm"))
    await learn(confide)
    await confide.erasure.source(str(other.batch.id), actor=AS_ZED)
    clock.advance(hours=25)
    assert await confide.erasure.finish() == 1
    assert await found_in(confide, "quokka is old", str(other.batch.id)) == {}


@pytest.mark.req("P7", "S8")
async def test_a_memory_that_another_file_brought_too_is_left_in_its_words(
    confide: Confide,
) -> None:
    one = await take(confide, a_file(confide, [("human:zed", "I keep quokkas")], place="dm"))
    two = await take(confide, a_file(confide, [("human:zed", "I keep quokkas")], place="dm"))
    await learn(confide)
    (memory,) = await confide.memories(ZED)
    assert memory.source_count == 2
    for batch in (one, two):
        assert (await confide.sources.show(batch.batch.id, actor=AS_ZED)).memories == 1
    await confide.erasure.source(str(one.batch.id), actor=AS_ZED, now=True)
    (memory,) = await confide.memories(ZED)
    assert (memory.text, memory.source_count) == ("I keep quokkas", 1)
    await confide.erasure.source(str(two.batch.id), actor=AS_ZED, now=True)
    assert await confide.memories(ZED) == ()
    assert await found_in(confide, "quokka") == {}


@pytest.mark.req("P7", "B5")
async def test_erasing_a_person_leaves_no_name_and_no_number_of_theirs(confide: Confide) -> None:
    shared = a_file(confide, SAID, name="zed-and-bob.jsonl")
    await take(confide, shared)
    await take(confide, a_file(confide, SAID[:1], name="only-zed.jsonl"))
    given = a_file(confide, [("human:bob", "I sail")], name="from-zed.jsonl")
    await take(confide, given, AS_ZED)
    await take(confide, a_file(confide, [("app:bot", "Beep")], name="beeps-of-zed.jsonl"))
    await cut_off(confide, a_file(confide, SAID, name="begun-by-zed.jsonl"))
    await learn(confide)
    gone = await confide.erasure.person(ZED, actor=AS_ZED, now=True)
    assert gone.counts["batch"] == 1, "the one they gave; how many others there are is not theirs"
    names = "zed-and-bob", "only-zed", "from-zed", "beeps-of-zed", "begun-by-zed", "quokka"
    assert await found_in(confide, *names) == {}
    assert "batch" not in await found_in(confide, "human:zed")
    left = {one.sha256: one for one in (await confide.sources.list(actor=OPERATOR)).batches}
    assert len(left) == 4
    counts = left[shared.sha256.hex()].counts
    assert counts == Counts(lines=1, stored=1, known=0, refused=0)
    assert left[given.sha256.hex()].given_by == ""


@pytest.mark.req("P7", "B5")
async def test_a_file_keeps_its_name_while_everybody_in_it_is_still_there(confide: Confide) -> None:
    file = a_file(confide, SAID, name="crew.jsonl")
    done = await take(confide, file)
    await confide.learning.deleted(file.messages[0].id)
    batch = await confide.sources.show(done.batch.id, actor=OPERATOR)
    assert (batch.file_name, batch.counts) == (
        "crew.jsonl",
        Counts(lines=2, stored=2, known=0, refused=0),
    )
    await confide.learning.deleted(file.messages[2].id)
    assert (await confide.sources.show(done.batch.id, actor=OPERATOR)).file_name == ""
    await confide.learning.deleted(file.messages[1].id)
    assert (await confide.sources.list(actor=OPERATOR)).batches == ()


@pytest.mark.req("P7", "B5")
async def test_a_file_that_is_forgotten_while_it_is_read_takes_nothing_in_any_more(
    confide: Confide,
) -> None:
    file = a_file(confide, [("human:alice", f"I keep {n} bees") for n in range(12)])
    reached, forgotten = asyncio.Event(), asyncio.Event()
    observe, seen = confide.learning.observe, 0

    async def slowly(*args, **fields):
        nonlocal seen
        seen += 1
        if seen == 7:
            reached.set()
            await forgotten.wait()
        return await observe(*args, **fields)

    confide.sources._observe = slowly
    taking = asyncio.create_task(take(confide, file))
    await reached.wait()
    (batch,) = (await confide.sources.list(actor=OPERATOR)).batches
    gone = await confide.erasure.source(str(batch.id), actor=OPERATOR, now=True)
    assert gone.counts["messages"] == 6
    forgotten.set()
    done = await taking
    assert done.ignored == {"its file was forgotten meanwhile": 6}
    assert await found_in(confide, "bees") == {}
    assert (await confide.sources.list(actor=OPERATOR)).batches == ()


@pytest.mark.req("P7", "B5")
async def test_everything_takes_the_files_with_it(confide: Confide) -> None:
    await take(confide, a_file(confide, SAID, name="zed-and-bob.jsonl"))
    await take(confide, a_file(confide, [("app:bot", "Beep")]))
    await confide.erasure.everything(actor=OPERATOR, now=True)
    assert (await confide.sources.list(actor=OPERATOR)).batches == ()


@pytest.mark.req("P7")
async def test_a_platform_whose_name_has_a_colon_is_forgotten_too(confide: Confide) -> None:
    """Personal connections are such platforms."""
    at = confide.means.clock()
    said = message("I keep bees", at=at, place="dm", platform="connection:human:alice/pen")
    await confide.observe(said)
    await learn(confide)
    (platform,) = (await confide.sources.list(actor=AS_ALICE)).platforms
    await confide.erasure.source(platform.name, actor=AS_ALICE, now=True)
    assert await found_in(confide, "bees") == {}
    assert await confide.memories(ALICE) == ()
