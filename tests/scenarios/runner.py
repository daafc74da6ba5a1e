"""Scenario tables: what is learned where, to whom it is told, from whom it is withheld.

A row is run through every *surface*: a class with the four methods below. To add one (HTTP, MCP),
write such a class and add a test that is parametrized by `rows(for_surface)`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any, Protocol

import pytest
import yaml

FOLDER = Path(__file__).parent
Fields = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """One row. Everything is as written; each surface reads it in its own way."""

    id: str
    says: str
    req: tuple[str, ...]
    given: Fields
    before: tuple[Fields, ...] = ()
    also: tuple[Fields, ...] = ()  # remembered too, so that it could be confused
    then: tuple[Fields, ...] = ()
    told: tuple[Fields, ...] = ()
    withheld: tuple[Fields, ...] = ()
    refused: str | None = None  # the field that the refusal must name

    @property
    def steps(self) -> tuple[Fields, ...]:
        return self.before + self.then


class Refused(Exception):
    """A surface would not remember it; the message names the field."""


class Surface(Protocol):
    """One way to use the product."""

    @classmethod
    def can(cls, scenario: Scenario) -> bool: ...
    async def do(self, step: Fields) -> None: ...
    async def remember(self, given: Fields) -> Any: ...
    async def is_told(self, memory: Any, asked: Fields) -> bool: ...


async def run(scenario: Scenario, surface: Surface) -> list[str]:
    """What went differently from what the row says."""
    for step in scenario.before:
        await surface.do(step)
    for given in scenario.also:
        await surface.remember(given)
    if scenario.refused is not None:
        return await _expect_refusal(scenario, surface)
    memory = await surface.remember(scenario.given)
    for step in scenario.then:
        await surface.do({"memory": memory, **step} if "forget" in step else step)
    expected = [(asked, True) for asked in scenario.told]
    expected += [(asked, False) for asked in scenario.withheld]
    return [
        f"{dict(asked)} should be {'told' if right else 'withheld'}"
        for asked, right in expected
        if await surface.is_told(memory, asked) != right
    ]


async def _expect_refusal(scenario: Scenario, surface: Surface) -> list[str]:
    try:
        await surface.remember(scenario.given)
    except Refused as refusal:
        named = str(refusal)
        return [] if scenario.refused in named else [f"refused, but says: {named}"]
    return ["should be refused"]


@cache
def read(name: str) -> Any:
    return yaml.safe_load((FOLDER / name).read_text(encoding="utf-8"))


@cache
def scenarios() -> tuple[Scenario, ...]:
    files = sorted(path.name for path in FOLDER.glob("*.yaml") if path.name != "places.yaml")
    return tuple(_scenario(row) for name in files for row in read(name)["rows"])


def _scenario(row: dict[str, Any]) -> Scenario:
    lists = {k: tuple(row[k]) for k in ("before", "also", "then", "told", "withheld") if k in row}
    return Scenario(**(row | lists | {"req": tuple(row["req"])}))


def rows(surface: type[Surface]) -> list[Any]:
    """The rows that a surface can act out, each carrying its requirements."""
    return [
        pytest.param(one, id=one.id, marks=pytest.mark.req(*one.req))
        for one in scenarios()
        if surface.can(one)
    ]


def when(step: Fields, now: datetime) -> datetime | None:
    """The platform's time of a statement that arrives `ago` minutes late."""
    return now - timedelta(minutes=step["ago"]) if "ago" in step else None


def who(name: str, agent: str) -> str:
    """`alice` is human:alice, `agent` is whoever the memory belongs to."""
    if name == "agent":
        return agent
    return name if ":" in name else f"human:{name}"


def where(name: str) -> str:
    """A place as it is written on every surface."""
    return read("places.yaml")[name]


def people(fields: Fields, name: str, agent: str) -> list[str]:
    return [who(one, agent) for one in fields.get(name, ())]
