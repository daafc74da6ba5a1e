"""What a person learns of files that brought their words, and of files that did not: attacks."""

from __future__ import annotations

import json
import uuid

import pytest
from tests.learn.speaking import learn, say

from confide import Confide, operator_as
from confide.actor import Actor
from confide.errors import InvalidInput, NotFound
from confide.keep.exporting import Export
from confide.model import Entity
from confide.privacy.acting import CallerKind

from .conftest import ALICE, AS_ALICE, AS_BOB, AS_ZED, BOB, OPERATOR, ZED, a_file, take

MIXED = [
    ("human:alice", "I keep bees"),
    ("human:bob", "I paint boats canary"),
    ("human:bob", "I fear spiders canary"),
]


async def of(confide: Confide, who: Entity, source: str) -> dict:
    done: Export = await confide.rights.export(who, actor=operator_as(who), source=source)
    assert done.manifest["counts"]["messages"] == len(
        json.loads(done.files["export.json"])["messages"]
    )
    return json.loads(done.files["export.json"])


@pytest.mark.req("P7")
async def test_a_person_sees_their_own_words_in_a_file_and_nothing_of_others(
    confide: Confide,
) -> None:
    file = a_file(confide, MIXED, name="bob-canary.jsonl", platform="discord")
    done = await take(confide, file)
    await say(confide, "I like figs canary", by="human:bob", place="dm", platform="slack")
    await learn(confide)
    found = await confide.sources.list(actor=AS_ALICE)
    (batch,), (platform,) = found.batches, found.platforms
    assert (batch.id, batch.messages, batch.memories) == (done.batch.id, 1, 1)
    assert (platform.name, platform.messages, platform.memories) == ("discord", 1, 1)
    assert found.stacks == ()
    shown = repr(found)
    assert "canary" not in shown
    assert file.sha256.hex() not in shown, "it confirms a guess at what others said"
    assert (batch.counts, batch.given_by, batch.times_given) == (None, None, None)
    assert batch.finished_at is None, "how long it took says how much others said"
    assert await confide.sources.show(batch.id, actor=AS_ALICE) == batch


@pytest.mark.req("P7")
async def test_others_words_in_a_file_change_nothing_that_a_person_sees(confide: Confide) -> None:
    """Two files in which only what others said differs look alike, but for their ids."""
    alone = await take(confide, a_file(confide, MIXED[:1]))
    crowded = await take(confide, a_file(confide, [*MIXED[:1], *MIXED[1:] * 5]))
    one = await confide.sources.show(alone.batch.id, actor=AS_ALICE)
    other = await confide.sources.show(crowded.batch.id, actor=AS_ALICE)
    assert repr(one).replace(str(one.id), "") == repr(other).replace(str(other.id), "")


@pytest.mark.req("P7")
async def test_whoever_gave_a_file_sees_its_name_and_hash(confide: Confide) -> None:
    file = a_file(confide, MIXED, name="mine.jsonl")
    done = await take(confide, file, AS_ALICE)
    own = await confide.sources.show(done.batch.id, actor=AS_ALICE)
    assert (own.file_name, own.sha256) == ("mine.jsonl", file.sha256.hex())
    others = await confide.sources.show(done.batch.id, actor=AS_BOB)
    assert (others.file_name, others.sha256, others.messages) == (None, None, 2)


@pytest.mark.req("P7")
async def test_anothers_file_and_none_at_all_give_the_same_answers(confide: Confide) -> None:
    done = await take(confide, a_file(confide, MIXED, platform="discord"))
    await learn(confide)
    hidden, absent = done.batch.id, uuid.uuid4()
    said = []
    for id in (hidden, absent):
        with pytest.raises(NotFound) as shown:
            await confide.sources.show(id, actor=AS_ZED)
        with pytest.raises(NotFound) as exported:
            await of(confide, ZED, str(id))
        target = confide.erasure.of_source(str(id), AS_ZED)
        counted = await confide.erasure.preview(target, actor=AS_ZED)
        gone = await confide.erasure.source(str(id), actor=AS_ZED, now=True)
        said.append((str(shown.value), str(exported.value), counted, gone.counts, gone.found))
    assert said[0] == said[1]
    assert not any(said[0][3].values())
    for platform in ("discord", "nowhere"):
        with pytest.raises(NotFound, match="there is no such source"):
            await of(confide, ZED, platform)
    assert (await confide.sources.list(actor=AS_ZED)).platforms == ()
    (batch,) = (await confide.sources.list(actor=OPERATOR)).batches
    assert batch.messages == 3, "nothing of theirs was touched"


@pytest.mark.req("P7", "S21")
async def test_an_export_by_source_holds_what_came_from_there_and_no_more(
    confide: Confide,
) -> None:
    one = await take(confide, a_file(confide, MIXED, platform="discord"))
    await take(confide, a_file(confide, [("human:alice", "I bake bread")], platform="discord"))
    await say(confide, "I like figs", by="human:alice", place="dm", platform="slack")
    await learn(confide)
    await confide.people.name(ALICE, "Alice L.")
    everything = json.loads(
        (await confide.rights.export(ALICE, actor=AS_ALICE)).files["export.json"]
    )
    for source, words in (
        (str(one.batch.id), {"I keep bees"}),
        ("discord", {"I keep bees", "I bake bread"}),
        ("slack", {"I like figs"}),
        ("human:alice", {"I keep bees", "I bake bread", "I like figs"}),
    ):
        found = await of(confide, ALICE, source)
        assert found["source"] == source
        assert {row["text"] for row in found["memories"]} == words
        assert all(row in everything["memories"] for row in found["memories"])
        assert all(row in everything["messages"] for row in found["messages"])
        if ":" not in source:
            assert {row["text"] for row in found["messages"]} == words
        assert found["records"] == []
    assert "source" not in everything
    assert len(everything["messages"]) == 3


@pytest.mark.req("P7", "S21")
async def test_an_export_by_source_withholds_what_the_full_one_does(confide: Confide) -> None:
    """Alice said it among the moderators, and is none any more."""
    file = a_file(confide, MIXED[:1], place="restricted:mods@guild", platform="discord")
    done = await take(confide, file)
    await learn(confide)
    place = file.messages[0].place
    await confide.world.attest(place)
    await confide.world.leave(place, ALICE)
    found = await of(confide, ALICE, str(done.batch.id))
    everything = json.loads(
        (await confide.rights.export(ALICE, actor=AS_ALICE)).files["export.json"]
    )
    assert found["memories"] == everything["memories"] == []
    assert found["messages"] == everything["messages"] == []


@pytest.mark.req("P7")
async def test_only_a_person_or_who_runs_the_agent_asks(confide: Confide) -> None:
    done = await take(confide, a_file(confide, MIXED))
    nobody = Actor(None, CallerKind.PLATFORM)
    with pytest.raises(InvalidInput, match="whose sources"):
        await confide.sources.list(actor=nobody)
    with pytest.raises(InvalidInput, match="whose sources"):
        await confide.sources.show(done.batch.id, actor=nobody)
    with pytest.raises(InvalidInput, match="only human:bob"):
        await confide.rights.export(BOB, actor=AS_ALICE, source=str(done.batch.id))
