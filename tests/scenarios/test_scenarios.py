"""Every row of the scenario tables, through the rule, the library and the command line."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from tests.conftest import Clock, Opened
from tests.scenarios.pure import Pure
from tests.scenarios.runner import Scenario, rows, run, scenarios
from tests.scenarios.surfaces import CommandLine, Library, Synchronous

from confide.sync import Confide


@pytest.mark.parametrize("scenario", rows(Pure))
async def test_the_rule_decides_as_the_row_says(scenario: Scenario) -> None:
    assert not await run(scenario, Pure())


@pytest.mark.parametrize("scenario", rows(Library))
async def test_the_library_answers_as_the_row_says(
    open_confide: Opened, clock: Clock, scenario: Scenario
) -> None:
    async with open_confide() as confide:
        assert not await run(_with_questions(scenario), Library(confide, clock))


@pytest.mark.req("S10")
@pytest.mark.parametrize("scenario", rows(Synchronous))
async def test_the_synchronous_twin_answers_as_the_row_says(
    home: Path, agent: str, clock: Clock, scenario: Scenario
) -> None:
    with Confide.open(home, clock=clock, agent=agent, broadcast="allow") as memory:
        assert not await run(_with_questions(scenario), Synchronous(memory, clock))


@pytest.mark.parametrize("scenario", rows(CommandLine))
async def test_the_command_line_answers_as_the_row_says(
    home: Path, agent: str, scenario: Scenario
) -> None:
    assert not await run(_with_questions(scenario), CommandLine(home, agent))


def test_each_row_is_one_of_a_kind_and_expects_something() -> None:
    assert max(Counter(one.id for one in scenarios()).values()) == 1
    for one in scenarios():
        assert one.told or one.withheld or one.refused, one.id
        assert one.withheld or one.refused, f"{one.id} withholds nothing from anyone"


def _with_questions(scenario: Scenario) -> Scenario:
    """Ask with the memory's own words unless the row asks something else."""
    asks = {"asks": scenario.given["text"]}
    return replace(
        scenario,
        told=tuple({**asks, **one} for one in scenario.told),
        withheld=tuple({**asks, **one} for one in scenario.withheld),
    )
