"""Each program in `examples/` runs as it stands, and tells only what its audience may hear."""

from __future__ import annotations

import json
import runpy
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from fastapi.testclient import TestClient
from tests.docs.following import Follower, following

EXAMPLES: Final = Path(__file__).parents[2] / "examples"
#: Tried with the simulator of a chat platform, in tests/bot.
ELSEWHERE: Final = {"discord_bot.py"}


@pytest.fixture
def newcomer(tmp_path: Path) -> Iterator[Follower]:
    with following(tmp_path) as one:
        yield one


def run(newcomer: Follower, name: str, **env: str) -> str:
    given = " ".join(f"{key}={shlex.quote(value)}" for key, value in env.items())
    return newcomer.shell(
        f"{given} {shlex.quote(sys.executable)} {shlex.quote(str(EXAMPLES / name))}"
    )


def test_examples_are_short_and_each_is_tried() -> None:
    source = Path(__file__).read_text("utf-8")
    for path in EXAMPLES.glob("*.py"):
        assert path.name in ELSEWHERE or f'"{path.name}"' in source
        assert path.read_text("utf-8").count("\n") <= 40


@pytest.mark.req("B16")
def test_five_lines_learn_and_recall_at_once(newcomer: Follower) -> None:
    assert "vegetarian" in run(newcomer, "five_lines.py")


@pytest.mark.req("A3")
def test_a_group_is_not_told_what_was_said_in_a_direct_chat(newcomer: Follower) -> None:
    said = run(newcomer, "group_chat.py").splitlines()
    assert "dm: what is Alice looking for? ['I am looking for a new job']" in said
    assert "group:weekend: what is Alice looking for? nothing to tell here" in said
    assert "group:weekend: where do we meet on Sunday? ['We meet at the lake on Sunday']" in said


def test_a_web_app_keeps_its_users_apart(
    newcomer: Follower, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CONFIDE_HOME", newcomer.env["CONFIDE_HOME"])
    app = runpy.run_path(str(EXAMPLES / "fastapi_app.py"))["app"]
    alice, bob = {"X-User": "alice"}, {"X-User": "bob"}
    question = {"question": "what does Alice play?"}
    with TestClient(app) as web:
        said = web.post("/say", params={"text": "I play the cello"}, headers=alice)
        assert said.json() == {"remembered": 1}
        assert "cello" in web.get("/ask", params=question, headers=alice).text
        assert "cello" not in web.get("/ask", params=question, headers=bob).text
        assert web.get("/ask", params=question).status_code == 422


def test_a_team_assistant_works_through_a_server(newcomer: Follower) -> None:
    key = json.loads(newcomer.shell("confide keys create platform --platform slack --json"))
    newcomer.serve()
    url = f"http://127.0.0.1:{newcomer.port}"
    told = run(newcomer, "team_assistant.py", CONFIDE_URL=url, CONFIDE_KEY=key["secret"])
    assert "billing migration" in told
