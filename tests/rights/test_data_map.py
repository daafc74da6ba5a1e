"""docs/data-map.md lists every column of the live schema, once."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from confide import Confide

MAP = Path(__file__).parents[2] / "docs" / "data-map.md"
COLUMN = re.compile(r"`([a-z_]+\.[a-z_]+)`")


def listed() -> Counter[str]:
    """What the tables and the lists of what is not personal name; prose does not count."""
    found: Counter[str] = Counter()
    is_list = False
    for line in MAP.read_text(encoding="utf-8").splitlines():
        is_list = line.startswith("Not personal:") or (is_list and bool(line.strip()))
        if line.startswith("| `"):
            found.update(COLUMN.findall(line.split("|")[1]))
        elif is_list:
            found.update(COLUMN.findall(line))
    return found


@pytest.mark.req("S21", "B5")
async def test_the_data_map_lists_every_column_of_the_schema_once(confide: Confide) -> None:
    async with confide.database.keep() as connection:
        rows = await connection.fetch(
            "SELECT c.relname || '.' || a.attname AS name FROM pg_attribute a"
            " JOIN pg_class c ON c.oid = a.attrelid"
            " WHERE c.relnamespace = 'confide'::regnamespace AND c.relkind IN ('r', 'p')"
            " AND a.attnum > 0 AND NOT a.attisdropped"
        )
    live, found = {row["name"] for row in rows}, listed()
    missing = sorted(live - set(found))
    assert not missing, f"say in docs/data-map.md what these are for: {', '.join(missing)}"
    gone = sorted(set(found) - live)
    assert not gone, f"docs/data-map.md lists columns that are gone: {', '.join(gone)}"
    assert not [name for name, times in found.items() if times > 1]


def test_every_personal_column_says_why_how_long_and_how_it_goes() -> None:
    rows = [line for line in MAP.read_text(encoding="utf-8").splitlines() if line.startswith("| `")]
    assert len(rows) > 30
    for row in rows:
        cells = [cell.strip() for cell in row.strip("|").split("|")]
        assert len(cells) == 4, row
        assert all(cells), row
