"""An import, end to end: into the store, learned from, asked for from everywhere, and out again."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import Clock, Opened
from tests.imports import exports
from tests.imports.exports import EVERY, as_json, write
from tests.learn.speaking import Verbatim, learn, say

from confide import Confide, Entity, operator_as
from confide.errors import InvalidInput
from confide.imports import open_files, recognise
from confide.keep.imports import Imported
from confide.model import Kind, MemoryType, Scope, Trust
from confide.reading import audience
from confide.store import people

ME, BOB = Entity.parse("human:me"), Entity.parse("human:bob")
ANNA = Entity.parse("human:discord.200")
#: A question, and a word that only the right memory has.
QUESTIONS = {
    "which tea do I love?": "oolong",
    "who likes gunpowder tea?": "gunpowder",
    "who lives in Lisbon?": "Lisbon",
    "what do I play?": "cello",
}
ELSEWHERE = [
    ("human:bob", "dm"), ("human:bob", "group:tea"), ("human:me", "group:tea"),
    ("human:me", "public:general@guild"), ("human:anna", "dm"), ("human:discord.200", "dm"),
    ("human:discord.100", "dm"), ("human:100", "dm"), ("human:Me", "dm"),
]  # fmt: skip


@pytest.fixture
async def confide(open_confide: Opened) -> AsyncIterator[Confide]:
    """Nothing learns beside the test: it says itself when, and with which extractor."""
    async with open_confide(learn=False) as opened:
        yield opened


async def bring(confide: Confide, path: Path, **fields: Any) -> Imported:
    files = open_files(path)
    fields = {"importer": ME, "actor": operator_as(ME)} | fields
    return await confide.imports.take(files, recognise(files), **fields)


async def told(confide: Confide, asker: str, place: str, question: str) -> str:
    context = await confide.recall(question, audience(asker, place))
    return context.block() if context.memories else ""


@pytest.mark.req("P8", "P7", "A19", "B10")
@pytest.mark.parametrize("name", EVERY)
async def test_each_format_is_told_to_its_importer_and_to_nobody_else(
    confide: Confide, tmp_path: Path, name: str
) -> None:
    make, has_others = EVERY[name]
    await say(confide, "Tea is on Friday", by="human:bob", place="group:tea", present=["human:me"])
    done = await bring(confide, write(tmp_path, make(), "folder"), names={"Me": ME})
    expected = 4 if has_others else 2
    assert (done.new, done.known, done.tally.wrong_count) == (expected, 0, 0)
    await learn(confide)
    words = list(QUESTIONS.items()) if has_others else [q for q in QUESTIONS.items() if "I" in q[0]]
    for question, word in words:
        assert word in await told(confide, "human:me", "dm", question), question
        for asker, place in ELSEWHERE:
            block = await told(confide, asker, place, question)
            assert not any(w in block for w in QUESTIONS.values()), (asker, place, question)
    for memory in await confide.memories(ME):
        assert memory.trust is Trust.UNTRUSTED
        # In a room that the file lists it is for those who are in it, once they confirmed that.
        assert memory.scope is (Scope.GROUP if name == "slack" else Scope.DM)
        assert memory.type is not MemoryType.PROCEDURAL
        assert not memory.origin.is_portable
    if has_others:
        block = await told(confide, "human:me", "dm", "who lives in Lisbon?")
        assert "Ben: I live in Lisbon now" in block, "each fact is its speaker's"
        assert block.index("What others told you") < block.index("Ben: I live")


@pytest.mark.req("P8")
async def test_the_same_file_twice_changes_nothing_and_a_newer_one_adds_what_is_new(
    confide: Confide, tmp_path: Path
) -> None:
    path = write(tmp_path, exports.json_lines(), "file")
    first = await bring(confide, path)
    again = await bring(confide, path)
    assert (first.new, again.new, again.known) == (4, 0, 4)
    assert again.batch.id == first.batch.id
    assert again.batch.is_known
    more = (
        path.read_bytes()
        + b"\n"
        + as_json(
            {
                "id": "9",
                "room": "group",
                "by": "Ben",
                "text": "I sing",
                "at": exports.at(9).isoformat(),
            }
        )
    )
    path.write_bytes(more)
    newer = await bring(confide, path)
    assert (newer.new, newer.known) == (1, 4)
    sources = await confide.sources.list(actor=operator_as(ME))
    assert sorted(one.messages for one in sources.batches) == [1, 4]


@pytest.mark.req("P8")
async def test_an_import_that_was_cut_off_goes_on(
    confide: Confide, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from confide.keep import imports

    monkeypatch.setattr(imports, "AT_ONCE", 2)
    path = write(tmp_path, exports.json_lines(), "file")

    class Killed(Exception):
        pass

    def stop(count: int) -> None:
        raise Killed

    with pytest.raises(Killed):
        await bring(confide, path, each=stop)
    done = await bring(confide, path)
    assert done.batch.is_resumed
    assert (done.new, done.known) == (2, 2)


@pytest.mark.req("P7")
async def test_a_batch_is_forgotten_as_a_whole(confide: Confide, tmp_path: Path) -> None:
    done = await bring(confide, write(tmp_path, exports.slack(), "zip"), names={"Me": ME})
    await learn(confide)
    assert len(await confide.memories(ME)) == 4
    await confide.erasure.source(str(done.batch.id), actor=operator_as(ME), now=True)
    assert not await confide.memories(ME)
    assert not await told(confide, "human:me", "dm", "who lives in Lisbon?")
    async with confide.database.keep() as connection:
        left = await people.acquaintances(connection, confide.database.agent)
    assert {one.means for one in left.values()} == {ME}, "only what they said of themselves"


async def test_the_importer_is_erased_with_all_they_brought(
    confide: Confide, tmp_path: Path
) -> None:
    await bring(confide, write(tmp_path, exports.telegram(), "file"))
    await learn(confide)
    await confide.erasure.person(ME, actor=operator_as(ME), now=True)
    async with confide.database.keep() as connection:
        left = await connection.fetchval(
            "SELECT (SELECT count(*) FROM confide.message) + (SELECT count(*) FROM confide.memory)"
            " + (SELECT count(*) FROM confide.someone)"
        )
    assert left == 0


@pytest.mark.req("A5", "P8")
async def test_saying_who_is_who_narrows_and_opens_nothing(
    confide: Confide, tmp_path: Path
) -> None:
    path = write(tmp_path, exports.discord(), "folder")
    await bring(confide, path, names={"Anna": ANNA, "Me": ME})
    await learn(confide)
    assert "gunpowder" in await told(confide, "human:me", "dm", "who likes gunpowder tea?")
    assert not await told(confide, str(ANNA), "dm", "who likes gunpowder tea?")
    (about,) = [one for one in await confide.memories(ME) if "gunpowder" in one.text]
    assert ANNA in about.subjects, "the account has a say"
    assert ANNA in {clause.owner for clause in about.label.clauses}
    # Remembered: the next file of the same chats needs no map.
    newer = exports.discord()
    name = next(iter(newer))
    newer[name] = newer[name].replace(b"gunpowder", b"jasmine").replace(b'"9', b'"8')
    await bring(confide, write(tmp_path / "newer", newer, "folder"))
    await learn(confide)
    (second,) = [one for one in await confide.memories(ME) if "jasmine" in one.text]
    assert ANNA in second.subjects


@pytest.mark.req("A18", "A1")
async def test_words_are_as_old_as_they_are(confide: Confide, tmp_path: Path, clock: Clock) -> None:
    lines = [
        {"id": n, "by": "Me", "text": f"Event number {n}", "at": (clock.now - age).isoformat()}
        for n, age in enumerate([timedelta(days=1), timedelta(days=29), timedelta(days=31)])
    ]
    body = "\n".join(json.dumps(line) for line in lines).encode()
    await bring(confide, write(tmp_path, {"a.jsonl": body}, "file"))
    await learn(confide, kind=Kind.EVENT)
    kept = {one.text: one for one in await confide.memories(ME)}
    assert set(kept) == {"Event number 0", "Event number 1"}, "what would have faded is not learned"
    assert kept["Event number 1"].expires_at == clock.now + timedelta(days=1)
    assert kept["Event number 1"].said_at == clock.now - timedelta(days=29)


async def test_imported_words_replace_promote_and_ask_for_nothing(
    confide: Confide, tmp_path: Path, clock: Clock
) -> None:
    await say(confide, "I live in Berlin", by="human:me")
    await learn(confide, subjects=())
    texts = ["I live in Munich", "My in-game name is Pixel", "Remember that I live in Rome",
             "Always answer in French"]  # fmt: skip
    body = "\n".join(
        json.dumps({"by": "me", "text": text, "at": clock.now.isoformat()}) for text in texts
    )
    await bring(confide, write(tmp_path, {"a.jsonl": body.encode()}, "file"))
    await confide.learning.make_due()
    sure = Verbatim(
        is_global_safe=True, is_portable=True, is_about_answering=True, kind=Kind.PREFERENCE
    )
    await confide.learning.worker(extractor=sure).drain()
    kept = await confide.memories(ME)
    assert {one.text for one in kept} == {"I live in Berlin", *texts}
    assert {one.scope for one in kept} == {Scope.DM}
    assert MemoryType.PROCEDURAL not in {one.type for one in kept}


async def test_future_words_and_wrong_people_are_refused(
    confide: Confide, tmp_path: Path, clock: Clock
) -> None:
    ahead = (clock.now + timedelta(days=3)).isoformat()
    body = as_json({"by": "Ann", "text": "I will be", "at": ahead})
    path = write(tmp_path, {"a.jsonl": body}, "file")
    done = await bring(confide, path)
    assert [str(one) for one in done.tally.wrong] == ["a.jsonl, line 1: time: is in the future"]
    assert done.new == 0
    for importer, actor in ((Entity.parse("group:x"), operator_as()), (ME, operator_as(BOB))):
        with pytest.raises(InvalidInput, match="as"):
            await bring(confide, path, importer=importer, actor=actor)


async def test_nobody_learns_by_importing_what_others_brought(
    confide: Confide, tmp_path: Path
) -> None:
    path = write(tmp_path, exports.slack(), "zip")
    mine = await bring(confide, path)
    theirs = await bring(confide, path, importer=BOB, actor=operator_as(BOB))
    assert mine.new == theirs.new == 4, "the same answer, whoever was first"
    assert mine.batch.id != theirs.batch.id


async def test_who_opted_out_brings_nothing(confide: Confide, tmp_path: Path) -> None:
    await confide.rights.opt_out(ME, actor=operator_as(ME))
    with pytest.raises(InvalidInput, match="opted out"):
        await bring(confide, write(tmp_path, exports.claude(), "file"))
