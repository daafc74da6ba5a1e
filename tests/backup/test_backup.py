"""A backup is the whole store at one moment; restored, it forgets nothing of what was forgotten."""

from __future__ import annotations

import asyncio
import os
import shutil
import stat
import zipfile
from pathlib import Path

import pytest
from tests.conftest import Clock
from tests.erasure.conftest import BOB, CANARY, GROUP, ZED, found_in, live_a_life, told
from tests.learn.speaking import learn, say

from confide import Confide, operator_as, statement
from confide.errors import InvalidInput, NotRecognized
from confide.keep.data_requests import Wanted as Request
from confide.keep.keys import Wanted
from confide.model import Entity
from confide.privacy import atoms
from confide.privacy.places import parse_place
from confide.store import embedded
from confide.store.backup import LEFT_OUT, digests
from confide.store.keys import KeyKind
from confide.store.tables import read_tables

from .conftest import NewHome

OPERATOR, AS_ZED, AS_BOB = operator_as(), operator_as(ZED), operator_as(BOB)
WORDS = (CANARY, CANARY.capitalize())


async def rows_of(confide: Confide) -> dict[str, tuple[int, str]]:
    async with confide.database.snapshot() as connection:
        tables = [one for one in await read_tables(connection) if one.name not in LEFT_OUT]
        return await digests(connection, confide.database.agent, tables)


@pytest.mark.req("B5")
async def test_a_backup_is_restored_row_by_row_on_a_fresh_machine(
    new_home: NewHome, clock: Clock, tmp_path: Path
) -> None:
    file = tmp_path / "all.confide"
    async with Confide.open(new_home(), clock=clock, learn=False) as here:
        await live_a_life(here)
        await here.trail.seal()
        made = await here.backups.make(file, actor=OPERATOR)
        before, heard = await rows_of(here), await told(here, "quokkas?")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert os.listdir(tmp_path) == [file.name]
    async with Confide.open(new_home(), clock=clock, learn=False) as there:
        done = await there.backups.restore(file, actor=OPERATOR, fingerprint=made.fingerprint)
        assert (done.agents, done.replayed) == (["default"], 0)
        after = await rows_of(there)
        # That it was restored is one more entry.
        assert after["trail"][0] == before["trail"][0] + 1
        assert after | {"trail": before["trail"]} == before
        assert (await there.trail.verify()).is_sound
        assert await told(there, "quokkas?") == heard
        kept = await there.remember(statement("I also keep bees", by=ZED, place="dm"))
        assert kept.is_new


@pytest.mark.req("B5", "P10")
async def test_what_was_erased_after_a_backup_is_gone_after_its_restore(
    new_home: NewHome, clock: Clock, tmp_path: Path
) -> None:
    file = tmp_path / "all.confide"
    async with Confide.open(new_home(), clock=clock, learn=False) as confide:
        await live_a_life(confide)
        bees = await confide.remember(statement("I keep bees", by=BOB, place="dm"))
        await confide.remember(statement("I keep ants", by=BOB, place="dm"))
        await confide.remember(statement("Old gossip", by=BOB, place="group:gossip"))
        soft = await confide.remember(statement("I keep moths", by=BOB, place="dm"))
        await confide.backups.make(file, actor=OPERATOR)
        clock.advance(hours=1)
        await confide.erasure.person(ZED, actor=AS_ZED, now=True)
        await confide.erasure.place(parse_place("group:gossip", BOB), actor=OPERATOR, now=True)
        await confide.forget(bees.id, actor=AS_BOB, now=True)
        await confide.forget(soft.id, actor=AS_BOB)
        await confide.remember(statement("I came back", by=ZED, place="dm"))
        clock.advance(hours=1)
        done = await confide.backups.restore(file, actor=OPERATOR, replaces=True)
        assert done.replayed == 4
        assert await found_in(confide, *WORDS, "bees", "gossip 1", "Old gossip") == {}
        assert await told(confide, "what do I keep?", BOB) == {"I keep ants"}
        await confide.restore(soft.id, actor=AS_BOB)
        assert await told(confide, "what do I keep?", BOB) == {"I keep ants", "I keep moths"}
        assert (await confide.trail.verify()).is_sound
        # Once more: what was erased is in the ledger for good.
        again = await confide.backups.restore(file, actor=OPERATOR, replaces=True)
        assert again.replayed == 3
        assert await found_in(confide, *WORDS, "bees") == {}


