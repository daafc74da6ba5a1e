"""Random towns with late, doubled and reordered statements: oracle, rule and database agree."""

from __future__ import annotations

import importlib
import inspect
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.chance import seeded
from tests.conftest import Clock
from tests.planted.jury import plant_source
from tests.rooms.playing import Tally, play

from confide import Confide


@asynccontextmanager
async def opened(home: Path) -> AsyncIterator[tuple[Confide, Clock]]:
    clock, agent = Clock(), f"t{uuid.uuid4().hex[:12]}"
    async with Confide.open(
        home, clock=clock, agent=agent, learn=False, broadcast="allow"
    ) as confide:
        yield confide, clock


@pytest.mark.drawn
@pytest.mark.req("B2", "B13", "S3", "A3", "A9")
@pytest.mark.parametrize("seed", range(5))
async def test_everyone_is_told_what_is_right_for_them(home: Path, seed: int) -> None:
    tally = Tally()
    async with opened(home) as (confide, clock):
        await play(confide, clock, seeded(seed), tally, acts=70, asks=90)
    assert not tally.wrong, f"{tally}\n{tally.wrong[0]}"
    assert tally.told > 20


class Mistake(NamedTuple):
    """One word away from the rule, in the part that needs the database."""

    what: str
    module: str
    old: str
    new: str


PLACES, ATTESTING = "confide.store.places", "confide.store.attesting"
SEEDS = 30  # a town that shows the mistake is found among the first few
KEEPING = "confide.remember.keeping"
MISTAKES = [
    Mistake(
        "a message brings back somebody who left",
        PLACES,
        'return not row["has_left"]',
        "return True",
    ),
    Mistake(
        "an older statement brings back somebody who left",
        PLACES,
        'return row["left_at"] is None or row["left_at"] < at.end',
        "return True",
    ),
    Mistake(
        "an older statement about a channel opens it again",
        PLACES,
        'if not _is_newer(at, row["kind_at"], known, said):',
        "if False:",
    ),
    Mistake(
        "a channel is not what whoever talks there calls it, and nothing is narrower for that",
        PLACES,
        "return replace(stated, is_disputed=True)",
        "return stated",
    ),
    Mistake(
        "who left late was there all the same",
        PLACES,
        'if is_witnessed and not at.has_arrived and row["last_said"] >= at.at:',
        "if False:",
    ),
    Mistake(
        "old words are for those who are there today",
        ATTESTING,
        "if newest is None or said_at >= newest:",
        "if True:",
    ),
    Mistake(
        "the guest of the surprise party joins and hears of it",
        ATTESTING,
        "if late and o.scope is Scope.GROUP:",
        "if False:",
    ),
    Mistake(
        "the words about the surprise party arrive after its guest",
        KEEPING,
        "joined_later=statement.about & room.members - present",
        "joined_later=frozenset()",
    ),
    Mistake(
        "a thread has people of its own",
        ATTESTING,
        "if parent and is_part:",
        "if False:",
    ),
    Mistake(
        "a thread that became private is told in its channel",
        ATTESTING,
        "if stated.was in THREADS and place.kind is PlaceKind.PRIVATE_THREAD:",
        "if False:",
    ),
    Mistake(
        "what was public in a channel that closed stays public",
        ATTESTING,
        "if stated.was is not None and places.is_open(stated.was):",
        "if False:",
    ),
    Mistake(
        "words from before a channel opened are public when they arrive",
        KEEPING,
        "if spoken >= attested.opened_at:",
        "if True:",
    ),
]


@pytest.mark.planted
@pytest.mark.req("B2", "B13")
@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda one: one.what)
async def test_a_mistake_about_rooms_is_noticed(home: Path, mistake: Mistake) -> None:
    module = importlib.import_module(mistake.module)
    source = inspect.getsource(module)
    assert source.count(mistake.old) == 1, "the plant no longer fits: plant it in today's words"
    plant_source(module, source.replace(mistake.old, mistake.new))
    try:
        assert await _is_noticed(home), f"nobody noticed: {mistake.what}"
    finally:
        plant_source(module, source)


async def _is_noticed(home: Path) -> bool:
    for seed in range(SEEDS):
        tally = Tally()
        try:
            async with opened(home) as (confide, clock):
                await play(confide, clock, seed, tally, acts=70, asks=90)
        except Exception:  # noqa: BLE001 - whatever a planted mistake breaks is noticed
            return True
        if tally.wrong:
            return True
    return False
