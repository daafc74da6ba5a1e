"""Tests that measure against public data run only where that data is."""

import pytest
from benchmarks.screening.datasets import PUBLIC

from confide.screen import Screen

collect_ignore = [] if PUBLIC.is_dir() else ["test_public_data.py"]


def pytest_report_header() -> str:
    there = "measured too" if PUBLIC.is_dir() else "not there, those tests are left out"
    return f"screening against public data: {there}"


@pytest.fixture(scope="session")
def screen() -> Screen:
    return Screen()