@pytest.mark.req("B5")
async def test_what_came_after_an_erasure_survives_the_restore_of_a_later_backup(
    new_home: NewHome, clock: Clock, tmp_path: Path
) -> None:
    file = tmp_path / "all.confide"
    async with Confide.open(new_home(), clock=clock, learn=False) as confide:
        await live_a_life(confide)
        await confide.erasure.person(ZED, actor=AS_ZED, now=True)
        clock.advance(hours=1)
        await confide.remember(statement("I came back", by=ZED, place="dm"))
        await confide.backups.make(file, actor=OPERATOR)
        done = await confide.backups.restore(file, actor=OPERATOR, replaces=True)
        assert done.replayed == 0
        assert await told(confide, "who came back?") == {"I came back"}


@pytest.mark.req("B5")
async def test_what_a_lost_store_had_erased_does_not_come_back_with_an_older_backup(
    new_home: NewHome, clock: Clock, tmp_path: Path
) -> None:
    home, file = new_home(), tmp_path / "all.confide"
    async with Confide.open(home, clock=clock, learn=False) as confide:
        await live_a_life(confide)
        await confide.backups.make(file, actor=OPERATOR)
        await confide.erasure.person(ZED, actor=AS_ZED, now=True)
    ledger = (home / "erasures.jsonl").read_text()
    assert "zed" not in ledger
    assert stat.S_IMODE((home / "erasures.jsonl").stat().st_mode) == 0o600
    await asyncio.to_thread(embedded.stop, home)
    shutil.rmtree(home / "postgres")
    async with Confide.open(home, clock=clock, learn=False) as confide:
        done = await confide.backups.restore(file, actor=OPERATOR)
        assert done.replayed == 1
        assert await found_in(confide, *WORDS) == {}


@pytest.mark.req("S21", "K11")
async def test_wishes_after_a_backup_hold_after_its_restore(
    new_home: NewHome, clock: Clock, tmp_path: Path
) -> None:
    file = tmp_path / "all.confide"
    async with Confide.open(new_home(), clock=clock, learn=False) as confide:
        kept = await confide.remember(statement("I keep quokkas", by=ZED, place=GROUP))
        fact = await confide.remember(statement("I like figs", by=BOB, place="dm"))
        given = await confide.consents.share(fact.id, atoms.entity(ZED), actor=AS_BOB)
        await say(confide, "A quokka said this", by="human:bob", id="m-7", place=GROUP)
        await learn(confide)
        await confide.backups.make(file, actor=OPERATOR)
        await confide.rights.opt_out(ZED, actor=AS_ZED)
        await confide.consents.withdraw(given.consent_id, actor=AS_BOB)
        await confide.learning.deleted("m-7")
        await confide.backups.restore(file, actor=OPERATOR, replaces=True)
        assert (await confide.rights.state(ZED)).is_opted_out
        assert await told(confide, "quokkas? figs?", BOB, GROUP) == set()
        assert await told(confide, "quokkas? figs?") == set()
        assert await found_in(confide, "A quokka said") == {}
        assert kept.is_new


