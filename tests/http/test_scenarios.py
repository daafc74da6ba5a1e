"""Every scenario row that HTTP can act out, and the leak test, over a real socket."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random
from typing import Any

import pytest
from tests.http.conftest import Served, serving
from tests.http.rows import ASKED_BY_THE_AGENT, Rows, every_row, from_elsewhere
from tests.http.surface import Http
from tests.scenarios.runner import Scenario, run, scenarios
from tests.scenarios.test_scenarios import _with_questions

from confide import Confide
from confide.leaktest.report import Report
from confide.leaktest.run import SETTINGS, Size, Trial
from confide.leaktest.surfaces import Library
from confide.surfaces.http.leaks import OverHttp


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("scenario", every_row())
async def test_http_answers_as_the_row_says(rows: Rows, scenario: Scenario) -> None:
    assert not await run(_with_questions(scenario), Http(rows.fresh()))


def test_what_cannot_be_asked_from_elsewhere_is_listed_with_a_reason() -> None:
    changed = {one.id for one in scenarios() if from_elsewhere(one) != one}
    assert changed == set(ASKED_BY_THE_AGENT)
    nothing = {one.id for one in scenarios() if from_elsewhere(one) is None}
    assert nothing == {"K18-agent-alone", "K18-agent-speaks-in-company"}


async def test_no_key_or_token_asks_as_the_agent(served: Served) -> None:
    """Why these rows are on the list."""
    local = await served.platform()
    agent = {"asker": str(served.confide.database.agent_entity), "place": "dm"}
    for path, body in (("/v1/recall", {"question": "?", **agent}), ("/v1/tokens", agent)):
        assert (await local.post(path, json=body)).status_code == 403, path


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
        yield library, OverHttp(library, await served.platform(), sample=None)
