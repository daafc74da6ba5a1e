"""Every scenario row that HTTP can act out, and the leak test, over a real socket."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random
from typing import Any

import pytest
from tests.http.conftest import Served, serving
from tests.http.surface import Http, HttpTown
from tests.scenarios.runner import Scenario, rows, run, scenarios
from tests.scenarios.test_scenarios import _with_questions

from confide import Confide
from confide.leaktest.report import Report
from confide.leaktest.run import SETTINGS, Size, Trial
from confide.leaktest.surfaces import Library


@pytest.mark.parametrize("scenario", rows(Http))
async def test_http_answers_as_the_row_says(served: Served, scenario: Scenario) -> None:
    assert not await run(_with_questions(scenario), Http(served))


def test_most_rows_can_be_acted_out_over_http() -> None:
    able = sum(Http.can(one) for one in scenarios())
    assert able >= 0.8 * len(scenarios()), f"{able} of {len(scenarios())}"


@pytest.mark.req("B4")
async def test_the_leak_test_finds_nothing_over_http(home: Path, agent: str) -> None:
    report = Report(size="quick", seed=9)
    size = Size(towns=1, askers=1, density=0.2, thoughts=0, paths=1)
    trial = Trial(report, size, Random(9), lambda act: None)
    opening = {**SETTINGS, "agent": agent, "learn": False}
    async with Confide.open(home, clock=trial.clock, **opening) as confide, _town(confide) as town:
        library, http = town
        await trial.run(library, [http])
    assert report.passed, report.fields()
    assert report.told > 100
    assert report.decisions["http"] > 1000


@asynccontextmanager
async def _town(confide: Confide) -> AsyncIterator[tuple[Library, Any]]:
    async with serving(confide) as served:
        library = Library(confide, confide.means.clock)
        yield library, HttpTown(library, await served.platform(), served)