@pytest.mark.req("S21", "A5", "S24")
async def test_what_was_taken_back_after_a_backup_does_not_come_back_with_it(
    new_home: NewHome, clock: Clock, tmp_path: Path
) -> None:
    file, mia, double = tmp_path / "all.confide", Entity("human", "mia"), Entity("human", "double")
    about_zed = {"by": BOB, "place": GROUP, "about": [ZED], "present": [ZED, mia]}
    async with Confide.open(new_home(), clock=clock, learn=False) as confide:
        said = await confide.remember(statement("Zed snores", **about_zed))
        await confide.remember(statement("I sail at noon", by=BOB, place="dm"))
        await say(confide, "What's the cat's name?", by="human:mia", place=GROUP)
        await say(confide, "Coco", by="human:bob", place=GROUP)
        await confide.learning.learn(is_everything=True)
        made = await confide.keys.create(
            Wanted(kind=KeyKind.PERSONAL, name="phone", entity=BOB), actor=OPERATOR
        )
        await confide.keys.open_connections(BOB, actor=AS_BOB)
        merge = await confide.people.propose_merge(BOB, double, "same", actor=OPERATOR)
        for who in (BOB, double):
            await confide.people.confirm_merge(merge.id, actor=operator_as(who))
        assert await told(confide, "sail?", double) == {"I sail at noon"}
        assert any("cat" in text for text in await told(confide, "cat?", BOB, GROUP))
        await confide.backups.make(file, actor=OPERATOR)

        clock.advance(hours=1)
        await confide.keys.revoke(made.key.id, actor=OPERATOR)
        await confide.keys.close_connections(BOB, actor=AS_BOB)
        await confide.people.split(merge.id, actor=AS_BOB)
        request = await confide.data_requests.ask(
            Request.OBJECT, ZED, actor=AS_ZED, memory_id=said.id
        )
        await confide.data_requests.answer(request.id, grants=True, reason="yes", actor=OPERATOR)
        waiting = await confide.data_requests.ask(Request.ACCESS, ZED, actor=AS_ZED)
        await confide.rights.opt_out(mia, actor=operator_as(mia))

        await confide.backups.restore(file, actor=OPERATOR, replaces=True)
        with pytest.raises(NotRecognized):
            await confide.keys.recognize(made.secret)
        assert not await confide.keys.is_opened(BOB)
        assert await told(confide, "sail?", double) == set()
        assert await told(confide, "who snores?", mia, GROUP) == set()
        assert await told(confide, "cat?", BOB, GROUP) == set()
        assert await found_in(confide, "the cat") == {}
        assert [one.id for one in await confide.data_requests.list(ZED, actor=AS_ZED)] == [
            waiting.id
        ]


async def test_a_store_with_memories_is_replaced_only_if_that_is_said(
    new_home: NewHome, clock: Clock, tmp_path: Path
) -> None:
    file = tmp_path / "all.confide"
    async with Confide.open(new_home(), clock=clock, learn=False) as confide:
        await confide.remember(statement("I keep bees", by=BOB, place="dm"))
        await confide.backups.make(file, actor=OPERATOR)
        await confide.remember(statement("I keep ants", by=BOB, place="dm"))
        with pytest.raises(InvalidInput, match="--replace"):
            await confide.backups.restore(file, actor=OPERATOR)
        assert await told(confide, "keep?", BOB) == {"I keep bees", "I keep ants"}
        for refused in (confide.backups.make, confide.backups.restore):
            with pytest.raises(InvalidInput, match="actor"):
                await refused(file, actor=AS_BOB)
        with pytest.raises(InvalidInput, match="exists"):
            await confide.backups.make(file, actor=OPERATOR)


async def test_a_file_that_was_changed_is_refused_and_nothing_happens(
    new_home: NewHome, clock: Clock, tmp_path: Path
) -> None:
    file, bad = tmp_path / "all.confide", tmp_path / "bad.confide"
    async with Confide.open(new_home(), clock=clock, learn=False) as confide:
        await confide.remember(statement("I keep bees", by=BOB, place="dm"))
        await confide.backups.make(file, actor=OPERATOR)
        for how in ("cut", "bit", "row", "member", "extra", "fingerprint", "text"):
            _spoil(file, bad, how)
            wanted = "0" * 64 if how == "fingerprint" else None
            with pytest.raises(InvalidInput, match=r"file|fingerprint"):
                await confide.backups.restore(
                    bad, actor=OPERATOR, replaces=True, fingerprint=wanted
                )
            assert await told(confide, "keep?", BOB) == {"I keep bees"}, how


def _spoil(file: Path, bad: Path, how: str) -> None:
    data = bytearray(file.read_bytes())
    if how == "text":
        data = bytearray(b"not a backup at all")
    elif how == "cut":
        data = data[: len(data) // 2]
    elif how == "bit":
        with zipfile.ZipFile(file) as whole:
            largest = max(whole.infolist(), key=lambda member: member.compress_size)
        # Past its header, inside what it holds.
        start = largest.header_offset + 30 + len(largest.filename)
        data[start + largest.compress_size // 2] ^= 1
    bad.write_bytes(data)
    if how not in ("row", "member", "extra"):
        return
    with zipfile.ZipFile(file) as old, zipfile.ZipFile(bad, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if how == "row" and name.endswith("/memory.copy"):
                content = content.replace(b"bees", b"wasp")
            if not (how == "member" and name.endswith("/memory.copy")):
                new.writestr(name, content)
        if how == "extra":
            new.writestr("default/other.copy", b"")
