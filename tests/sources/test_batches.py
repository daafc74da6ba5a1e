"""A file that is taken in is a batch: known when it comes again, and finished when it was cut off."""

from __future__ import annotations

import asyncio
import dataclasses

import pytest
from tests.backup.conftest import Elsewhere, NewHome, elsewhere, new_home
from tests.backup.test_backup import rows_of
from tests.conftest import Clock
from tests.learn.speaking import learn, say

from confide import Confide
from confide.config import read_settings
from confide.keep.sources import base_name
from confide.store import moving
from confide.store.opening import open_database
from confide.store.sources import Counts

from .conftest import AS_ALICE, AS_BOB, AS_ZED, OPERATOR, ZED, a_file, take

__all__ = ["elsewhere", "new_home"]
SAID = [
    ("human:alice", "I keep bees"),
    ("human:bob", "I paint boats"),
    ("human:alice", "I bake rye bread"),
]


@pytest.mark.req("P7")
async def test_a_file_is_a_batch_with_its_name_hash_platform_and_counts(
    confide: Confide, clock: Clock
) -> None:
    file = a_file(confide, SAID, name="/home/eve/secret/chat.jsonl", platform="discord")
    done = await take(confide, file)
    await learn(confide)
    (batch,) = (await confide.sources.list(actor=OPERATOR)).batches
    assert batch == await confide.sources.show(done.batch.id, actor=OPERATOR)
    assert (batch.file_name, batch.sha256) == ("chat.jsonl", file.sha256.hex())
    assert (batch.platforms, batch.given_by, batch.times_given) == (("discord",), "operator", 1)
    assert (batch.given_at, batch.finished_at) == (clock(), clock())
    assert batch.counts == Counts(lines=3, stored=3, known=0, refused=0)
    assert (batch.messages, batch.memories) == (3, 3)


@pytest.mark.req("P7")
async def test_the_same_file_again_is_known_and_nothing_doubles(
    confide: Confide, clock: Clock
) -> None:
    file = a_file(confide, SAID)
    first = await take(confide, file)
    clock.advance(hours=1)
    again = await take(confide, dataclasses.replace(file, name="copy.jsonl"))
    assert (first.batch.is_known, first.observed) == (False, 3)
    assert (again.batch.is_known, again.observed, again.known) == (True, 0, 3)
    assert again.batch.id == first.batch.id
    (batch,) = (await confide.sources.list(actor=OPERATOR)).batches
    assert (batch.file_name, batch.times_given) == ("chat.jsonl", 2)
    assert batch.counts == Counts(lines=3, stored=3, known=0, refused=0)


@pytest.mark.req("P7")
async def test_a_file_that_was_cut_off_goes_on_and_its_counts_are_those_of_the_whole(
    confide: Confide,
) -> None:
    file = a_file(confide, SAID)
    seen = 0

    def die() -> None:
        nonlocal seen
        seen += 1
        if seen == 2:
            raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        await confide.sources.take(file, actor=OPERATOR, each=die)
    (cut,) = (await confide.sources.list(actor=OPERATOR)).batches
    assert cut.finished_at is None
    assert cut.counts == Counts(lines=3, stored=2, known=0, refused=0)
    done = await take(confide, file)
    assert (done.batch.is_resumed, done.batch.is_known, done.observed) == (True, False, 1)
    (batch,) = (await confide.sources.list(actor=OPERATOR)).batches
    assert batch.id == cut.id
    assert batch.finished_at is not None
    assert batch.counts == Counts(lines=3, stored=3, known=0, refused=0)


@pytest.mark.req("P7")
async def test_two_who_read_the_same_file_at_once_make_one_batch(confide: Confide) -> None:
    file = a_file(confide, [(by, f"{text} {n}") for n in range(10) for by, text in SAID])
    both = await asyncio.gather(take(confide, file), take(confide, file))
    assert sum(one.observed for one in both) == 30
    (batch,) = (await confide.sources.list(actor=OPERATOR)).batches
    assert batch.counts == Counts(lines=30, stored=30, known=0, refused=0)


