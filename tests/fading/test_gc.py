"""Upkeep: what ended is put away first and goes later, and one person's flood is their own."""

from __future__ import annotations

import asyncio
import sys
import uuid
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Ask, Run
from tests.conftest import Clock

from confide import Confide, audience, statement
from confide.actor import operator_as
from confide.errors import InvalidInput, NotFound
from confide.keep import gc
from confide.keep.gc import Collected
from confide.model import Entity, Status

ALICE, BOB = Entity("human", "alice"), Entity("human", "bob")
AS_ALICE, AS_BOB, OPERATOR = operator_as(ALICE), operator_as(BOB), operator_as()
TABLES = ("memory", "evidence", "embedding", "words", "telling", "message", "trail", "consent")


async def kept(confide: Confide, text: str = "I keep bees", **fields: Any) -> uuid.UUID:
    given = {"by": "human:alice", "place": "dm"} | fields
    return (await confide.remember(statement(text, **given))).id


async def status(confide: Confide, id: uuid.UUID) -> Status | None:
    async with confide.database.keep() as connection:
        found = await connection.fetchval("SELECT status FROM confide.memory WHERE id = $1", id)
    return Status(found) if found else None


async def told(
    confide: Confide, who: str = "human:alice", question: str = "who keeps bees?"
) -> int:
    return len((await confide.recall(question, audience(who, "dm"))).memories)


async def everything(confide: Confide) -> dict[str, str]:
    """A fingerprint of each table."""
    async with confide.database.keep() as connection:
        return {
            table: await connection.fetchval(
                f"SELECT md5(string_agg(t::text, '' ORDER BY t::text)) FROM confide.{table} t"
            )
            for table in TABLES
        }


@pytest.mark.req("A15")
async def test_what_ended_is_archived_and_a_month_later_gone(
    confide: Confide, clock: Clock
) -> None:
    id = await kept(confide, kind="observation")
    clock.advance(days=4)
    assert (await confide.upkeep.preview()).expired == 1
    assert await status(confide, id) is Status.APPROVED, "a preview changes nothing"
    assert (await confide.upkeep.gc()).expired == 1
    assert await status(confide, id) is Status.ARCHIVED
    clock.advance(days=29)
    assert (await confide.upkeep.gc()).is_nothing
    clock.advance(days=1)
    assert (await confide.upkeep.preview()).cleared == 1
    assert (await confide.upkeep.gc()).cleared == 1
    assert await status(confide, id) is None


@pytest.mark.req("A16")
async def test_what_is_archived_comes_back_as_if_it_had_just_been_said(
    confide: Confide, clock: Clock
) -> None:
    id = await kept(confide, kind="observation")
    clock.advance(days=4)
    await confide.upkeep.gc()
    assert await told(confide) == 0
    with pytest.raises(NotFound):
        await confide.restore(id, actor=AS_BOB)
    await confide.restore(id, actor=AS_ALICE)
    assert await told(confide) == 1
    clock.advance(days=2)
    assert await told(confide) == 1
    clock.advance(days=1)
    assert await told(confide) == 0


async def test_what_waited_when_it_was_archived_waits_again(confide: Confide, clock: Clock) -> None:
    id = await kept(confide, kind="observation", confidence=0.2)
    clock.advance(days=4)
    await confide.upkeep.gc()
    await confide.restore(id, actor=AS_ALICE)
    assert await status(confide, id) is Status.PENDING
    assert await told(confide) == 0


async def test_what_was_said_again_meanwhile_does_not_come_back_twice(
    confide: Confide, clock: Clock
) -> None:
    id = await kept(confide, kind="observation")
    clock.advance(days=4)
    await confide.upkeep.gc()
    await kept(confide, kind="observation")
    with pytest.raises(InvalidInput, match="said again"):
        await confide.restore(id, actor=AS_ALICE)
    assert await told(confide) == 1


