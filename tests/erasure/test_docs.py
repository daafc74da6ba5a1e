"""docs/erasure.md says of every table whether it goes or stays."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from confide import Confide
from confide.store.erasing import STAYS
from confide.store.tables import read_tables

PAGE = Path(__file__).parents[2] / "docs" / "erasure.md"


@pytest.mark.req("B5")
async def test_every_table_is_said_to_go_or_to_stay_and_why(confide: Confide) -> None:
    page = PAGE.read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`.+?) \|", page.split("## What stays")[1], re.MULTILINE)
    stays = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    going = page.split("Everything else goes:")[1].split("A test compares")[0]
    goes = set(re.findall(r"`(\w+)`", going))
    async with confide.database.keep() as connection:
        tables = {table.name for table in await read_tables(connection)}
    assert tables <= goes | stays, "say in docs/erasure.md whether it goes or stays"
    assert goes | stays <= tables, "the page names a table that is not there"
    # What goes with a person goes with everything; what stays of everything is listed.
    assert stays | {"api_key"} >= STAYS
