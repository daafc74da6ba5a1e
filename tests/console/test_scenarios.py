"""The scenario tables through *View as*: what would be told is what is told."""

from __future__ import annotations

import uuid

import pytest
from tests.conftest import Clock
from tests.scenarios.pure import read_audience
from tests.scenarios.runner import Fields, Scenario, rows, run
from tests.scenarios.surfaces import Library
from tests.scenarios.test_scenarios import _with_questions

from confide import Confide
from confide.actor import Actor
from confide.errors import NotFound
from confide.privacy.acting import CallerKind

OPERATOR = Actor(None, CallerKind.CONSOLE)


class ViewAs(Library):
    """Asked in the place itself first, so that everybody is where the row says."""

    async def is_told(self, memory: uuid.UUID, asked: Fields) -> bool:
        really = await super().is_told(memory, asked)
        try:
            view = await self._confide.viewing.as_operator(
                asked["asks"], read_audience(asked, self._agent), actor=OPERATOR
            )
        except NotFound:  # nothing is known of the place, so nobody can be chosen there
            assert not really
            return False
        told = memory in {one.memory.id for one in view.told}
        assert all(not one.memory.text for one in (*view.told, *view.withheld)), "labels, no words"
        assert told == really, "it would be told what is told"
        return told


@pytest.mark.req("B21")
@pytest.mark.parametrize("scenario", rows(ViewAs))
async def test_view_as_shows_what_the_row_says(
    confide: Confide, clock: Clock, scenario: Scenario
) -> None:
    assert not await run(_with_questions(scenario), ViewAs(confide, clock))
