"""Behind a pooler in transaction mode: every transaction may meet another connection, which others
used a moment ago and will use next."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import asyncpg
import httpx
import pytest
from tests.conftest import Opened
from tests.http.conftest import Served, recalled, remembered, serving
from tests.http.pooler import Pooler, pooling
from tests.learn.speaking import say

from confide import Confide, Entity, audience, operator_as, statement
from confide.errors import StoreError
from confide.store.backup import digests
from confide.store.connection import is_pooled
from confide.store.scrub import scrub_server
from confide.store.tables import read_tables

AUDIENCES = 60
#: What a transaction of ours sets, and what the connection says of each after it.
LEFT_BEHIND = """SELECT current_user = session_user AS is_itself,
    current_setting('confide.labels', true) AS labels,
    current_setting('confide.agent', true) AS agent,
    current_setting('confide.actor', true) AS actor,
    current_setting('transaction_read_only') AS is_read_only,
    current_setting('enable_seqscan') AS seqscan,
    (SELECT count(*) FROM pg_prepared_statements) AS prepared,
    (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()) AS locks,
    (SELECT count(*) FROM pg_class WHERE relpersistence = 't') AS temporary"""
NOTHING = {
    "is_itself": True, "labels": "", "agent": "", "actor": "", "is_read_only": "off",
    "seqscan": "on", "prepared": 0, "locks": 0, "temporary": 0,
}  # fmt: skip


@pytest.fixture(scope="module")
def pooler(home: Path) -> Iterator[Pooler]:
    """One connection: whoever held one while waiting for another would wait for ever."""

    async def prepare() -> None:
        async with Confide.open(home, agent="pooler", learn=False):
            pass

    asyncio.run(prepare())
    with pooling(home, size=1) as started:
        yield started


@pytest.fixture
async def pooled(open_confide: Opened, pooler: Pooler) -> AsyncIterator[Confide]:
    """Nobody said that there is a pooler: it is found out."""
    async with open_confide(database_url=pooler.url, learn=False, similarity=-1) as confide:
        yield confide


@pytest.fixture
async def served(pooled: Confide) -> AsyncIterator[Served]:
    async with serving(pooled) as one:
        yield one


async def left_behind(pooler: Pooler) -> dict[str, Any]:
    connection = await asyncpg.connect(pooler.url, statement_cache_size=0)
    try:
        async with connection.transaction():
            found = dict(await connection.fetchrow(LEFT_BEHIND) or {})
    finally:
        await connection.close()
    return {name: one or "" if one is None else one for name, one in found.items()}


async def test_everyone_hears_their_own_canary_through_one_shared_connection(
    served: Served, pooler: Pooler
) -> None:
    local = await served.platform()

    async def live(n: int) -> None:
        who = {"asker": f"human:p{n}", "place": "dm"}
        text = f"My locker number is {n} and my bird is called canary{n}x"
        id = await remembered(local, text, by=f"human:p{n}", place="dm")
        assert await recalled(local, "what is my bird called?", **who) == {id}

    await asyncio.gather(*(live(n) for n in range(AUDIENCES)))
    assert await left_behind(pooler) == NOTHING


async def test_whoever_leaves_in_the_middle_leaves_nothing_behind(
    served: Served, pooler: Pooler
) -> None:
    local = await served.platform()
    ids = [
        await remembered(local, f"Locker {n} holds my umbrella", by=f"human:p{n}", place="dm")
        for n in range(8)
    ]

    async def leaves(n: int, after: float) -> None:
        asking = recalled(local, "where is my umbrella?", asker=f"human:p{n}", place="dm")
        writing = remembered(local, f"Shelf {n} is empty {after}", by=f"human:p{n}", place="dm")
        for one in (asking, writing):
            try:
                await asyncio.wait_for(one, after)
            except (TimeoutError, httpx.HTTPError):
                continue

    async def stays(n: int) -> bool:
        asked = {"asker": f"human:p{n}", "place": "dm"}
        found = await recalled(local, f"Locker {n} holds my umbrella", **asked)
        return ids[n] in found and not found & (set(ids) - {ids[n]})

    for after in (0.001, 0.01, 0.03, 0.06):
        kept = [stays(n) for n in range(8)]
        _, *heard = await asyncio.gather(
            asyncio.gather(*(leaves(n, after) for n in range(8))), *kept
        )
        assert heard == [True] * 8
    assert await left_behind(pooler) == NOTHING


async def test_a_cancelled_statement_is_ones_own(pooled: Confide) -> None:
    """A pooler that passes a cancellation on too late would end somebody else's statement."""
    await pooled.remember(statement("I own a boat", by="human:alice", place="dm"))

    async def asleep() -> None:
        async with pooled.database.keep() as connection:
            await connection.fetchval("SELECT pg_sleep(10)")

    async def asks() -> int:
        return len((await pooled.recall("boat?", audience("human:alice", "dm"))).memories)

    for _ in range(5):
        sleeping = [asyncio.create_task(asleep()) for _ in range(3)]
        asking = [asyncio.create_task(asks()) for _ in range(6)]
        await asyncio.sleep(0.05)
        for one in sleeping:
            one.cancel()
        assert await asyncio.gather(*asking) == [1] * 6


