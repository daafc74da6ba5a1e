"""Recalls on hot standbys: what is told, what is not, and what becomes of a standby that is lost."""

from __future__ import annotations

import asyncio
import time
import uuid
from contextlib import suppress

import pytest

from confide import Confide, audience, operator_as, statement
from confide.errors import ConfideError, StorageProblem, StoreUnavailable
from confide.recall.search import Wanted, search

from .conftest import Machines, Opened, Spied, has_standby, told, unguarded, until
from .narrowing import ALICE, CASES, QUESTION, WORDS, Case, forget_now

pytestmark = pytest.mark.database


@pytest.mark.req("S23", "A17")
async def test_a_standby_answers_and_the_primary_keeps_the_log(
    replicated: Confide, machines: Machines, spied: Spied
) -> None:
    kept = await replicated.remember(statement(WORDS, by=ALICE, place="dm"))
    await machines.caught_up()
    await has_standby(replicated)
    assert await told(replicated, QUESTION, audience(ALICE, "dm")) == [WORDS]
    assert len(spied.answers) == 1
    logged = await replicated.tellings(kept.id, actor=operator_as(ALICE))
    assert [one.place_kind for one in logged] == ["direct"]


@pytest.mark.req("B1", "B23")
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
async def test_what_was_narrowed_is_not_told_by_a_standby_that_has_not_replayed_it(
    case: Case, replicated: Confide, machines: Machines, spied: Spied
) -> None:
    narrowing = await case(replicated)
    await told(replicated, "is anybody here?", narrowing.to)  # the place becomes known
    await machines.caught_up()
    await has_standby(replicated)
    assert narrowing.words in await told(replicated, QUESTION, narrowing.to)
    assert spied.answers, "no standby was asked, so this would prove nothing"
    await machines.pause()
    try:
        started = time.monotonic()
        await narrowing.act()
        assert time.monotonic() - started < 2, "a write waited for a standby"
        assert narrowing.words in await _believed(replicated, machines, narrowing.to)
        for _ in range(3):
            assert narrowing.words not in await told(replicated, QUESTION, narrowing.to)
    finally:
        await machines.resume()


async def _believed(confide: Confide, machines: Machines, to: object) -> list[str]:
    """What a standby says to whoever does not ask the primary."""
    now, vector = confide.means.clock(), await confide.means.embedder.embed_query(QUESTION)
    async with unguarded(machines.standbys[0], confide.database.agent) as standby:
        found = await search(standby, to, now, QUESTION, vector, Wanted())  # type: ignore[arg-type]
    return [one.memory.text for one in found.found]


@pytest.mark.req("B23")
async def test_what_is_narrowed_between_reading_and_telling_is_not_told(
    replicated: Confide, machines: Machines, spied: Spied
) -> None:
    """As if the program slept after it had read."""
    narrowing = await forget_now(replicated)
    await machines.caught_up()
    await has_standby(replicated)

    async def falls_asleep(context: object) -> frozenset[uuid.UUID]:
        if len(spied.answers) == 1:
            with suppress(ConfideError):
                await narrowing.act()
        return frozenset()

    context = await replicated.recall_for(QUESTION, narrowing.to, falls_asleep)
    assert spied.answers
    assert not context.memories


async def test_a_standby_that_lags_is_not_asked(opened_on: Opened, machines: Machines) -> None:
    async with opened_on(replica_seconds=0.5) as confide:
        await has_standby(confide)
        await machines.pause()
        try:
            await until(_nobody_fit(confide), seconds=5)
        finally:
            await machines.resume()
        await has_standby(confide)


async def test_a_killed_standby_delays_nothing_and_is_asked_again_when_it_is_back(
    replicated: Confide, machines: Machines, spied: Spied
) -> None:
    kept = await replicated.remember(statement(WORDS, by=ALICE, place="dm"))
    await machines.caught_up()
    await has_standby(replicated)
    for standby in machines.standbys:
        standby.kill()
    try:
        started = time.monotonic()
        assert await told(replicated, QUESTION, audience(ALICE, "dm")) == [WORDS]
        await replicated.forget(kept.id, actor=operator_as(ALICE), now=True)
        assert await told(replicated, QUESTION, audience(ALICE, "dm")) == []
        assert time.monotonic() - started < 5
    finally:
        for standby in machines.standbys:
            standby.start()
    await has_standby(replicated)
    before = len(spied.answers)
    assert await told(replicated, QUESTION, audience(ALICE, "dm")) == []
    assert len(spied.answers) == before + 1


async def test_a_frozen_standby_is_waited_for_once_and_not_long(
    replicated: Confide, machines: Machines
) -> None:
    await replicated.remember(statement(WORDS, by=ALICE, place="dm"))
    await machines.caught_up()
    await has_standby(replicated)
    for standby in machines.standbys:
        standby.freeze()
    try:
        async with asyncio.timeout(8):
            assert await told(replicated, QUESTION, audience(ALICE, "dm")) == [WORDS]
        await until(_nobody_fit(replicated), seconds=8)
    finally:
        for standby in machines.standbys:
            standby.thaw()
    await has_standby(replicated)


@pytest.mark.req("S23")
async def test_without_the_primary_nothing_is_told(
    replicated: Confide, machines: Machines, spied: Spied, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What cannot be logged is not told, though a standby knows it."""
    monkeypatch.setattr("confide.store.memories.PATIENCE", 1.0)
    await replicated.remember(statement(WORDS, by=ALICE, place="dm"))
    await machines.caught_up()
    await has_standby(replicated)
    machines.primary.freeze()
    try:
        with pytest.raises(StoreUnavailable):
            await replicated.recall(QUESTION, audience(ALICE, "dm"))
        assert spied.answers
    finally:
        machines.primary.thaw()
    assert await told(replicated, QUESTION, audience(ALICE, "dm")) == [WORDS]


async def test_another_program_without_replicas_narrows_as_well(
    replicated: Confide, opened_on: Opened, machines: Machines, spied: Spied
) -> None:
    kept = await replicated.remember(statement(WORDS, by=ALICE, place="dm"))
    await machines.caught_up()
    await has_standby(replicated)
    await machines.pause()
    try:
        async with opened_on(replica_urls=None) as other:
            await other.forget(kept.id, actor=operator_as(ALICE), now=True)
        assert await told(replicated, QUESTION, audience(ALICE, "dm")) == []
    finally:
        await machines.resume()


async def test_a_standby_is_no_primary(opened_on: Opened, machines: Machines) -> None:
    with pytest.raises(StorageProblem, match="CONFIDE_DATABASE_URL: this is a standby"):
        async with opened_on(database_url=machines.standbys[0].url, replica_urls=None):
            pass


async def test_a_standby_that_is_away_at_start_is_asked_later(
    opened_on: Opened, machines: Machines
) -> None:
    machines.standbys[0].kill()
    try:
        async with opened_on(replica_urls=machines.standbys[0].url) as confide:
            assert confide.database.replicas is not None
            assert confide.database.replicas.fittest() is None
            machines.standbys[0].start()
            await has_standby(confide)
    finally:
        if machines.standbys[0].process and machines.standbys[0].process.poll() is not None:
            machines.standbys[0].start()


def _nobody_fit(confide: Confide):  # type: ignore[no-untyped-def]
    async def holds() -> bool:
        return confide.database.replicas is not None and confide.database.replicas.fittest() is None

    return holds
