"""The public question set is measured on where it lies; it is never part of the project."""

from tests.conftest import DATA

collect_ignore = [] if DATA.is_dir() else ["test_policy_cells.py"]
