"""Collected only where the public data sets are (see conftest.py)."""

import pytest
from benchmarks.screening import datasets

from confide.model import Sensitivity
from confide.screen import Screen, Screening


@pytest.fixture(scope="module")
def turns(screen: Screen) -> list[Screening]:
    return screen.look_all(datasets.locomo_turns())


@pytest.mark.req("A14")
def test_at_most_one_ordinary_turn_is_taken_for_a_secret(turns: list[Screening]):
    assert len(turns) == 5882
    assert sum(seen.secret is not None for seen in turns) <= 1


@pytest.mark.req("A7")
def test_at_most_four_percent_of_ordinary_turns_are_above_public(turns: list[Screening]):
    above = sum(seen.sensitivity is not Sensitivity.PUBLIC for seen in turns)
    assert above <= 0.04 * len(turns)


@pytest.mark.req("P5")
def test_ordinary_turns_hold_no_personal_data(turns: list[Screening]):
    assert sum(seen.pii_risk > 0 for seen in turns) <= 0.001 * len(turns)


@pytest.mark.req("B6")
def test_harmless_requests_with_the_words_of_attacks_are_rarely_held(screen: Screen):
    seen = screen.look_all(datasets.notinject())
    assert sum(one.instruction is not None for one in seen) <= 0.05 * len(seen)


@pytest.mark.req("B6")
def test_most_injected_orders_to_tools_are_held(screen: Screen):
    for texts in datasets.injecagent().values():
        seen = screen.look_all(texts[:200])
        assert sum(one.instruction is not None for one in seen) >= 0.9 * len(seen)
