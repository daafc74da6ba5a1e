"""The scenario tables through the command line pointed at a server."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from tests.client.conftest import remote
from tests.http.conftest import Served
from tests.http.rows import Rows, every_row, rows_served
from tests.http.surface import Http
from tests.scenarios.runner import Fields, Refused, Scenario, run, scenarios
from tests.scenarios.surfaces import CommandLine
from tests.scenarios.test_scenarios import _with_questions

#: Steps that no command takes; the platform itself says them, and the rest of the row is typed.
SAID_BY_THE_PLATFORM = {
    "assign": {"K3-role", "K3-role-ended", "K5-only-for-a-role", "K5-only-for-a-role-that-ended"},  # roles come from an authority, not from a terminal
    "unassign": {"K3-role-ended", "K5-only-for-a-role-that-ended"},
    "wait": {"K11-consent-expires", "K11-consent-lasts", "A1-event-fades", "A1-event-expired",
             "A1-lasting", "A1-for-two-weeks"},  # time passes by itself
}  # fmt: skip
#: What only extraction proposes; the memory is made as it makes them, and asked for by command.
MADE_BY_EXTRACTION = {"A11-portable", "A12-events-stay", "A12-absent-subject", "A5-two-sarahs"}


class RemoteLine(CommandLine):
    """`confide … --json` with CONFIDE_URL and the key of whoever types: of a platform, or one's
    own, which is a place of its own."""

    def __init__(self, served: Served) -> None:
        self._agent = str(served.confide.database.agent_entity)
        self._served, self._platform = served, Http(served)

    def _now(self) -> datetime:
        return self._served.confide.means.clock()

    async def do(self, step: Fields) -> None:
        if set(step) & set(SAID_BY_THE_PLATFORM):
            await self._platform.do(step)
        else:
            await super().do(step)

    async def remember(self, given: Fields) -> str:
        if "is_portable" in given:
            return await self._platform.remember(given)
        return await super().remember(given)

    async def _run(self, *arguments: str) -> Any:
        words = list(arguments)
        speaker = next(
            (words[n + 1] for n, word in enumerate(words) if word in ("--by", "--as")), ""
        )
        client = await self._platform.client_of(_place(words), speaker)
        secret = client.headers["Authorization"].removeprefix("Bearer ")
        done = await remote(self._served.url, secret)(*words, "--json")
        if done.exit_code:
            raise Refused(done.output or str(done.exception))
        return json.loads(done.stdout)


def _place(words: list[str]) -> str:
    """Where it is said. With a personal key `dm` stands for the place that the key is."""
    if "--in" not in words:
        return "dm"
    at = words.index("--in") + 1
    place = words[at]
    if place.startswith("connection:"):
        words[at] = "dm"
    return place


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def rows(home: Path) -> AsyncIterator[Rows]:
    async with rows_served(home) as one:
        yield one


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("scenario", every_row())
async def test_the_remote_command_line_answers_as_the_row_says(
    rows: Rows, scenario: Scenario
) -> None:
    assert not await run(_with_questions(scenario), RemoteLine(rows.fresh()))


def test_what_cannot_be_typed_is_listed() -> None:
    for verb, ids in SAID_BY_THE_PLATFORM.items():
        found = {one.id for one in scenarios() if any(verb in step for step in one.steps)}
        assert found == ids, verb
    made = {
        one.id for one in scenarios() if any("is_portable" in g for g in (one.given, *one.also))
    }
    assert made == MADE_BY_EXTRACTION
