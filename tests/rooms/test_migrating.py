"""A store of the version before statements had a time is migrated, and nothing in it becomes wider."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.store.conftest import Scratch, scratch_in

from confide import audience, statement
from confide.recall.audience import tell_to
from confide.store.database import Database, connect_pool
from confide.store.migrate import migrate
from confide.store.queries import migration_files

#: Rows that version 0020 kept of a small town, and to whom it told which of them.
BEFORE = json.loads((Path(__file__).parent / "before_rooms.json").read_text(encoding="utf-8"))
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
AGENT, LAST = "old", 20


def _literal(value: str | None) -> str:
    return "NULL" if value is None else "'" + value.replace("'", "''") + "'"


def _rows() -> str:
    statements = ["SET session_replication_role = replica"]
    for table, kept in BEFORE["kept"].items():
        rows = ", ".join(f"({', '.join(map(_literal, row))})" for row in kept["rows"])
        if rows:
            columns = ", ".join(kept["columns"])
            statements.append(
                f"INSERT INTO confide.{table} ({columns}) OVERRIDING SYSTEM VALUE VALUES {rows}"
            )
    return "; ".join(statements)


@pytest.fixture
async def migrated(home: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Database]:
    older = [one for one in migration_files() if one[0] <= LAST]
    async with scratch_in(home) as scratch:
        await _fill(scratch, older, monkeypatch)
        await migrate(scratch.login)
        pool = await connect_pool(scratch.login, 2)
        yield Database(pool, AGENT)
        await pool.close()


async def _fill(scratch: Scratch, older: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("confide.store.migrate.migration_files", lambda: older)
        patch.setattr("confide.store.migrate.policy_text", lambda: "SELECT 1")
        await migrate(scratch.login)
    await scratch.as_superuser(_rows())


@pytest.mark.req("S20", "B13", "S3")
async def test_nothing_becomes_wider(migrated: Database) -> None:
    told = 0
    for one in BEFORE["told"]:
        async with tell_to(migrated, audience(one["asker"], one["place"]), NOW) as telling:
            rows = await telling.connection.fetch("SELECT id FROM confide.memory")
        now = {str(row["id"]) for row in rows}
        assert now <= set(one["told"]), one
        told += len(now)
    # What is told less is told in announcement channels, which people outside read too.
    lost = sum(len(one["told"]) for one in BEFORE["told"]) - told
    there = sum(len(one["told"]) for one in BEFORE["told"] if "news" in one["place"])
    assert lost <= there


@pytest.mark.req("K5")
async def test_a_granted_memory_is_now_theirs_who_told_it(migrated: Database) -> None:
    async with migrated.keep() as connection:
        owners = await connection.fetch(
            "SELECT DISTINCT owner FROM confide.memory WHERE agent = $1 AND scope = 'granted'",
            AGENT,
        )
    assert [row["owner"] for row in owners] == ["human:ann"]


@pytest.mark.req("B13")
async def test_who_had_left_does_not_come_back_by_speaking(migrated: Database) -> None:
    place = statement("-", by="human:ben", place="group:chat").place
    heard = audience("human:ben", place)
    async with tell_to(migrated, heard, NOW) as telling:
        assert not await telling.connection.fetch(
            "SELECT id FROM confide.memory WHERE place = 'chat'"
        )
    async with migrated.keep() as connection:
        inside = await connection.fetch(
            "SELECT entity FROM confide.place_member"
            " WHERE agent = $1 AND place = 'chat' AND left_epoch IS NULL ORDER BY 1",
            AGENT,
        )
    assert [row["entity"] for row in inside] == ["human:ann", "human:cleo"]