@pytest.mark.req("P7")
async def test_what_is_known_already_or_refused_is_counted_apart(confide: Confide) -> None:
    await confide.rights.opt_out(ZED, actor=AS_ZED)
    file = a_file(confide, [*SAID, ("human:zed", "I keep quokkas"), ("app:bot", "Beep")])
    await confide.observe(file.messages[0])
    done = await take(confide, file)
    assert (done.observed, done.known) == (2, 1)
    assert done.ignored == {"opted out": 1, "the speaker is no person": 1}
    (batch,) = (await confide.sources.list(actor=OPERATOR)).batches
    assert batch.counts == Counts(lines=5, stored=2, known=1, refused=2)
    # What was said while the agent was there belongs to no file.
    await confide.erasure.source(str(batch.id), actor=OPERATOR, now=True)
    (left,) = (await confide.sources.list(actor=OPERATOR)).platforms
    assert left.messages == 1


@pytest.mark.req("P7")
async def test_the_same_bytes_from_somebody_else_are_another_batch(confide: Confide) -> None:
    """ "Known" would tell Bob that Alice gave them."""
    file = a_file(confide, SAID)
    alices, bobs = await take(confide, file, AS_ALICE), await take(confide, file, AS_BOB)
    assert not bobs.batch.is_known
    assert bobs.batch.id != alices.batch.id


@pytest.mark.req("P7", "P9")
async def test_the_trail_has_entries_for_an_import_without_its_name(
    confide: Confide, clock: Clock
) -> None:
    await take(confide, a_file(confide, SAID, name="quokka.jsonl"), AS_ALICE)
    entries = [one for one in await confide.trail.log(actor=OPERATOR) if one.what == "batch"]
    assert {(one.doing, one.action) for one in entries} == {
        ("import", "added"),
        ("import", "changed"),
    }
    assert all(one.at == clock() for one in entries)
    assert "quokka" not in repr(entries)
    assert (await confide.trail.verify()).is_sound


@pytest.mark.req("P7", "B5")
async def test_a_backup_and_a_move_carry_batches(
    new_home: NewHome, elsewhere: Elsewhere, clock: Clock, tmp_path
) -> None:
    home = new_home()
    async with Confide.open(home, clock=clock, learn=False) as here:
        file = a_file(here, SAID)
        done = await take(here, file)
        shown = await here.sources.show(done.batch.id, actor=OPERATOR)
        before = await rows_of(here)
        await here.backups.make(tmp_path / "all.confide", actor=OPERATOR)
    async with Confide.open(new_home(), clock=clock, learn=False) as there:
        await there.backups.restore(tmp_path / "all.confide", actor=OPERATOR)
        assert (await rows_of(there))["batch"] == before["batch"]
        assert await there.sources.show(done.batch.id, actor=OPERATOR) == shown
        assert (await take(there, file)).batch.is_known
        # What is forgotten since stays forgotten when the older backup comes back.
        await there.erasure.source(str(done.batch.id), actor=OPERATOR, now=True)
        await there.backups.restore(tmp_path / "all.confide", actor=OPERATOR, replaces=True)
        assert (await there.sources.list(actor=OPERATOR)).batches == ()
    source = await open_database(read_settings(home=home))
    target = await open_database(read_settings(database_url=elsewhere.url, home=elsewhere.home))
    try:
        await moving.move(source, target, home, "test", clock())
        assert (await moving.read_digests(target)) == (await moving.read_digests(source))
    finally:
        await source.close()
        await target.close()


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("chat.jsonl", "chat.jsonl"),
        ("/home/alice/chat.jsonl", "chat.jsonl"),
        ("C:\\Users\\Alice\\chat.jsonl", "chat.jsonl"),
        ("../chat.jsonl", "chat.jsonl"),
        ("-", "-"),
        ("", "-"),
        ("a\x1b[2Jb\n.jsonl", "a?[2Jb?.jsonl"),
        ("a\udcff.jsonl", "a?.jsonl"),
        ("x" * 300, "x" * 255),
    ],
)
def test_a_name_is_kept_without_its_folder_and_cannot_steer(given: str, kept: str) -> None:
    assert base_name(given) == kept


async def test_switched_off_nothing_is_taken_in_and_sources_can_still_be_listed(
    open_confide,
) -> None:
    async with open_confide(learn=False) as confide:
        await take(confide, a_file(confide, SAID))
        await say(confide, "I like figs", by="human:alice")
    async with open_confide(enabled=False) as off:
        with pytest.raises(Exception, match="switched off"):
            await take(off, a_file(off, SAID))
        (batch,) = (await off.sources.list(actor=AS_ALICE)).batches
        assert batch.messages == 2
        await off.erasure.source(str(batch.id), actor=AS_ALICE, now=True)
        assert (await off.sources.list(actor=AS_ALICE)).batches == ()
