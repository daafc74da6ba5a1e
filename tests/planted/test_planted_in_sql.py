"""Known mistakes in the database's half of the rule, in a database of their own."""

from __future__ import annotations

import shutil
import tempfile
import uuid
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.planted.plants import SQL_PLANTS, Plant
from tests.privacy import small_worlds as small
from tests.privacy.stored import (
    TEXT_TABLES,
    store_labels,
    store_memories,
    store_world,
    telling,
)
from tests.privacy.test_telling_role import ALICES, EVERYONES, NOT_LIVE, TO_BOB, keep_one, seen

from confide.config import read_settings
from confide.errors import UnsafeStore
from confide.privacy.consent import apply_consents
from confide.privacy.labels import label
from confide.privacy.policy import Label, decide
from confide.store import embedded
from confide.store.checks import demand_safety
from confide.store.database import BEGIN_TELLING, Database
from confide.store.migrate import policy_text
from confide.store.opening import open_database

pytestmark = pytest.mark.planted
BEGIN_OWNING = "BEGIN; SET LOCAL ROLE confide_migrate; SET LOCAL ROLE confide_owner"


@pytest.fixture(scope="module")
def scratch() -> Iterator[Path]:
    """A server of its own: a mistake in a shared one would fail everybody's tests."""
    folder = Path(tempfile.mkdtemp(prefix="confide-planted-"))
    lease = embedded.start(folder, idle_seconds=60)
    yield folder
    lease.release()
    embedded.stop(folder)
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
async def planted(scratch: Path) -> AsyncIterator[Database]:
    """A fresh agent, and the policy as it should be again afterwards."""
    settings = read_settings(home=scratch, agent=f"t{uuid.uuid4().hex[:12]}")
    database = await open_database(settings)
    yield database
    await _state(database, policy_text())
    await database.close()


async def _state(database: Database, text: str) -> None:
    async with database._transaction(BEGIN_OWNING) as connection:
        await connection.execute("SET LOCAL client_min_messages = warning")
        await connection.execute(text)


async def test_the_jury_finds_nothing_wrong_with_the_database_as_it_is(planted: Database) -> None:
    assert not [wrong async for wrong in _verdicts(planted)]


@pytest.mark.req("B1", "B2")
@pytest.mark.parametrize("plant", SQL_PLANTS, ids=lambda plant: plant.mistake)
async def test_a_mistake_planted_in_sql_is_noticed(planted: Database, plant: Plant) -> None:
    text = policy_text()
    assert plant.old in text, "the plant no longer fits: plant it in today's words"
    await _state(planted, text.replace(plant.old, plant.new))
    async for _wrong in _verdicts(planted):
        return
    pytest.fail(f"nobody noticed: {plant.mistake}")


async def _verdicts(database: Database) -> AsyncIterator[str]:
    """What is wrong, the cheapest to find first."""
    async with database._pool.acquire() as connection:
        try:
            await demand_safety(connection)
        except UnsafeStore as hole:
            yield str(hole)
    async for wrong in _wrong_rows(database):
        yield wrong
    async for wrong in _wrong_labels(database):
        yield wrong


async def _wrong_rows(database: Database) -> AsyncIterator[str]:
    alive = await keep_one(database, EVERYONES)
    await keep_one(database, ALICES)
    for state, change in NOT_LIVE.items():
        await keep_one(database, EVERYONES, change)
        for table in TEXT_TABLES:
            if await seen(database, TO_BOB, table) != {alive}:
                yield f"{state}: {table}"
    for evidence_label, memory_label in ((ALICES, EVERYONES), (EVERYONES, ALICES)):
        await _evidence(database, memory_label, evidence_label)
        if await seen(database, TO_BOB, "evidence") != {alive}:
            yield "evidence that may not be told"
    for agent in (database.agent, "somebody-else"):
        async with database._transaction(BEGIN_TELLING) as connection:
            await connection.execute("SELECT set_config('confide.agent', $1, true)", agent)
            if agent != database.agent:
                every = "{" + ",".join(map(str, range(1, 50))) + "}"
                await connection.execute("SELECT set_config('confide.labels', $1, true)", every)
            for table in TEXT_TABLES:
                if await connection.fetch(f"SELECT 1 FROM confide.{table}"):
                    yield f"{table} without an audience"


async def _evidence(database: Database, memory_label: Label, evidence_label: Label) -> None:
    id = await keep_one(database, memory_label)
    async with database.keep() as connection:
        (label_id,) = await store_labels(connection, database.agent, [evidence_label])
        await connection.execute(
            "UPDATE confide.evidence SET label_id = $3 WHERE agent = $1 AND memory_id = $2",
            database.agent,
            id,
            label_id,
        )


async def _wrong_labels(database: Database) -> AsyncIterator[str]:
    """A sample of the small worlds, with somebody in them who has left."""
    facts = small.worlds()[1]
    world = replace(facts.world())
    said = list(small.sayings())[::17]
    labels = [apply_consents(label(one.origin), one.consents, {}) for one in said]
    async with database.keep() as connection:
        await connection.execute("DELETE FROM confide.memory WHERE agent = $1", database.agent)
        await store_world(connection, database.agent, world)
        await _somebody_left(connection, database.agent)
        ids = await store_labels(connection, database.agent, labels)
        await store_memories(connection, database.agent, ids, world.now)
    async with telling(database, world) as teller:
        for audience in small.audiences(facts):
            visible = await teller.visible(audience)
            for one, id in zip(labels, ids, strict=True):
                if decide(one, audience, world).told != (id in visible):
                    yield f"{audience}"


async def _somebody_left(connection: Any, agent: str) -> None:
    for place in (small.CHAT, small.MODS):
        await connection.execute(
            "INSERT INTO confide.place_member (agent, place, entity, joined_epoch, left_epoch)"
            " VALUES ($1, $2, $3, 0, 1)",
            agent,
            place.id,
            str(small.CAROL),
        )
