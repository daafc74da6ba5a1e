"""Nothing is lost or learned twice, whoever dies when."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow
MATRIX = Path(__file__).with_name("crash_matrix.py")


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    """One run of the matrix. `crash_matrix.py --repeat 20` is the long one."""
    done = subprocess.run(
        [sys.executable, str(MATRIX)], capture_output=True, text=True, timeout=900, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.req("S11", "S12")
def test_workers_killed_at_every_step_lose_nothing_and_double_nothing(found) -> None:
    killed = {name: one for name, one in found.items() if name.startswith("killed at")}
    assert len(killed) >= 12
    assert all(one["kills"] == one["trials"] for one in killed.values()), killed
    assert {name: one for name, one in killed.items() if one["lost"] or one["doubled"]} == {}


@pytest.mark.req("S11")
def test_a_worker_that_slept_longer_than_its_lease_is_fenced(found) -> None:
    stopped = [one for name, one in found.items() if name.startswith("stopped at")]
    assert stopped
    assert all((s["stops"], s["lost"], s["doubled"]) == (s["trials"], 0, 0) for s in stopped)


@pytest.mark.req("S11")
def test_postgresql_killed_in_the_middle_loses_nothing(found) -> None:
    killed = [one for name, one in found.items() if name.startswith("database")]
    assert killed
    assert all((one["lost"], one["doubled"]) == (0, 0) for one in killed)


@pytest.mark.planted
def test_a_naive_worker_doubles_what_it_learns(found) -> None:
    """The control: if this one came through, the matrix would prove nothing."""
    assert found["control, killed"]["doubled"] > 0
    assert found["control, stopped"]["doubled"] > 0
