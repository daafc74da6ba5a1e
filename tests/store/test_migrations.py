"""The schema: built in order, by one program at a time, never by an older one."""

from __future__ import annotations

import asyncio

import asyncpg
import pytest

from confide.errors import StoreTooNew
from confide.store.migrate import migrate
from confide.store.queries import migration_files

from .conftest import Scratch


async def test_migrating_twice_changes_nothing_the_second_time(scratch: Scratch) -> None:
    assert await migrate(scratch.login) == [name for _, name, _ in migration_files()]
    assert await migrate(scratch.login) == []


async def test_two_programs_that_meet_an_empty_database_migrate_it_once(scratch: Scratch) -> None:
    done = await asyncio.gather(*(migrate(scratch.login) for _ in range(4)))
    assert sorted(name for names in done for name in names) == [n for _, n, _ in migration_files()]


async def test_a_schema_newer_than_the_program_is_refused_with_the_fix(scratch: Scratch) -> None:
    await migrate(scratch.login)
    await scratch.as_superuser("INSERT INTO confide.migration VALUES (9999, '9999_future.sql')")
    with pytest.raises(StoreTooNew, match="update confide"):
        await migrate(scratch.login)


async def test_a_changed_policy_is_stated_again(scratch: Scratch) -> None:
    await migrate(scratch.login)
    await scratch.as_superuser(
        "DROP POLICY tell ON confide.memory", "UPDATE confide.policy_version SET digest = 'old'"
    )
    await migrate(scratch.login)
    connection = await asyncpg.connect(**scratch.login)
    try:
        stated = await connection.fetchval(
            "SELECT count(*) FROM pg_policy WHERE polrelid = 'confide.memory'::regclass"
            " AND polname = 'tell'"
        )
    finally:
        await connection.close()
    assert stated == 1


def test_migrations_are_numbered_without_gaps() -> None:
    numbers = [number for number, _, _ in migration_files()]
    assert numbers == list(range(1, len(numbers) + 1))


async def test_a_function_that_had_another_shape_is_stated_again(scratch: Scratch) -> None:
    await migrate(scratch.login)
    await scratch.as_superuser(
        "DROP FUNCTION confide.enter(text, jsonb, timestamptz)",
        "CREATE FUNCTION confide.enter(text, jsonb, timestamptz) RETURNS integer"
        " LANGUAGE sql AS 'SELECT 1'",
        "ALTER FUNCTION confide.enter(text, jsonb, timestamptz) OWNER TO confide_owner",
        "UPDATE confide.policy_version SET digest = 'old'",
    )
    await migrate(scratch.login)
    connection = await asyncpg.connect(**scratch.login)
    try:
        returns = await connection.fetchval(
            "SELECT pg_get_function_result('confide.enter(text, jsonb, timestamptz)'::regprocedure)"
        )
    finally:
        await connection.close()
    assert returns == "jsonb"
