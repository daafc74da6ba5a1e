"""Small changes to the rule are noticed; those that are not change nothing, and are explained."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.planted.mutate import LEAST_KILLED, MODULES, count, run

EXPLAINED = Path(__file__).parents[2] / "docs" / "research" / "mutation.md"
#: How many changes to each module nobody can notice.
SURVIVORS = {"atoms": 2, "consent": 0, "disclosure": 2, "labels": 3, "places": 8, "policy": 5}


@pytest.mark.slow
@pytest.mark.planted
@pytest.mark.req("B2")
@pytest.mark.parametrize("module", MODULES)
def test_every_small_change_to_the_rule_is_noticed_or_explained(module: str) -> None:
    survivors = [str(one) for one in run(module)]
    unexplained = [one for one in survivors if one not in EXPLAINED.read_text("utf-8")]
    assert not unexplained, "explain them in docs/research/mutation.md, or better: test them"
    assert len(survivors) <= SURVIVORS[module], survivors


@pytest.mark.planted
@pytest.mark.req("B2")
def test_nearly_every_small_change_is_one_that_is_noticed() -> None:
    assert 1 - sum(SURVIVORS.values()) / count() >= LEAST_KILLED