@pytest.mark.req("A15", "A16")
async def test_over_the_quota_the_weakest_unprotected_are_archived_and_the_owner_is_told(
    open_confide: Any, clock: Clock
) -> None:
    async with open_confide(max_entries=5) as confide:
        long: dict[str, Any] = {"kind": "event", "lifetime": timedelta(days=900)}
        faded = [await kept(confide, f"I fed {n} bees", **long) for n in range(3)]
        await confide.fading.protect(faded[0], actor=AS_ALICE)
        clock.advance(days=100)
        lasting = [await kept(confide, f"I own {n} hives") for n in range(3)]
        fresh = [await kept(confide, f"I saw {n} wasps", **long) for n in range(2)]
        theirs = await kept(confide, "I sail", by="human:bob", **long)
        clock.advance(days=1)
        assert (await confide.upkeep.preview()).over_quota == 3
        assert (await confide.upkeep.gc()).over_quota == 3
        archived = [
            one
            for one in (*faded, *lasting, *fresh)
            if await status(confide, one) is Status.ARCHIVED
        ]
        assert set(faded[1:]) < set(archived)
        assert set(archived) - set(faded) < set(fresh)
        assert await status(confide, theirs) is Status.APPROVED
        (notice,) = await confide.fading.archived(ALICE)
        assert (notice.because, notice.memories, notice.until) == (
            "quota",
            3,
            clock() + timedelta(days=30),
        )
        assert await confide.fading.archived(BOB) == []
        assert (await confide.upkeep.gc()).is_nothing


@pytest.mark.req("A16")
async def test_one_persons_flood_leaves_others_alone(open_confide: Any, clock: Clock) -> None:
    async with open_confide(max_entries=20) as confide:
        await kept(confide)
        await confide.remember_all(
            [
                statement(f"I count {n} sheep", by="human:bob", place="group:friends")
                for n in range(300)
            ]
        )
        assert (await confide.upkeep.gc()).over_quota == 280
        assert await told(confide) == 1
        assert [n.memories for n in await confide.fading.archived(BOB)] == [280]


@pytest.mark.req("A16")
async def test_a_quota_of_zero_is_no_cap_and_protected_ones_are_never_too_many(
    open_confide: Any,
) -> None:
    async with open_confide(max_entries=0) as confide:
        ids = [await kept(confide, f"I own {n} bees") for n in range(4)]
        assert (await confide.upkeep.gc()).is_nothing
    async with open_confide(max_entries=1) as confide:
        for id in ids:
            await confide.fading.protect(id, actor=AS_ALICE)
        assert (await confide.upkeep.preview()).is_nothing
        assert (await confide.upkeep.gc()).is_nothing


@pytest.mark.req("A15")
async def test_a_hundred_runs_equal_one(open_confide: Any, clock: Clock) -> None:
    async with open_confide(max_entries=3) as confide:
        for n in range(5):
            await kept(confide, f"I own {n} bees")
            await kept(confide, f"I see {n} bees", kind="observation")
        await told(confide)
        clock.advance(days=10)
        await confide.upkeep.gc()
        once = await everything(confide)
        for _ in range(99):
            assert (await confide.upkeep.gc()).is_nothing
        assert await everything(confide) == once


@pytest.mark.req("A15")
async def test_replaced_and_rejected_memories_stay_a_year_as_history(
    confide: Confide, clock: Clock
) -> None:
    old = await kept(confide, "I live in Paris")
    waiting = await kept(confide, "I maybe sail", confidence=0.1)
    await confide.review.reject(waiting, actor=AS_ALICE)
    new = await kept(confide, "I live in Rome", confidence=0.1)
    await confide.review.approve(new, actor=AS_ALICE)
    assert await status(confide, old) is Status.SUPERSEDED
    clock.advance(days=364)
    await confide.upkeep.gc()
    clock.advance(days=1)
    await confide.upkeep.gc()
    assert await status(confide, old) is Status.SUPERSEDED, "marked, and not yet gone"
    clock.advance(days=30)
    assert (await confide.upkeep.gc()).cleared == 2
    assert (await status(confide, old), await status(confide, waiting)) == (None, None)
    assert await status(confide, new) is Status.APPROVED


async def test_history_may_be_kept_for_ever(open_confide: Any, clock: Clock) -> None:
    async with open_confide(history_days="never") as confide:
        id = await kept(confide, "I maybe sail", confidence=0.1)
        await confide.review.reject(id, actor=AS_ALICE)
        clock.advance(days=5000)
        await confide.upkeep.gc()
        clock.advance(days=5000)
        assert (await confide.upkeep.gc()).is_nothing
        assert await status(confide, id) is Status.REJECTED


