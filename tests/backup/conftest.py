"""Stores of their own, for tests that replace one."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from confide.store import embedded

NewHome = Callable[[], Path]


@pytest.fixture
def new_home() -> Iterator[NewHome]:
    """Empty homes that are thrown away with their servers."""
    made: list[Path] = []

    def make() -> Path:
        made.append(Path(tempfile.mkdtemp(prefix="confide-test-")))
        return made[-1]

    yield make
    for folder in made:
        embedded.discard(folder)
        shutil.rmtree(folder, ignore_errors=True)
