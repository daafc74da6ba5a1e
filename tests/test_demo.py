"""The demo: its play is acted out by the real library, and fails if an outcome differs."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from functools import partial
from importlib.resources import files
from pathlib import Path

import pytest
from typer.testing import CliRunner

from confide import Confide, testing
from confide.demo import story as stories
from confide.demo.player import play
from confide.demo.story import read_story
from confide.surfaces.cli.app import build

WRITTEN = (files("confide.demo") / "story.toml").read_text(encoding="utf-8")
SWAPPED = WRITTEN.replace('in = "dm", told = ["job"] }', 'in = "dm" }')


PROGRAM = (sys.executable, "-m", "confide", "demo")


@pytest.fixture
def scratch() -> Iterator[Path]:
    """A folder for temporary files, with a short path as the system's own has."""
    folder = Path(tempfile.mkdtemp(prefix="scratch-"))
    yield folder
    shutil.rmtree(folder)


@pytest.mark.req("S2", "B3", "B10", "K19")
def test_the_demo_needs_no_terminal_and_touches_nothing_of_yours(
    tmp_path: Path, scratch: Path
) -> None:
    mine = tmp_path / "mine"
    env = os.environ | {
        "CONFIDE_HOME": str(mine),
        "CONFIDE_DATABASE_URL": "postgresql://nobody@127.0.0.1:1/none",
        "CONFIDE_ENABLED": "false",
        "TMPDIR": str(scratch),
    }
    done = subprocess.run(
        PROGRAM,
        env=env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "all as they should be" in done.stdout
    assert "\x1b" not in done.stdout
    for scene in read_story().scenes:
        assert scene.title in done.stdout
    assert not mine.exists()
    assert list(scratch.iterdir()) == []


async def test_every_scene_ends_as_its_story_says(confide: Confide) -> None:
    played = [scene async for scene in play(confide, read_story())]
    assert len(played) == len(read_story().scenes)
    for scene in played:
        for outcome in scene.outcomes:
            assert outcome.is_as_expected, (scene.scene.title, outcome)
            assert outcome.because


def test_the_story_has_every_room_and_both_outcomes() -> None:
    story = read_story()
    asked = {question.place for scene in story.scenes for question in scene.questions}
    assert asked == set(story.places)
    for scene in story.scenes[:3]:
        outcomes = {bool(question.told) for question in scene.questions}
        assert outcomes == {True, False}


@pytest.mark.parametrize(("told", "code"), [(WRITTEN, 0), (SWAPPED, 1)])
def test_a_different_outcome_is_a_failure(
    told: str, code: int, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = f"demo-{code}-{os.getpid()}"
    shared = partial(testing.temporary, home=home)
    monkeypatch.setattr(testing, "temporary", lambda **_: shared(agent=agent))
    monkeypatch.setattr(stories, "read_story", partial(read_story, told))
    done = CliRunner().invoke(build(), ["demo", "--json"])
    assert done.exit_code == code, done.output
    answer = json.loads(done.stdout)
    assert answer["as_expected"] is (code == 0)
    first = answer["scenes"][0]["asked"][0]
    assert set(first) == {"asker", "place", "memory", "told", "because", "as_expected"}
    assert first["as_expected"] is (code == 0)


@pytest.mark.parametrize(
    ("after", "ending"),
    [(0.3, signal.SIGINT), (2.5, signal.SIGINT), (2.5, signal.SIGTERM), (2.5, signal.SIGHUP)],
)
def test_ending_it_early_is_clean(after: float, ending: signal.Signals, scratch: Path) -> None:
    env = os.environ | {"TMPDIR": str(scratch)}
    process = subprocess.Popen(
        PROGRAM, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    time.sleep(after)
    process.send_signal(ending)
    _, errors = process.communicate(timeout=60)
    # 0: the play was over already; negative: it had not begun.
    assert process.returncode in (0, 128 + ending, -ending)
    assert "Traceback" not in errors
    assert list(scratch.iterdir()) == []
