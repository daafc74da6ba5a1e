"""Small changes to the rule are noticed; those that are not change nothing, and are explained."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.planted.mutate import LEAST_KILLED, run

EXPLAINED = Path(__file__).parents[2] / "docs" / "mutation.md"


@pytest.mark.slow
@pytest.mark.planted
@pytest.mark.req("B2")
def test_nearly_every_small_change_to_the_rule_is_noticed() -> None:
    count, survivors = run()
    unexplained = [str(one) for one in survivors if str(one) not in EXPLAINED.read_text("utf-8")]
    assert not unexplained, "explain them in docs/mutation.md, or better: test them"
    assert (count - len(survivors)) / count >= LEAST_KILLED
