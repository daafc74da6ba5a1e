"""The leak test finds nothing in the product, and everything in surfaces made to leak or to be silent."""

from __future__ import annotations

import functools
import json
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from confide import Confide
from confide.leaktest import run as leaktest
from confide.leaktest import story as acts
from confide.leaktest.canaries import AGENT, Canary
from confide.leaktest.rooms import BY_KEY, DIRECT, ROOMS, TITLES
from confide.leaktest.run import Size, run
from confide.leaktest.surfaces import Library, Recheck, Surface
from confide.leaktest.town import Question
from confide.model import Kind, PlaceKind, Sensitivity
from confide.surfaces.cli import leaktest as command
from confide.surfaces.cli.app import build

SEED = 20_260_301


@pytest.mark.slow
@pytest.mark.req("B4", "S1", "S2", "S3", "S4", "K7", "K10", "A8", "A9", "A10", "A12", "P2", "B7")
def test_the_quick_leak_test_passes_over_library_and_command_line() -> None:
    program = [sys.executable, "-c", "from confide.surfaces.cli import main; main()"]
    result = subprocess.run(  # it runs commands itself, so it needs a process of its own
        [*program, "leaktest", "--size", "quick", "--json", "--seed", str(SEED)],
        capture_output=True,
        text=True,
        check=False,
    )
    report = json.loads(result.stdout or "{}")
    assert report, result.stderr
    assert (report["leaks"], report["wrongly_withheld"]) == (0, 0), report["failures"][:3]
    assert result.returncode == 0
    assert sum(report["decisions"].values()) >= 3_000
    assert {"library", "recheck", "memories", "cli", "http"} <= report["decisions"].keys()
    assert {cell["said_in"] for cell in report["matrix"]} >= {room.title for room in ROOMS}
    assert {cell["asked_in"] for cell in report["matrix"]} >= {room.title for room in ROOMS}


class IgnoresViewers(Library):
    """Answers in every room what it would answer the asker alone."""

    async def recall(self, words: str, question: Question) -> frozenset[str]:
        return await super().recall(words, Question(question.asker, DIRECT, question.namespace))


class FiltersAfterwards(Recheck):
    """Finds as the agent and then keeps what is the asker's own, like a forgotten WHERE."""

    async def recall(self, words: str, question: Question) -> frozenset[str]:
        kept = self._library.kept.items()
        return frozenset(code for code, memory in kept if str(memory.owner) == question.asker)


class TellsTheForgotten(Recheck):
    """Answers from a cache that outlived a departure."""

    cached: dict[Question, frozenset[str]]

    async def recall(self, words: str, question: Question) -> frozenset[str]:
        before = self.__dict__.setdefault("cached", {})
        return before.setdefault(question, await super().recall(words, question))


class SaysNothing(Recheck):
    async def recall(self, words: str, question: Question) -> frozenset[str]:
        return frozenset()


@pytest.fixture
def first_acts(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """End the story early: what is broken shows at once."""

    def only(many: int) -> None:
        async def short(*given: Any) -> AsyncIterator[str]:
            told = 0
            async for act in acts.story(*given):
                yield act
                told += 1
                if told == many:
                    return

        monkeypatch.setattr(leaktest, "story", short)
        size = Size(towns=1, askers=1, density=0.3, thoughts=0, paths=9)
        monkeypatch.setitem(leaktest.SIZES, "quick", size)

    return only


def made(surface: Callable[[Library], Surface]) -> Callable[[Library], Sequence[Surface]]:
    return lambda library: [surface(library)]


def leaky(library: Library) -> Surface:
    surface = IgnoresViewers(library.confide, library.clock)
    surface.kept, surface.speech = library.kept, library.speech
    return surface


@pytest.mark.req("B4")
@pytest.mark.parametrize(
    ("surface", "many"), [(leaky, 1), (FiltersAfterwards, 1), (TellsTheForgotten, 3)]
)
async def test_a_surface_that_leaks_is_caught(
    home: Path, first_acts: Callable[[int], None], surface: Any, many: int
) -> None:
    first_acts(many)
    report = await run(
        functools.partial(Confide.open, home), "quick", seed=SEED, surfaces=made(surface)
    )
    assert report.leaks
    assert not report.passed


@pytest.mark.req("B4")
async def test_a_surface_that_says_nothing_is_reported_as_withholding(
    home: Path, first_acts: Callable[[int], None]
) -> None:
    first_acts(1)
    report = await run(
        functools.partial(Confide.open, home), "quick", seed=SEED, surfaces=made(SaysNothing)
    )
    assert report.withheld
    assert not report.leaks
    assert not report.passed


@pytest.mark.req("B4")
def test_a_leak_gives_exit_code_1_and_names_what_it_takes_to_look_into_it(
    home: Path, first_acts: Callable[[int], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    first_acts(1)
    monkeypatch.setattr(command, "surfaces", made(leaky))
    args = ["leaktest", "--here", "--home", str(home), "--seed", str(SEED)]
    printed = CliRunner().invoke(build(), args)
    assert printed.exit_code == 1
    assert "LEAK: " in printed.stdout
    assert "oracle: " in printed.stdout
    report = json.loads(CliRunner().invoke(build(), [*args, "--json"]).stdout)
    assert report["passed"] is False
    failure = report["failures"][0]
    assert {"memory", "text", "said_in", "asked_in", "asker", "oracle", "after"} <= failure.keys()


@pytest.mark.req("B4", "P10")
async def test_nothing_that_was_planted_stays_in_the_database(
    home: Path, first_acts: Callable[[int], None]
) -> None:
    first_acts(1)
    planted: list[Library] = []

    def remembered(library: Library) -> Sequence[Surface]:
        planted.append(library)
        return [Recheck(library)]

    opener = functools.partial(Confide.open, home)
    report = await run(opener, "quick", seed=SEED, surfaces=remembered)
    assert report.passed
    agent = planted[0].confide.settings.agent
    async with opener(agent=agent, **leaktest.SETTINGS) as confide:
        library = Library(confide, planted[0].clock)
        library.kept = planted[0].kept
        everything = await Recheck(library).recall("?", Question(AGENT, BY_KEY["thought"]))
    assert not everything


def test_an_unknown_size_is_refused_with_the_known_ones() -> None:
    result = CliRunner().invoke(build(), ["leaktest", "--size", "huge"])
    assert result.exit_code == 2
    assert "quick" in result.output


def test_there_is_a_room_of_every_kind() -> None:
    kinds = {room.kind for room in BY_KEY.values()}
    assert kinds == set(PlaceKind)
    assert len(TITLES) == len(set(TITLES)) == len(BY_KEY)


def test_every_kind_sensitivity_and_namespace_is_planted(home: Path) -> None:
    from random import Random

    from confide.leaktest import canaries

    nursery = canaries.Nursery(Random(1))
    said: list[Canary] = [
        *canaries.that_fade(nursery, "human:ann"),
        *canaries.of_one_person(nursery, "human:ann", "human:ben"),
        *canaries.in_namespaces(nursery, "human:ann", "laptop"),
    ]
    assert {canary.kind for canary in said} == set(Kind)
    assert {canary.sensitivity for canary in said} == set(Sensitivity)
    assert {canary.namespace for canary in said} >= set(canaries.NAMESPACES)
    assert len({canary.code for canary in said}) == len(said)