@pytest.mark.req("A15", "S23")
async def test_the_access_log_ends_after_ninety_days(confide: Confide, clock: Clock) -> None:
    id = await kept(confide)
    await told(confide)
    clock.advance(days=89)
    await told(confide)
    clock.advance(days=1)
    assert (await confide.upkeep.gc()).tellings == 1
    assert len(await confide.tellings(id, actor=AS_ALICE)) == 1
    assert (await confide.trail.verify()).is_sound


@pytest.mark.req("A15")
async def test_a_soft_delete_past_its_undo_goes_for_good(confide: Confide, clock: Clock) -> None:
    id = await kept(confide)
    await confide.forget(id, actor=AS_ALICE)
    clock.advance(hours=23)
    assert (await confide.upkeep.gc()).is_nothing
    clock.advance(hours=2)
    assert (await confide.upkeep.preview()).erasures == 1
    assert (await confide.upkeep.gc()).erasures == 1
    assert await status(confide, id) is None


async def test_a_clock_that_jumps_ahead_and_back_erases_nothing(
    confide: Confide, clock: Clock
) -> None:
    lasting = await kept(confide)
    ended = await kept(confide, "I saw a wasp", kind="observation")
    old = await kept(confide, "I maybe sail", confidence=0.1)
    await confide.review.reject(old, actor=AS_ALICE)
    clock.advance(days=36_500)
    for _ in range(3):
        await confide.upkeep.gc()
    clock.advance(days=-36_500)
    await confide.upkeep.gc()
    assert await status(confide, lasting) is Status.APPROVED
    assert await status(confide, old) is Status.REJECTED
    await confide.restore(ended, actor=AS_ALICE)
    assert await told(confide, question="who saw a wasp?") == 1


