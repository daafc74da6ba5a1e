"""A standby becomes the primary while the former one still answers: neither it nor who follows it is
believed."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from confide import Confide, audience, operator_as, statement

from .conftest import Machines, has_standby, told, unguarded, until
from .narrowing import ALICE, QUESTION, WORDS
from .servers import cluster

pytestmark = pytest.mark.database
TO = audience(ALICE, "dm")


@pytest_asyncio.fixture(loop_scope="session")
async def split() -> AsyncIterator[Machines]:
    """The former primary, the one that took over, and a standby that follows the former."""
    with cluster(2) as (former, promoted, follower):
        await former.provision()
        for standby in (promoted, follower):
            standby.follow(former)
            standby.start()
        yield Machines(former, [promoted, follower])


@pytest.mark.req("B23")
async def test_after_a_promotion_whoever_follows_the_former_primary_is_not_believed(
    split: Machines, agent: str, tmp_path: Path
) -> None:
    former, (promoted, follower) = split.primary, split.standbys
    settings: dict[str, Any] = {
        "agent": agent,
        "learn": False,
        "auto_gc": False,
        "pool_size": 4,
        "auto_migrate": True,
    }
    async with Confide.open(tmp_path, database_url=former.url, **settings) as before:
        kept = await before.remember(statement(WORDS, by=ALICE, place="dm"))
        await split.caught_up()
        promoted.promote()
        left_behind = f"{former.url} {follower.url}"
        both: dict[str, Any] = settings | {
            "database_url": promoted.url,
            "replica_urls": left_behind,
        }
        async with Confide.open(tmp_path, **both) as after:
            assert await told(after, QUESTION, TO) == [WORDS]
            await after.forget(kept.id, actor=operator_as(ALICE), now=True)
            # The former one narrows something else, so that as many writes are counted on both.
            other = await before.remember(statement("I like tea", by=ALICE, place="dm"))
            await before.forget(other.id, actor=operator_as(ALICE), now=True)
            async with unguarded(former, agent) as believed:
                assert await _says(after, believed)
            for _ in range(10):
                assert await told(after, QUESTION, TO) == []
            assert after.database.replicas is not None
            assert after.database.replicas.fittest() is None
            await _pretend_fit(after)
            assert await told(after, QUESTION, TO) == []


@pytest.mark.req("B23")
async def test_a_program_that_lives_through_a_promotion_trusts_standbys_of_the_new_primary_only(
    split: Machines, agent: str, tmp_path: Path
) -> None:
    """Its lease was replicated to both sides before they parted."""
    former, (promoted, follower) = split.primary, split.standbys
    settings: dict[str, Any] = {
        "agent": agent, "learn": False, "auto_gc": False, "pool_size": 4, "auto_migrate": True,
        "database_url": former.url, "replica_urls": follower.url,
    }  # fmt: skip
    async with Confide.open(tmp_path, **settings) as confide:
        kept = await confide.remember(statement(WORDS, by=ALICE, place="dm"))
        await split.caught_up()
        await has_standby(confide)
        promoted.promote()
        # What a pooler does: the same address, another server.
        async with Confide.open(
            tmp_path, **(settings | {"database_url": promoted.url, "replica_urls": None})
        ) as new:
            confide.database._pool, pool = new.database._pool, confide.database._pool
            try:
                await confide.forget(kept.id, actor=operator_as(ALICE), now=True)
                await _pretend_fit(confide)
                assert await told(confide, QUESTION, TO) == []
                await until(_has_nobody(confide), seconds=5)
                await _pretend_fit(confide)
                assert await told(confide, QUESTION, TO) == []
            finally:
                confide.database._pool = pool


async def _says(confide: Confide, believed: Any) -> bool:
    from confide.recall.search import Wanted, search

    vector = await confide.means.embedder.embed_query(QUESTION)
    now = confide.means.clock()
    found = await search(believed, TO, now, QUESTION, vector, Wanted())
    return WORDS in [one.memory.text for one in found.found]


async def _pretend_fit(confide: Confide) -> None:
    """As in the moment before somebody looks: the check at the end has to do it alone."""
    assert confide.database.replicas is not None
    for standby in confide.database.replicas._standbys.values():
        if standby is not None:
            standby.is_fit = True


def _has_nobody(confide: Confide):  # type: ignore[no-untyped-def]
    async def holds() -> bool:
        return confide.database.replicas is not None and confide.database.replicas.fittest() is None

    return holds
