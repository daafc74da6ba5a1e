"""The scenario tables through MCP: each question is asked by a real client with a token for it."""

from __future__ import annotations

from typing import Any

import pytest
from tests.conftest import Clock
from tests.mcp.conftest import Keys, call, connected
from tests.scenarios.pure import read_audience
from tests.scenarios.runner import Fields, Refused, Scenario, people, rows, run, where, who
from tests.scenarios.surfaces import Library
from tests.scenarios.test_scenarios import _with_questions

from confide import Confide, audience
from confide.reading import read_memory_id

#: What a tool takes, as the tables call it.
FIELDS = {
    "text": "text", "about": "subject_ids", "source": "source", "kind": "kind",
    "sensitivity": "sensitivity", "lifetime": "expires",
}  # fmt: skip
SAID_IN_THE_TOKEN = {"learned_in", "by", "with", "namespace"}


class Mcp(Library):
    """Tools of a client that has a platform's token. The platform itself says who comes and goes."""

    def __init__(self, confide: Confide, clock: Clock, url: str) -> None:
        super().__init__(confide, clock)
        self._url, self._keys = url, Keys(confide)

    async def remember(self, given: Fields) -> Any:
        # Through a tool nobody grants, consents or widens, so such rows begin with the platform.
        if not set(given) <= set(FIELDS) | SAID_IN_THE_TOKEN or given["by"] == "agent":
            return await super().remember(given)
        agent = str(self._agent)
        heard = audience(
            who(given["by"], agent),
            where(given["learned_in"]),
            present=people(given, "with", agent),
            namespace=given.get("namespace"),
        )
        fields = {FIELDS[name]: value for name, value in given.items() if name in FIELDS}
        if "about" in given:
            fields["subject_ids"] = people(given, "about", agent)
        if "source" in given:
            fields["source"] = who(given["source"], agent)
        async with connected(self._url, await self._keys.token_for(heard)) as client:
            done = await client.call_tool("memory_create", fields)
        if done.is_error:
            raise Refused(done.content[0].text)
        return read_memory_id(done.structured_content["id"])

    async def is_told(self, memory: Any, asked: Fields) -> bool:
        heard = read_audience(asked, self._agent)
        async with connected(self._url, await self._keys.token_for(heard)) as client:
            found = await call(client, "memory_recall", query=asked["asks"])
        told = str(memory) in {one["id"] for one in found["memories"]}
        assert told == await super().is_told(memory, asked)
        return told


@pytest.mark.parametrize("scenario", [*rows(Mcp)[0::3], *rows(Mcp)[2::3]])
async def test_mcp_answers_as_the_row_says(
    confide: Confide, clock: Clock, url: str, scenario: Scenario
) -> None:
    assert not await run(_with_questions(scenario), Mcp(confide, clock, url))
