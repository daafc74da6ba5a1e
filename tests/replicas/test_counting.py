"""Which writes are counted as narrowing: all but those that are known to add, and these if they do not."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import confide as package
from confide import Confide, audience, statement

from .narrowing import ALICE, CASES, IN_GROUP, WORDS, Case

SOURCE = Path(package.__file__).parent
#: Where a transaction may say that it only adds. Everything else is counted.
MAY_SAY_SO = {"remember/observe.py": 2, "remember/keep.py": 1}


async def counted(confide: Confide) -> int:
    async with confide.database.keep() as connection:
        return await connection.fetchval("SELECT confide.narrowings($1)", confide.database.agent)


@pytest.mark.req("B23")
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
async def test_every_narrowing_write_is_counted(case: Case, confide: Confide) -> None:
    narrowing = await case(confide)
    before = await counted(confide)
    await narrowing.act()
    assert await counted(confide) > before


@pytest.mark.req("B23")
async def test_adding_and_asking_are_not_counted(confide: Confide) -> None:
    await confide.remember(statement("We meet at noon", by=ALICE, place=IN_GROUP))
    before = await counted(confide)
    await confide.remember(statement(WORDS, by=ALICE, place=IN_GROUP))
    await confide.recall("when do we meet?", audience(ALICE, IN_GROUP))
    assert await counted(confide) == before


@pytest.mark.req("B23")
def test_only_observing_and_remembering_say_that_they_only_add() -> None:
    said: dict[str, int] = {}
    for file in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Call) and any(one.arg == "only_adds" for one in node.keywords):
                name = file.relative_to(SOURCE).as_posix()
                said[name] = said.get(name, 0) + 1
    assert said == MAY_SAY_SO
