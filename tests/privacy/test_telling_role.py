"""What the telling role sees without any WHERE: exactly what may be told, and only while it may."""

from __future__ import annotations

import uuid
from typing import Any

import asyncpg
import pytest
from tests.privacy.facts import NOW, Facts, human
from tests.privacy.stored import (
    ADD_EVIDENCE,
    ADD_MEMORIES,
    ADD_VECTORS,
    ADD_WORDS,
    TEXT_TABLES,
    store_labels,
    telling,
)

from confide.model import Status
from confide.privacy.atoms import ALONE, ANYONE, entity
from confide.privacy.labels import ask, hear
from confide.privacy.places import direct
from confide.privacy.policy import Audience, Label
from confide.store.database import BEGIN_KEEPING, BEGIN_TELLING, Database

ALICE, BOB = human("alice"), human("bob")
EVERYONES = Label(frozenset({hear(ALICE, {ANYONE})}))
ALICES = Label(
    frozenset({hear(ALICE, {entity(ALICE)}), ask(ALICE, {entity(ALICE)}), ask(ALICE, {ALONE})})
)
WORLD = Facts(places={}, there={}, spaces={}).world()
TO_ALICE = Audience(asker=ALICE, place=direct(ALICE), viewers=frozenset({ALICE}))
TO_BOB = Audience(asker=BOB, place=direct(BOB), viewers=frozenset({BOB}))
NOT_LIVE = {
    **{
        status.value: f"status = '{status.value}', waits_because = 'review'"
        for status in Status
        if status is not Status.APPROVED
    },
    "expired": "expires_at = '2025-12-31'",
    "expiring this moment": f"expires_at = '{NOW.isoformat()}'",
    "opted out": "is_opted_out = true",
}


async def keep_one(database: Database, label: Label, change: str | None = None) -> uuid.UUID:
    """One memory with evidence, words and vectors, then changed."""
    id = uuid.uuid4()
    async with database.keep() as connection:
        (label_id,) = await store_labels(connection, database.agent, [label])
        await connection.execute(ADD_MEMORIES, database.agent, [id], [label_id], NOW)
        for add in (ADD_EVIDENCE, ADD_WORDS, ADD_VECTORS):
            await connection.execute(f"{add} AND id = '{id}'", database.agent)
        if change:
            await connection.execute(
                f"UPDATE confide.memory SET {change} WHERE agent = $1 AND id = $2",
                database.agent,
                id,
            )
    return id


async def seen(database: Database, audience: Audience, table: str) -> set[uuid.UUID]:
    async with telling(database, WORLD) as teller:
        await teller.visible(audience)
        column = "id" if table == "memory" else "memory_id"
        rows = await teller.connection.fetch(f"SELECT * FROM confide.{table}")
        return {row[column] for row in rows}


@pytest.mark.req("B1", "P4")
@pytest.mark.parametrize("state", NOT_LIVE)
async def test_only_what_is_live_is_there(database: Database, state: str) -> None:
    alive = await keep_one(database, EVERYONES)
    await keep_one(database, EVERYONES, NOT_LIVE[state])
    for table in TEXT_TABLES:
        assert await seen(database, TO_BOB, table) == {alive}


@pytest.mark.req("B1", "S2")
async def test_only_what_this_audience_may_hear_is_there(database: Database) -> None:
    for_all, for_alice = await keep_one(database, EVERYONES), await keep_one(database, ALICES)
    for table in TEXT_TABLES:
        assert await seen(database, TO_BOB, table) == {for_all}
        assert await seen(database, TO_ALICE, table) == {for_all, for_alice}


