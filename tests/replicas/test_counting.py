"""Which writes are counted as narrowing: all but those that are known to add, and these if they do not."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

import confide as package
from confide import Confide, audience, statement

from .deciding import CASES
from .narrowing import ALICE, IN_GROUP, WORDS, Case

SOURCE = Path(package.__file__).parent
#: Where a transaction may say that it only adds. Everything else is counted.
MAY_SAY_SO = {"remember/observe.py": 2, "remember/keep.py": 1}


async def counted(confide: Confide) -> int:
    async with confide.database.keep() as connection:
        return await connection.fetchval("SELECT sum(count) FROM confide.narrowing") or 0


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
    assert calls(lambda call: any(one.arg == "only_adds" for one in call.keywords)) == MAY_SAY_SO


@pytest.mark.req("B23")
def test_what_may_lag_only_notes_that_a_key_or_a_session_was_used() -> None:
    found = calls(lambda call: any(one.arg == "may_lag" for one in call.keywords))
    assert found == {"keep/keys.py": 2, "verbs/browser.py": 1}


@pytest.mark.req("B23")
def test_what_begins_no_transaction_of_its_own_logs_a_telling_or_renews_a_lease() -> None:
    """Nothing counts there."""
    found = calls(
        lambda call: isinstance(call.func, ast.Attribute) and call.func.attr == "keep_at_once"
    )
    assert found == {"store/memories.py": 1, "store/replicas.py": 1}


def calls(is_such: Callable[[ast.Call], bool]) -> dict[str, int]:
    found: Counter[str] = Counter()
    for file in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Call) and is_such(node):
                found[file.relative_to(SOURCE).as_posix()] += 1
    return dict(found)
