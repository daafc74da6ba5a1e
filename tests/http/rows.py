"""One server for all rows of the scenario tables; behind its door each row is an agent of its own."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from starlette.routing import Route
from tests.conftest import Clock
from tests.http.conftest import Served, serving
from tests.scenarios.runner import Scenario, scenarios

from confide import Confide
from confide.spending import Spending
from confide.surfaces.mcp.http import McpDoor

#: The agent alone with itself hears everything, so that no key or token speaks for it: what a row
#: lets it ask is left out on every way in from elsewhere. Of two rows nothing is left.
ASKED_BY_THE_AGENT = {
    "K4-no-grant": "the agent asks in somebody's direct chat",
    "S2-global-of-others": "the agent asks in a direct chat",
    "A1-event-expired": "the agent asks alone",
    "P10-forgotten": "the agent asks alone",
    "K18-agent-alone": "the agent asks alone",
    "K18-agents-own-observation": "the agent asks alone",
    "K18-agent-speaks-in-company": "the agent asks in company",
}


class Rows:
    """A running server that can be given another agent's memory."""

    def __init__(self, served: Served) -> None:
        self._served = served

    def fresh(self) -> Served:
        """An agent of which nothing is kept, at a time that its row moves."""
        first = self._served.confide
        agent, clock = f"t{uuid.uuid4().hex[:12]}", Clock()
        database = first.database.of(agent)
        means = replace(
            first.means,
            database=database,
            clock=clock,
            spending=Spending(database, first.settings, clock),
        )
        confide = Confide(means)
        app = self._served.app
        app.state.confide = confide
        mcp = next(one for one in app.routes if isinstance(one, Route) and one.path == "/mcp")
        cast(McpDoor, mcp.endpoint)._confide = confide
        return Served(confide, self._served.url, app, self._served._clients)


@asynccontextmanager
async def rows_served(home: Path) -> AsyncIterator[Rows]:
    async with (
        Confide.open(
            home, agent=f"t{uuid.uuid4().hex[:12]}", clock=Clock(), learn=False, broadcast="allow"
        ) as first,
        serving(first) as served,
    ):
        yield Rows(served)


def from_elsewhere(scenario: Scenario) -> Scenario | None:
    """The row without what the agent asks itself; None: nothing is left of it."""
    left = replace(
        scenario,
        told=tuple(one for one in scenario.told if one["asker"] != "agent"),
        withheld=tuple(one for one in scenario.withheld if one["asker"] != "agent"),
    )
    return left if left.told or left.withheld or left.refused else None


def every_row() -> list[Any]:
    """As parameters, each carrying its requirements."""
    found = [(one, from_elsewhere(one)) for one in scenarios()]
    return [
        pytest.param(left, id=one.id, marks=pytest.mark.req(*one.req))
        for one, left in found
        if left is not None
    ]