@pytest.mark.req("B1", "S5")
async def test_evidence_needs_its_own_label_and_that_of_its_memory(database: Database) -> None:
    async with database.keep() as connection:
        everyones, alices = await store_labels(connection, database.agent, [EVERYONES, ALICES])
    promoted, private = await keep_one(database, EVERYONES), await keep_one(database, ALICES)
    async with database.keep() as connection:
        for memory, label_id in ((promoted, alices), (private, everyones)):
            await connection.execute(
                "UPDATE confide.evidence SET label_id = $3 WHERE agent = $1 AND memory_id = $2",
                database.agent,
                memory,
                label_id,
            )
    assert await seen(database, TO_BOB, "memory") == {promoted}
    assert await seen(database, TO_BOB, "evidence") == set()
    assert await seen(database, TO_ALICE, "evidence") == {promoted, private}


@pytest.mark.req("B1")
async def test_without_an_audience_nothing_is_there(database: Database) -> None:
    await keep_one(database, EVERYONES)
    async with database._transaction(BEGIN_TELLING) as connection:
        await _expect_nothing(connection)
        await connection.execute("SELECT set_config('confide.agent', $1, true)", database.agent)
        await _expect_nothing(connection)


@pytest.mark.req("B1")
async def test_an_audience_ends_with_its_transaction(database: Database) -> None:
    """A setting that was local comes back as the empty string, which must mean nobody."""
    await keep_one(database, EVERYONES)
    async with database._pool.acquire() as connection:
        await connection.execute(BEGIN_TELLING)
        await connection.execute(
            "SELECT set_config('confide.agent', $1, true), set_config('confide.labels', '{1}', true)",
            database.agent,
        )
        await connection.execute("COMMIT")
        await connection.execute(BEGIN_TELLING)
        assert await connection.fetchval("SELECT current_setting('confide.labels', true)") == ""
        await _expect_nothing(connection)
        await connection.execute("ROLLBACK")


async def _expect_nothing(connection: Any) -> None:
    for table in TEXT_TABLES:
        assert not await connection.fetch(f"SELECT * FROM confide.{table}")


@pytest.mark.req("B1", "K9")
async def test_another_agents_rows_are_not_there(database: Database) -> None:
    await keep_one(database, EVERYONES)
    async with telling(database, WORLD, agent="somebody-else") as teller:
        await teller.visible(TO_BOB)
        await teller.connection.execute(
            "SELECT set_config('confide.labels', $1, true)",
            "{" + ",".join(map(str, range(1, 99))) + "}",
        )
        await _expect_nothing(teller.connection)
    async with database._transaction(BEGIN_KEEPING) as connection:
        await connection.execute("SELECT set_config('confide.agent', 'somebody-else', true)")
        await _expect_nothing(connection)


@pytest.mark.req("B1", "K17")
@pytest.mark.parametrize(
    "act",
    [
        "UPDATE confide.memory SET status = 'approved'",
        "DELETE FROM confide.memory",
        "INSERT INTO confide.opt_out (agent, entity, since) VALUES ('a', 'human:a', now())",
        "SELECT * FROM confide.consent",
        "SELECT * FROM confide.telling",
        "SELECT * FROM confide.asked",
        "RESET ROLE; SELECT * FROM confide.memory",
        "ALTER TABLE confide.memory NO FORCE ROW LEVEL SECURITY",
        "DROP POLICY tell ON confide.memory",
    ],
)
async def test_the_telling_role_can_do_nothing_else(database: Database, act: str) -> None:
    with pytest.raises((asyncpg.InsufficientPrivilegeError, asyncpg.ReadOnlySQLTransactionError)):
        async with database._transaction(BEGIN_TELLING) as connection:
            await connection.execute(act)


@pytest.mark.req("B1")
async def test_row_level_security_is_forced_on_every_table(database: Database) -> None:
    async with database._transaction(BEGIN_TELLING) as connection:
        loose = await connection.fetch(
            "SELECT relname FROM pg_class WHERE relnamespace = 'confide'::regnamespace"
            " AND relkind IN ('r', 'p') AND NOT (relrowsecurity AND relforcerowsecurity)"
        )
    assert {row["relname"] for row in loose} <= {"migration", "policy_version"}
