"""The leak test notices each way in which rooms were once taken for what they are not."""

from __future__ import annotations

import functools
import importlib
import inspect
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.planted.jury import plant_source

from confide import Confide
from confide.leaktest import run as leaktest
from confide.leaktest import story as acts
from confide.leaktest.run import Size, run
from confide.leaktest.surfaces import Recheck

SEED = 7


class Mistake(NamedTuple):
    """Replace `old` by `new`; it shows within so many acts of the story."""

    what: str
    module: str
    old: str
    new: str
    acts: int


PLACES, ATTESTING = "confide.store.places", "confide.store.attesting"
LABELS = "confide.privacy.labels"
KEEPING = "confide.remember.keeping"
MISTAKES = [
    Mistake("a confidence is for everyone in the room", LABELS, "if o.is_confidential:",
            "if False:", 1),
    Mistake("what verified members say is for the whole guild", LABELS,
            "p, s = _room(o), o.place.space if o.place else None\n    match",
            "p, s = _room(o), (o.place.space or '').split('/')[0] or None if o.place else None\n"
            "    match", 1),
    Mistake("a guest conversation is seen by who asked alone", "confide.recall.audience",
            "viewers = frozenset({Anyone()})", "viewers = frozenset({asker})", 1),
    Mistake("what was said in a thread is told to whom it is about and who came later", ATTESTING,
            "if late and o.scope is Scope.GROUP:",
            "if late and o.scope is Scope.GROUP and o.thread is None:", 5),
    Mistake("a message that names the old kind of a closed channel opens it", ATTESTING,
            "stated = await places.attest(connection, database.agent, said, at, held)",
            "stated = await places.attest(connection, database.agent, said, at or Moment(now, True),"
            " held)", 10),
    Mistake("a late message brings back somebody who left", PLACES,
            'return not row["has_left"]', "return True", 7),
    Mistake("backfilled words are for those who are there today", ATTESTING,
            "if newest is None or said_at >= newest:", "if True:", 8),
    Mistake("who left late was there all the same", PLACES,
            'if is_witnessed and not at.has_arrived and row["last_said"] >= at.at:', "if False:", 9),
]  # fmt: skip


@pytest.fixture
def first_acts(monkeypatch: pytest.MonkeyPatch) -> Any:
    def only(many: int) -> None:
        async def short(*given: Any) -> AsyncIterator[str]:
            told = 0
            async for act in acts.story(*given):
                told += 1
                if told == many:
                    yield act
                    return

        monkeypatch.setattr(leaktest, "story", short)
        size = Size(towns=1, askers=2, density=0.5, thoughts=0, paths=9)
        monkeypatch.setitem(leaktest.SIZES, "quick", size)

    return only


@pytest.mark.planted
@pytest.mark.req("B4", "B13", "B17")
@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda one: one.what)
async def test_the_leak_test_notices(home: Path, first_acts: Any, mistake: Mistake) -> None:
    first_acts(mistake.acts)
    module = importlib.import_module(mistake.module)
    source = inspect.getsource(module)
    assert source.count(mistake.old) == 1, "the plant no longer fits: plant it in today's words"
    plant_source(module, source.replace(mistake.old, mistake.new))
    try:
        report = await run(
            functools.partial(Confide.open, home), "quick", seed=SEED,
            surfaces=lambda library: [Recheck(library)],
        )  # fmt: skip
    finally:
        plant_source(module, source)
    assert report.leaks, f"nobody noticed: {mistake.what}"