async def test_upkeep_runs_at_start_and_daily_by_one_of_many(
    open_confide: Any, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs: list[object] = []
    real = gc.Upkeep.gc

    async def counted(self: gc.Upkeep, **how: Any) -> Collected:
        runs.append(self)
        return await real(self, **how)

    monkeypatch.setattr(gc.Upkeep, "gc", counted)
    async with open_confide(learn=False) as one, open_confide(learn=False) as two:
        await asyncio.gather(*(each.upkeep.daily() for each in (one, two) for _ in range(3)))
        assert len(runs) == 1
        clock.advance(hours=23)
        await one.upkeep.daily()
        assert len(runs) == 1
        clock.advance(hours=1)
        await asyncio.gather(one.upkeep.daily(), two.upkeep.daily())
        assert len(runs) == 2
        clock.advance(days=-300)  # a clock that was ahead
        await one.upkeep.daily()
        assert len(runs) == 3
    clock.advance(hours=2)
    async with open_confide(learn=False) as one:
        await one.upkeep.daily()
        assert len(runs) == 4
    async with open_confide(learn=False, auto_gc=False) as off:
        clock.advance(days=9)
        await off.upkeep.daily()
        assert len(runs) == 4


async def test_learning_beside_does_the_upkeep(open_confide: Any, clock: Clock) -> None:
    async with open_confide(learn=False) as confide:
        id = await kept(confide, kind="observation")
        clock.advance(days=4)
        await confide.learning.learn()
        assert await status(confide, id) is Status.ARCHIVED


@pytest.mark.req("A15")
async def test_being_stopped_anywhere_does_no_harm(
    open_confide: Any, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each batch is whole or not there; the next run goes on."""
    monkeypatch.setattr(gc, "BATCH", 3)

    class Stopped(BaseException):
        pass

    async with open_confide(max_entries=4) as confide:
        ids = [await kept(confide, f"I see {n} bees", kind="observation") for n in range(10)]
        ids += [await kept(confide, f"I own {n} bees") for n in range(10)]
        clock.advance(days=4)
        for stop_after in (1, 2, 3, 4, 5):
            count = 0

            def progress(_part: str, _done: int, limit: int = stop_after) -> None:
                nonlocal count
                count += 1
                if count == limit:
                    raise Stopped

            try:
                await confide.upkeep.gc(progress=progress)
            except Stopped:
                continue
        await confide.upkeep.gc()
        found = [await status(confide, id) for id in ids]
        assert found.count(Status.ARCHIVED) == 16
        assert found[10:].count(Status.APPROVED) == 4
        assert (await confide.trail.verify()).is_sound
        assert (await confide.upkeep.gc()).is_nothing


STOPPED_IN_THE_MIDDLE = """
import asyncio, sys, time
from confide import Confide
from confide.keep import gc
gc.BATCH = 2

def progress(part, done):
    print(part, done, flush=True)
    time.sleep(60 if done >= int(sys.argv[3]) else 0)

async def main():
    async with Confide.open(sys.argv[1], agent=sys.argv[2], learn=False, max_entries=4) as confide:
        await confide.upkeep.gc(progress=progress)

asyncio.run(main())
"""


@pytest.mark.req("A15")
@pytest.mark.parametrize("batches", [1, 3])
async def test_a_program_killed_while_it_clears_away_loses_nothing(
    open_confide: Any, home: Path, agent: str, batches: int
) -> None:
    async with open_confide(max_entries=4) as confide:
        ids = [await kept(confide, f"I own {n} bees") for n in range(12)]
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", STOPPED_IN_THE_MIDDLE, str(home), agent, str(2 * batches),
        stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None
    for _ in range(batches):
        await process.stdout.readline()
    process.kill()
    await process.wait()
    async with open_confide(max_entries=4) as confide:
        found = [await status(confide, id) for id in ids]
        assert found.count(Status.ARCHIVED) == 2 * batches
        await confide.upkeep.gc()
        found = [await status(confide, id) for id in ids]
        assert (found.count(Status.ARCHIVED), found.count(Status.APPROVED)) == (8, 4)
        assert (await confide.trail.verify()).is_sound


async def test_two_runs_at_once_archive_no_more_than_one(open_confide: Any) -> None:
    async with open_confide(max_entries=10) as confide:
        await confide.remember_all(
            [statement(f"I count {n} sheep", by="human:bob", place="dm") for n in range(60)]
        )
        await asyncio.gather(*(confide.upkeep.gc() for _ in range(4)))
        (notice,) = await confide.fading.archived(BOB)
        assert notice.memories == 50


async def test_nothing_archived_is_told_to_anybody(confide: Confide, clock: Clock) -> None:
    id = await kept(confide, kind="observation", place="group:friends")
    clock.advance(days=4)
    await confide.upkeep.gc()
    for who, place in (
        ("human:alice", "dm"),
        ("human:alice", "group:friends"),
        ("human:bob", "dm"),
    ):
        assert not (await confide.recall("who keeps bees?", audience(who, place))).memories
    assert not await confide.memories(ALICE)
    with pytest.raises(NotFound):
        await confide.fading.protect(id, actor=AS_ALICE)


def test_gc_from_the_command_line_shows_before_it_acts(run: Run, ask: Ask) -> None:
    for n in range(3):
        ask("remember", f"I own {n} bees", "--by", "human:alice", "--in", "dm")
    shown = ask("gc", "--preview", CONFIDE_MAX_ENTRIES="1")
    assert shown["over_quota"] == 2
    assert ask("status")["memories"]["archived"] == 0
    done = ask("gc", CONFIDE_MAX_ENTRIES="1")
    assert done["over_quota"] == 2
    assert ask("status")["memories"]["archived"] == 2
    assert "Nothing is to be done." in run("gc", CONFIDE_MAX_ENTRIES="1").stdout
    status = ask("privacy", "status", "--as", "human:alice")
    assert [(one["because"], one["memories"]) for one in status["archived"]] == [("quota", 2)]
    listed = ask("archived", "--as", "human:alice")["memories"]
    assert ask("archived", "--as", "human:bob")["count"] == 0
    assert ask("restore", listed[0]["id"], "--as", "human:alice")["restored"]
    assert ask("archived", "--as", "human:alice")["count"] == 1


async def test_only_ones_own_words_are_listed_from_the_archive(
    confide: Confide, clock: Clock
) -> None:
    mine = await kept(confide, kind="observation")
    await kept(confide, "Carla sails", kind="observation", source="human:carla")
    await kept(confide, "I sail", by="human:bob", kind="observation", about=["human:alice"])
    clock.advance(days=4)
    await confide.upkeep.gc()
    assert [one.id for one in await confide.fading.restorable(actor=AS_ALICE)] == [mine]
    assert await confide.fading.restorable(actor=OPERATOR) == []
    await confide.rights.opt_out(ALICE, actor=AS_ALICE)
    assert await confide.fading.restorable(actor=AS_ALICE) == []
