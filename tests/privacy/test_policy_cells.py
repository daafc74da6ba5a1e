"""Every question of the public set, through the rule and through the database."""

from __future__ import annotations

from itertools import groupby
from operator import attrgetter

import pytest
from tests.conftest import DATA
from tests.privacy.cells import Cell, read_cells
from tests.privacy.stored import TEXT_TABLES, store_labels, store_memories, store_world, telling

from confide.privacy.policy import decide
from confide.store.database import Database

CELLS = read_cells(DATA / "policy-cells.json")
WORLDS = {
    name: list(cells)
    for name, cells in groupby(
        sorted(CELLS, key=attrgetter("world_name")), key=attrgetter("world_name")
    )
}


@pytest.mark.req("B2")
@pytest.mark.parametrize("cell", CELLS, ids=attrgetter("id"))
def test_the_rule_answers_as_it_should(cell: Cell) -> None:
    decision = decide(cell.label, cell.audience, cell.world)
    assert decision.told == cell.is_told, f"{cell.says}: {decision.because}"


@pytest.mark.req("B1", "B2")
@pytest.mark.parametrize("name", WORLDS)
async def test_the_database_answers_as_it_should(database: Database, name: str) -> None:
    cells = WORLDS[name]
    world = cells[0].world
    async with database.keep() as connection:
        await store_world(connection, database.agent, world)
        ids = await store_labels(connection, database.agent, [cell.label for cell in cells])
        await store_memories(connection, database.agent, ids, world.now)
    wrong: list[str] = []
    async with telling(database, world) as teller:
        for cell, id in zip(cells, ids, strict=True):
            by_function = id in await teller.visible(cell.audience)
            shown = [id in await teller.rows(t) for t in TEXT_TABLES]
            if {by_function, *shown} != {cell.is_told}:
                wrong.append(f"{cell.id}: {cell.says} ({by_function}, {shown})")
    assert not wrong