@pytest.mark.req("S11")
async def test_what_is_heard_is_learned_by_several_workers(
    pooled: Confide, open_confide: Opened, pooler: Pooler
) -> None:
    for n in range(10):
        text = f"I own {n + 2} maps of island{n}."
        await say(pooled, text, by=f"human:p{n}", place="group:maps", id=f"m{n}")
    await pooled.learning.make_due()
    async with open_confide(database_url=pooler.url, learn=False) as other:
        await asyncio.gather(pooled.learning.worker().drain(), other.learning.worker().drain())
    kept = [await pooled.memories(Entity("human", f"p{n}")) for n in range(10)]
    assert [len(one) for one in kept] == [1] * 10
    assert [one[0].source_count for one in kept] == [1] * 10
    assert await left_behind(pooler) == NOTHING


@pytest.mark.req("B5")
async def test_the_rest_of_a_life_passes_a_pooler(
    pooled: Confide, pooler: Pooler, tmp_path: Path
) -> None:
    """Erasure and its undoing, the daily work, what travels, what a backup reads."""
    alice = Entity.parse("human:alice")
    await pooled.remember(statement("I keep bees", by="human:alice", place="dm"))
    gone = await pooled.erasure.person(alice, actor=operator_as())
    assert not await pooled.memories(alice)
    await pooled.erasure.restore(gone.id, actor=operator_as())
    assert len(await pooled.memories(alice)) == 1
    await pooled.upkeep.daily()
    await pooled.stacks.export(Entity.parse("si:tutor"), actor=operator_as())
    agent = pooled.database.agent
    async with pooled.database.snapshot() as connection:  # as a backup does, but of one agent
        tables = await read_tables(connection)
        assert (await digests(connection, agent, tables))["memory"][0] == 1
        copied = await connection.copy_from_query(  # type: ignore[attr-defined]
            "SELECT id FROM confide.memory", output=tmp_path / "memories"
        )
        assert copied == "COPY 1"
    assert (await pooled.trail.verify()).problems == ()
    assert await left_behind(pooler) == NOTHING


async def test_programs_that_prepare_statements_meet_no_other_programs_statement(
    open_confide: Opened, pooler: Pooler
) -> None:
    """Forgetting the setting is the usual mistake: names of prepared statements would collide."""
    opening = {"database_url": pooler.url, "learn": False}
    async with open_confide(**opening) as one, open_confide(**opening) as other:
        await one.remember(statement("I own a boat", by="human:alice", place="dm"))
        heard = await other.recall("boat?", audience("human:alice", "dm"))
        assert len(heard.memories) == 1
    assert (await left_behind(pooler))["prepared"] == 0


async def test_a_pooler_is_told_from_a_server(confide: Confide, pooled: Confide) -> None:
    """Where there is none, statements stay prepared: planning one takes longer than a small recall."""
    for opened, is_there in ((confide, False), (pooled, True)):
        async with opened.database.keep() as connection:
            assert await is_pooled(connection) is is_there


async def test_tables_are_not_rewritten_through_a_pooler(pooler: Pooler) -> None:
    with pytest.raises(StoreError, match="address of the server itself"):
        await scrub_server(pooler.url)
    assert await left_behind(pooler) == NOTHING
