"""The leak test through MCP with platform tokens, and through the remote command line."""

from __future__ import annotations

import functools
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.http.conftest import serving
from tests.mcp.conftest import Keys, connected

from confide import Confide
from confide.leaktest.canaries import AGENT, Canary
from confide.leaktest.command_line import CommandLine
from confide.leaktest.rooms import BY_KEY
from confide.leaktest.run import SIZES, Size, run
from confide.leaktest.surfaces import TOP_K, Library, Surface
from confide.leaktest.town import Question
from confide.surfaces.cli.app import build

SEED = 20261116


class Mcp:
    """`memory_recall` of a real client, with a token for the very question."""

    name = "mcp"
    limit: int | None = TOP_K
    sample: int | None = 6

    def __init__(self, library: Library, url: str) -> None:
        self._library, self._url = library, url
        self._keys = Keys(library.confide)

    def can_ask(self, question: Question) -> bool:
        return question.asker != AGENT

    def could_tell(self, canary: Canary, question: Question) -> bool:
        return True

    async def recall(self, words: str, question: Question) -> frozenset[str]:
        token = await self._keys.token_for(self._library.speech.audience(question))
        async with connected(self._url, token) as client:
            done = await client.call_tool("memory_recall", {"query": words})
        assert not done.is_error, done.content[0].text
        # Judged by all that reaches the model, not only by the list of memories.
        return self._library.codes([done.content[0].text, str(done.structured_content)])

    def can_remember(self, canary: Canary) -> bool:
        plain = not (canary.access or canary.consent or canary.scope or canary.is_portable)
        return canary.by != AGENT and plain and not canary.is_doubtful and not canary.is_stale

    async def remember(self, canary: Canary) -> str:
        speech = self._library.speech
        there = Question(canary.by, BY_KEY[canary.room], canary.namespace)
        fields: dict[str, Any] = {
            "text": canary.sentence,
            "subject_ids": [str(speech.who(one)) for one in sorted(canary.about)],
            "kind": canary.kind.value,
            "sensitivity": canary.sensitivity.value,
        }
        if canary.source:
            fields["source"] = canary.source
        if canary.hours:
            fields["expires"] = f"{canary.hours}h"
        token = await self._keys.token_for(speech.audience(there))
        async with connected(self._url, token) as client:
            done = await client.call_tool("memory_create", fields)
        assert not done.is_error, done.content[0].text
        self._library.adopt(canary, done.structured_content["id"])
        return done.structured_content["id"]


class RemoteLine(CommandLine):
    """The command line with CONFIDE_URL and a platform's key."""

    name = "remote cli"

    def __init__(self, library: Library, url: str, secret: str) -> None:
        super().__init__(build(), library)
        self._env = {"CONFIDE_URL": url, "CONFIDE_KEY": secret}

    def can_ask(self, question: Question) -> bool:
        return super().can_ask(question) and not _is_connection(question.room.written)

    def can_remember(self, canary: Canary) -> bool:
        return super().can_remember(canary) and not _is_connection(BY_KEY[canary.room].written)


def _is_connection(written: str) -> bool:
    return written.startswith("connection:")  # a personal key's own place


@pytest.mark.slow
@pytest.mark.req("B4", "K16", "S24", "K17")
async def test_no_canary_is_told_through_mcp_or_the_remote_command_line_where_it_must_not(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Each question is a request over a socket, so fewer are asked than of the library.
    sparse = Size(towns=1, askers=1, density=0.15, thoughts=0, paths=1)
    monkeypatch.setitem(SIZES, "quick", sparse)
    asked: list[Surface] = []
    addresses: dict[str, Any] = {}

    @asynccontextmanager
    async def opened(**settings: Any) -> AsyncIterator[Confide]:
        async with AsyncExitStack() as stack:
            confide = await stack.enter_async_context(
                functools.partial(Confide.open, home)(**settings)
            )
            served = await stack.enter_async_context(serving(confide))
            addresses["url"] = served.url
            addresses["secret"] = await served.key("platform", platform="local")
            yield confide

    def surfaces(library: Library) -> list[Surface]:
        asked[:] = [
            library,
            Mcp(library, f"{addresses['url']}/mcp"),
            RemoteLine(library, addresses["url"], addresses["secret"]),
        ]
        return asked

    report = await run(opened, "quick", seed=SEED, surfaces=surfaces)
    assert report.failures == []
    for surface in asked:
        assert report.questions[surface.name] > 0
