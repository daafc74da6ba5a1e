"""SQL equals `decide`, on random worlds in the real tables."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.privacy import strategies as some
from tests.privacy.stored import TEXT_TABLES, store_labels, store_memories, store_world, telling

from confide.config import read_settings
from confide.privacy.policy import Audience, Label, World, decide
from confide.store.database import Database
from confide.store.opening import open_database


@pytest.mark.req("B1", "B2")
@pytest.mark.drawn
def test_sql_equals_decide(home: Path, agent: str) -> None:
    """Not an async test: random examples and an event loop of pytest do not go together."""
    with asyncio.Runner() as runner:
        database = runner.run(open_database(read_settings(home=home, agent=agent)))

        @settings(max_examples=60, deadline=None)
        @given(st.integers(0, 2**48), st.lists(some.labels, max_size=4))
        def compare(seed: int, labels: list[Label]) -> None:
            chance = Random(seed)
            world = some.random_world(chance)
            audiences = [some.random_audience(chance, world) for _ in range(5)]
            fitting = [some.label_for(one, world, chance) for one in audiences for _ in range(3)]
            nobody = replace(audiences[0], viewers=frozenset())
            runner.run(_compare(database, world, [*labels, *fitting], [*audiences, nobody]))

        try:
            compare()
        finally:
            runner.run(database.close())


async def _compare(
    database: Database, world: World, labels: list[Label], audiences: list[Audience]
) -> None:
    async with database.keep() as connection:
        await connection.execute("DELETE FROM confide.memory WHERE agent = $1", database.agent)
        await store_world(connection, database.agent, world)
        ids = await store_labels(connection, database.agent, labels)
        await store_memories(connection, database.agent, ids, world.now)
    async with telling(database, world) as teller:
        for audience in audiences:
            visible = await teller.visible(audience)
            for label, id in zip(labels, ids, strict=True):
                decision = decide(label, audience, world)
                assert decision.told == (id in visible), (label, audience, decision)
            for table in TEXT_TABLES:
                assert await teller.rows(table) == visible & set(ids)
