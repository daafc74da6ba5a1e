"""The scenario tables through MCP: each question is asked by a real client with a token for it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from tests.http.conftest import Served
from tests.http.rows import Rows, every_row, rows_served
from tests.http.surface import Http, required
from tests.mcp.conftest import call, connected
from tests.scenarios.runner import Fields, Refused, Scenario, people, run, scenarios, where, who
from tests.scenarios.test_scenarios import _with_questions

#: What the tool takes, as the tables call it.
FIELDS = {
    "text": "text", "about": "subject_ids", "source": "source", "kind": "kind",
    "sensitivity": "sensitivity", "lifetime": "expires", "confidential": "confidential",
    "only_for": "only_for",
}  # fmt: skip
SAID_IN_THE_TOKEN = {"learned_in", "by", "with", "namespace"}
#: What no tool takes, so that these rows begin with the platform's word, and are asked through MCP.
BEGUN_BY_THE_PLATFORM = {
    "access": "a tool grants nothing: it asks, and a person agrees",
    "scope": "where something counts is not a model's to choose",
    "is_portable": "what only extraction proposes",
    "agent": "nobody speaks for the agent with a token",
}
ROWS_BEGUN = {
    "access": {
        "K3-granted-to-an-entity", "K3-contextual", "K3-role", "K3-role-ended", "K3-space",
        "K3-sensitive-grant", "K5-grant-without-consent", "K6-everyone-needs-every-subject",
        "K6-everyone-with-every-consent", "K11-consent-expires", "K11-consent-lasts",
        "K5-confidence-is-not-shared", "K5-only-for-is-not-shared",
    },
    "scope": {
        "K4-no-grant", "TABLE-global", "S2-global-own", "S2-global-of-others",
        "S5-in-game-name-promoted", "S5-stress-not-promoted", "S19-alike-direct-stays-direct",
        "S19-alike-global-stays-global", "A3-just-for-me", "S3-unknown-place-read",
        "S24-connection-global", "B17-guest-hears-global-only", "S21-out-of-global",
        "S21-out-of-global-first",
    },
    "is_portable": {"A11-portable", "A12-events-stay", "A12-absent-subject", "A5-two-sarahs"},
    "agent": {"K18-agents-own-observation"},
}  # fmt: skip


def begun_by_the_platform(scenario: Scenario) -> set[str]:
    """Why, of what a row remembers, a tool could not."""
    given = (scenario.given, *scenario.also)
    beyond = {name for one in given for name in one if name in ("access", "scope", "is_portable")}
    return beyond | {"agent" for one in given if one["by"] == "agent"}


class Mcp(Http):
    """Tools of a client that has a platform's token, or a personal key of its own. The platform
    itself says who comes and goes."""

    async def remember(self, given: Fields) -> str:
        if not set(given) <= set(FIELDS) | SAID_IN_THE_TOKEN or given["by"] == "agent":
            return await super().remember(given)
        fields = {
            FIELDS[name]: self._written(name, value)
            for name, value in given.items()
            if name in FIELDS
        }
        asked = {"asker": given["by"], "place": given["learned_in"]}
        asked |= {name: given[name] for name in ("with", "namespace") if name in given}
        async with await self._connected(asked) as client:
            done = await client.call_tool("memory_create", fields)
        if done.is_error:
            raise Refused(done.content[0].text)
        return done.structured_content["id"]

    async def is_told(self, memory: str, asked: Fields) -> bool:
        async with await self._connected(asked) as client:
            found = await call(client, "memory_recall", query=asked["asks"])
        return memory in {one["id"] for one in found["memories"]}

    async def _connected(self, asked: Fields) -> Any:
        body: dict[str, Any] = {
            "asker": who(asked["asker"], self._agent),
            "place": where(asked["place"]),
            "present": people(asked, "with", self._agent),
        }
        body |= {name: asked[name] for name in ("namespace", "purpose") if name in asked}
        place, asker = body["place"], body["asker"]
        client = await self._for(body, asker)
        url = f"{self._served.url}/mcp"
        if place.startswith("connection:"):
            key = client.headers["Authorization"].removeprefix("Bearer ")
            return connected(url, key, **{"Confide-Workspace": asked.get("namespace", "")})
        minted = required(await client.post("/v1/tokens", json=body))
        return connected(url, minted["token"])


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def rows(home: Path) -> AsyncIterator[Rows]:
    async with rows_served(home) as one:
        yield one


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("scenario", every_row())
async def test_mcp_answers_as_the_row_says(rows: Rows, scenario: Scenario) -> None:
    served: Served = rows.fresh()
    assert not await run(_with_questions(scenario), Mcp(served))


def test_what_no_tool_remembers_is_listed_with_a_reason() -> None:
    assert set(ROWS_BEGUN) == set(BEGUN_BY_THE_PLATFORM)
    for why, ids in ROWS_BEGUN.items():
        assert {one.id for one in scenarios() if why in begun_by_the_platform(one)} == ids, why
