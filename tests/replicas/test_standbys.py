"""Recalls on hot standbys: what is told, what is not, and what becomes of a standby that is lost."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import pytest

from confide import Confide, audience, operator_as, statement
from confide.errors import ConfideError, NotRecognized, StorageProblem, StoreUnavailable
from confide.keep.keys import Wanted as Wish
from confide.recall.manner import wishes
from confide.recall.search import Wanted, search
from confide.store.keys import KeyKind
from confide.store.migrate import policy_digest
from confide.verbs.spaces import SpaceRules

from .conftest import Machines, Opened, Spied, has_standby, told, unguarded, until
from .deciding import CASES
from .narrowing import ALICE, BOB, QUESTION, WORDS, Case, Narrowing, forget_now

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
    assert narrowing.words in await told(replicated, narrowing.question, narrowing.to)
    assert spied.answers, "no standby was asked, so this would prove nothing"
    await machines.pause()
    try:
        await narrowing.act()  # paused standbys would hold up whatever waits for them
        assert narrowing.words in await _believed(replicated, machines, narrowing)
        for _ in range(3):
            assert narrowing.words not in await told(replicated, narrowing.question, narrowing.to)
    finally:
        await machines.resume()


async def _believed(confide: Confide, machines: Machines, narrowing: Narrowing) -> list[str]:
    """What a standby says to whoever does not ask the primary."""
    question = narrowing.question
    now, vector = confide.means.clock(), await confide.means.embedder.embed_query(question)
    async with unguarded(machines.standbys[0], confide.database.agent) as standby:
        found = await search(standby, narrowing.to, now, question, vector, Wanted())
    return [one.memory.text for one in (*found.found, *found.standing)]


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

    context = await replicated.recall_for(
        QUESTION, narrowing.to, falls_asleep, *wishes(replicated.settings)
    )
    assert spied.answers
    assert not context.memories


async def test_a_standby_that_lags_is_not_asked(opened_on: Opened, machines: Machines) -> None:
    async with opened_on(replica_seconds=0.5) as confide:
        await has_standby(confide)
        await machines.pause()
        try:
            await until(_nobody_fit(confide))
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
        async with asyncio.timeout(60):  # whatever waits for a dead standby waits for ever
            assert await told(replicated, QUESTION, audience(ALICE, "dm")) == [WORDS]
            await replicated.forget(kept.id, actor=operator_as(ALICE), now=True)
            assert await told(replicated, QUESTION, audience(ALICE, "dm")) == []
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
        async with asyncio.timeout(60):
            assert await told(replicated, QUESTION, audience(ALICE, "dm")) == [WORDS]
        await until(_nobody_fit(replicated))
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


@pytest.mark.req("B23")
async def test_a_write_that_only_the_standby_shows_does_not_stand_for_one_that_it_lacks(
    replicated: Confide, opened_on: Opened, machines: Machines, spied: Spied
) -> None:
    """A commit that waits for a synchronous standby is on the standby before the primary shows it."""
    kept = await replicated.remember(statement(WORDS, by=ALICE, place="dm"))
    other = await replicated.remember(statement("I like tea", by=BOB, place="dm"))
    # Whoever asks below does not wait; they count in another slot than the one that does.
    at_once = f"{machines.primary.url}?synchronous_commit=local"
    async with opened_on(database_url=at_once, pool_size=1) as asking:
        slot = await _slot(asking)
        async with opened_on(replica_urls=None, pool_size=1) as waiting:
            while await _slot(waiting) == slot:
                await waiting.database._pool.expire_connections()
            await machines.caught_up()
            await has_standby(asking)
            async with _waits_for_ever(machines):
                forgetting = asyncio.create_task(waiting.forget(other.id, actor=operator_as(BOB)))
                await until(lambda: machines.primary.ask(IS_WAITING))
                await machines.caught_up()
                await machines.pause()
                try:
                    await asking.forget(kept.id, actor=operator_as(ALICE))
                    assert not forgetting.done()
                    assert await told(asking, QUESTION, audience(ALICE, "dm")) == []
                    assert spied.answers, "no standby was asked, so this would prove nothing"
                finally:
                    await machines.resume()
            await forgetting


IS_WAITING = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"


@asynccontextmanager
async def _waits_for_ever(machines: Machines) -> AsyncIterator[None]:
    """Every commit waits for a standby that does not exist."""
    await _set(machines, "synchronous_standby_names", "'nobody'")
    try:
        yield
    finally:
        await _set(machines, "synchronous_standby_names", "''")


async def _set(machines: Machines, name: str, value: str) -> None:
    primary = machines.primary
    await primary.ask(f"ALTER SYSTEM SET {name} = {value}")
    await primary.ask("SELECT pg_reload_conf()")
    await until(lambda: primary.ask(f"SELECT current_setting('{name}') = {value}"))


async def _slot(confide: Confide) -> int:
    async with confide.database.keep() as connection:
        return await connection.fetchval("SELECT pg_backend_pid() % 16")


@pytest.mark.req("B23")
async def test_an_answer_under_the_rules_of_before_a_migration_is_not_told(
    replicated: Confide, machines: Machines, spied: Spied
) -> None:
    await replicated.remember(statement(WORDS, by=ALICE, place="dm"))
    await machines.caught_up()
    await has_standby(replicated)
    refused: list[object] = []
    for digest in ("'another'", f"'{policy_digest()}'"):
        await machines.pause()
        try:
            await machines.primary.ask(f"UPDATE confide.policy_version SET digest = {digest}")
            read = await _read_on_a_standby(replicated)
            refused.append(await _may_be_told(replicated, read))
        finally:
            await machines.resume()
        await machines.caught_up()
        assert await _may_be_told(replicated, await _read_on_a_standby(replicated))
    assert refused == [False, False]


async def _read_on_a_standby(confide: Confide) -> str:
    await has_standby(confide)
    assert confide.database.replicas is not None
    standby = confide.database.replicas.fittest()
    assert standby is not None
    vector = await confide.means.embedder.embed_query(QUESTION)
    to, now = audience(ALICE, "dm"), confide.means.clock()
    found = await search(standby, to, now, QUESTION, vector, Wanted())
    assert found.read_at is not None
    return found.read_at


async def _may_be_told(confide: Confide, read_at: str) -> bool:
    async with confide.database.keep() as connection:
        return await connection.fetchval(
            "SELECT confide.may_be_told($1, $2, 600)", confide.database.agent, read_at
        )


@pytest.mark.req("B23")
async def test_keys_and_switches_are_read_on_the_primary(
    replicated: Confide, machines: Machines
) -> None:
    """They decide before anything is asked, so a standby is no source for them."""
    wanted = Wish(kind=KeyKind.PERSONAL, name="phone", entity=ALICE)
    made = await replicated.keys.create(wanted, actor=operator_as())
    bot = Wish(kind=KeyKind.PLATFORM, name="bot", platform="discord")
    minter = await replicated.keys.create(bot, actor=operator_as())
    await replicated.keys.open_connections(ALICE, actor=operator_as(ALICE))
    await machines.caught_up()
    await has_standby(replicated)
    await machines.pause()
    try:
        assert await replicated.keys.recognize_minter(minter.key.id)
        for one in (made, minter):
            await replicated.keys.revoke(one.key.id, actor=operator_as())
        await replicated.keys.close_connections(ALICE, actor=operator_as(ALICE))
        off = SpaceRules(tells=False)
        await replicated.rules.decide("guild", off, actor=operator_as())
        standby, agent = machines.standbys[0], replicated.database.agent
        still = "SELECT count(*) FROM confide.{} WHERE agent = '" + agent + "'"
        assert await standby.ask(still.format("connection_opened")) == 1
        assert await standby.ask(still.format("api_key") + " AND revoked_at IS NULL") == 2
        assert await standby.ask(still.format("space_rules")) == 0
        with pytest.raises(NotRecognized):
            await replicated.keys.recognize(made.secret)
        with pytest.raises(NotRecognized):  # what stands behind each audience token
            await replicated.keys.recognize_minter(minter.key.id)
        assert not await replicated.keys.is_opened(ALICE)
        assert not (await replicated.rules.of("guild")).tells
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
