"""Nothing beside the answer tells (B11): what one does not hear changes nothing that one is answered."""

from __future__ import annotations

import tomllib
import uuid
from collections import Counter
from collections.abc import Iterable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import pytest
from tests.client.conftest import remote
from tests.conftest import Clock, Opened
from tests.egress import cli_walk, mcp_walk
from tests.egress.answers import Call, Difference
from tests.egress.http_walk import CALLERS, Caller, Door, calls
from tests.egress.plants import PLANTS, Plant
from tests.egress.stores import PAT, Draws, Line, Store, open_pair, opened, tell
from tests.egress.story import ELSEWHERE, HIDDEN, KNOWN
from tests.http.conftest import serving
from tests.mcp.conftest import connected
from tests.mcp.conftest import serving as mcp_serving

from confide import Confide
from confide.surfaces.mcp.profiles import PROFILES


class Asked(Protocol):
    async def answer(self, call: Call) -> str: ...
    def is_done(self, answer: str) -> bool: ...


@dataclass
class Walked:
    """How many calls were made, which of them did something, and which were answered differently."""

    asked: int = 0
    done: Counter[str] = field(default_factory=Counter)  # by route, tool or command
    refused: Counter[str] = field(default_factory=Counter)
    found: list[Difference] = field(default_factory=list)

    @property
    def never(self) -> set[str]:
        """What was refused each time, so that nothing was learned of it."""
        return set(self.refused) - set(self.done)

    def __str__(self) -> str:
        shown = "\n".join(map(str, self.found[:20]))
        return f"{len(self.found)} of {self.asked} answers differ:\n{shown}"


def story(caller: Caller) -> list[tuple[Line, bool]]:
    """Each line, and whether only the fuller memory knows it."""
    lines = [(line, False) for line in KNOWN]
    if caller.kind == "personal" and caller.is_alone:
        lines.append((opened(PAT), False))
    lines += [(line, True) for line in HIDDEN]
    return lines + [(line, not caller.is_alone) for line in ELSEWHERE]


async def told_to_both(
    first: Confide, clock: Clock, caller: Caller, patch: pytest.MonkeyPatch
) -> tuple[Store, Store, Draws]:
    plain, full = open_pair(first, clock)
    draws = Draws()
    patch.setattr(uuid, "uuid4", draws)
    await tell(plain, full, story(caller), draws)
    return plain, full, draws


async def walked(
    plain: Asked, full: Asked, todo: Iterable[Call], clock: Clock, draws: Draws
) -> Walked:
    walk = Walked()
    for walk.asked, call in enumerate(todo, 1):
        clock.advance(milliseconds=20)
        draws.begin(f"call {walk.asked}")
        one = await plain.answer(call)
        draws.begin(f"call {walk.asked}")
        other = await full.answer(call)
        (walk.done if full.is_done(other) else walk.refused)[call.what] += 1
        if one != other:
            walk.found.append(Difference(call, one, other))
    return walk


#: What part of the calls has to do something: refusals alone would all be alike.
LEAST = {
    "platform key for one person": 0.45, "open personal key": 0.35, "closed personal key": 0.15,
    "token for a direct chat": 0.35, "token in company": 0.2,
}  # fmt: skip
LEAST_BY_TOOL = {
    "open personal key": 0.45, "closed personal key": 0.2, "token for a direct chat": 0.45,
    "token in company": 0.18,
}  # fmt: skip
LEAST_BY_COMMAND = 0.25
REFUSED = tomllib.loads((Path(__file__).parent / "refused.toml").read_text("utf-8"))


def require_answers(walk: Walked, kind: str, caller: Caller) -> None:
    """Each route, tool or command did something at least once, unless it is listed."""
    unexpected = walk.never - set(REFUSED[kind].get(caller.name, ()))
    assert not unexpected, "give values in tests/egress/values.py with which it is answered"


