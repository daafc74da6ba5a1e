"""The store without the verbs around it. Without a database these tests fail; they never skip."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.conftest import DATA

from confide.config import read_settings
from confide.store.database import Database
from confide.store.opening import open_database

# The public question set is measured on where it lies; it is never part of the project.
collect_ignore = [] if DATA.is_dir() else ["test_policy_cells.py"]


@pytest.fixture
async def database(home: Path, agent: str) -> AsyncIterator[Database]:
    opened = await open_database(read_settings(home=home, agent=agent))
    yield opened
    await opened.close()
