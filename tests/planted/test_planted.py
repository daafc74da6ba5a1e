"""Known mistakes, planted one at a time. One that nobody notices fails the job."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest
from tests.planted.jury import import_anew, judged_in_child, plant_source, verdict
from tests.planted.plants import PLANTS, Plant

pytestmark = pytest.mark.planted


def test_the_jury_finds_nothing_wrong_with_the_rule_as_it_is() -> None:
    assert verdict() is None
    assert judged_in_child(lambda: None) is None


@pytest.mark.req("B2")
@pytest.mark.parametrize("plant", PLANTS, ids=lambda plant: plant.mistake)
def test_a_planted_mistake_is_noticed(plant: Plant) -> None:
    module = importlib.import_module(plant.module)
    source = Path(str(module.__file__)).read_text(encoding="utf-8")
    assert plant.old in source, "the plant no longer fits: plant it in today's words"
    planted = source.replace(plant.old, plant.new)
    is_in_table = plant.module.endswith("places") or plant.old.startswith("sensitivity:")

    def put_in() -> None:
        if is_in_table:
            import_anew(plant.module, planted)
        else:
            plant_source(module, planted)

    assert judged_in_child(put_in), f"nobody noticed: {plant.mistake}"