@pytest.mark.slow
@pytest.mark.req("B11", "S21", "S22", "S23", "K15", "A6")
@pytest.mark.parametrize("caller", CALLERS, ids=lambda one: one.name)
async def test_no_route_answers_otherwise_because_of_what_is_hidden(
    open_confide: Opened, clock: Clock, caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_confide(learn=False) as first:
        plain, full, draws = await told_to_both(first, clock, caller, monkeypatch)
        doors = []
        for one in (plain, full):
            draws.begin("the key")
            doors.append(Door(one, await caller.secret(one)))
        todo = calls(doors[0].document, caller)
        walk = await walked(doors[0], doors[1], todo, clock, draws)
    assert not walk.found, walk
    require_answers(walk, "route", caller)
    assert sum(walk.done.values()) > LEAST[caller.name] * walk.asked, walk.refused


@pytest.mark.slow
@pytest.mark.req("B11", "S24", "K15")
@pytest.mark.parametrize("caller", CALLERS[1:], ids=lambda one: one.name)
async def test_no_tool_answers_otherwise_because_of_what_is_hidden(
    open_confide: Opened, clock: Clock, caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_confide(learn=False) as first, AsyncExitStack() as stack:
        plain, full, draws = await told_to_both(first, clock, caller, monkeypatch)
        doors: list[mcp_walk.Connection] = []
        for one in (plain, full):
            draws.begin("the key")
            secret = await caller.secret(one)
            url = await stack.enter_async_context(mcp_serving(one.confide))
            clients = {
                name: await stack.enter_async_context(
                    connected(url, secret, **{"Confide-Profile": name})
                )
                for name in PROFILES
            }
            doors.append(mcp_walk.Connection(one, clients))
        walk = await walked(*doors, await doors[0].calls(), clock, draws)
    assert not walk.found, walk
    require_answers(walk, "tool", caller)
    assert sum(walk.done.values()) > LEAST_BY_TOOL[caller.name] * walk.asked, walk.refused


@pytest.mark.slow
@pytest.mark.req("B11", "S21", "S22")
async def test_no_command_answers_otherwise_because_of_what_is_hidden(
    open_confide: Opened, clock: Clock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    caller = CALLERS[1]
    (tmp_path / "lines.jsonl").write_text("", encoding="utf-8")
    async with open_confide(learn=False) as first, AsyncExitStack() as stack:
        plain, full, draws = await told_to_both(first, clock, caller, monkeypatch)
        doors = []
        for one in (plain, full):
            draws.begin("the key")
            secret = await caller.secret(one)
            served = await stack.enter_async_context(serving(one.confide))
            doors.append(cli_walk.Terminal(one, remote(served.url, secret), tmp_path))
        walk = await walked(doors[0], doors[1], cli_walk.calls(), clock, draws)
    assert not walk.found, walk
    require_answers(walk, "command", caller)
    assert sum(walk.done.values()) > LEAST_BY_COMMAND * walk.asked, walk.refused


@pytest.mark.planted
@pytest.mark.req("B11")
@pytest.mark.parametrize("plant", PLANTS, ids=lambda one: one.mistake)
async def test_each_mistake_is_noticed_again(
    open_confide: Opened, clock: Clock, plant: Plant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without it nothing differs; with it something does."""
    for is_planted in (False, True):
        with pytest.MonkeyPatch.context() as patch:
            if is_planted:
                plant.patch(patch)
            async with open_confide(learn=False) as first:
                plain, full = open_pair(first, clock)
                draws = Draws()
                patch.setattr(uuid, "uuid4", draws)
                lines = [(one, False) for one in plant.known]
                await tell(plain, full, lines + [(one, True) for one in plant.hidden], draws)
                doors = []
                for one in (plain, full):
                    draws.begin("the key")
                    doors.append(Door(one, await plant.caller.secret(one)))
                walk = await walked(doors[0], doors[1], plant.calls, clock, draws)
        assert bool(walk.found) is is_planted, walk.refused if is_planted else walk
