"""`confide keys` and `confide serve`, as somebody types them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from confide.surfaces.cli.app import build

ABSENT = "6f1c2d9e-0b57-4a52-9d1f-3f2a6f6f0c11"


@pytest.fixture
def typed(home: Path, agent: str) -> Any:
    def run(*words: str, code: int = 0) -> Any:
        options = ["--home", str(home), "--agent", agent]
        done = CliRunner().invoke(build(), [*options, *words, "--json"])
        assert done.exit_code == code, done.output
        return json.loads(done.stdout if code == 0 else done.stderr)

    return run


def test_a_key_is_made_listed_rotated_and_revoked(typed: Any) -> None:
    made = typed("keys", "create", "personal", "--for", "human:alice", "--name", "laptop")
    assert made["secret"].startswith("cfd_")
    assert (made["key"]["entity"], made["key"]["name"]) == ("human:alice", "laptop")
    id = made["key"]["id"]
    rotated = typed("keys", "rotate", id, "--overlap", "1d")
    assert rotated["key"]["id"] == id
    assert rotated["secret"] != made["secret"]
    assert typed("keys", "revoke", id) == {"done": True}
    (listed,) = typed("keys", "list")["keys"]
    assert listed["state"] == "revoked"
    assert made["secret"] not in json.dumps(listed)
    assert typed("keys", "rotate", "--signing")["signing"]
    assert typed("keys", "open", "human:alice") == {"done": True}
    assert typed("keys", "close", "human:alice")["done"]


@pytest.mark.parametrize(
    ("words", "field"),
    [
        (["keys", "create", "root"], "kind"),
        (["keys", "create", "platform"], "platform"),
        (["keys", "create", "personal"], "entity"),
        (["keys", "create", "admin", "--lasts", "soon"], "lifetime"),
        (["keys", "rotate"], "key"),
        (["serve", "--host", "0.0.0.0", "--port", "0"], "host"),
        (["serve", "--log", "loud"], "log"),
    ],
)
def test_what_is_typed_wrong_is_named(typed: Any, words: list[str], field: str) -> None:
    assert typed(*words, code=2)["error"]["field"] == field


def test_an_unknown_key_is_not_found(typed: Any) -> None:
    answers = [typed("keys", "revoke", id, code=1) for id in (ABSENT, "no-id")]
    assert answers[0] == answers[1]


def test_the_server_answers_until_it_is_told_to_end(home: Path, agent: str) -> None:
    command = [sys.executable, "-m", "confide", "--home", str(home), "--agent", agent, "serve"]
    environment = {n: v for n, v in os.environ.items() if not n.startswith("CONFIDE_")}
    with subprocess.Popen(
        [*command, "--port", "0", "--json", "--log", "info"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment,
    ) as running:  # fmt: skip
        assert running.stdout is not None
        assert running.stderr is not None
        url = json.loads(running.stdout.readline())["url"]
        with urllib.request.urlopen(f"{url}/readyz", timeout=60) as answer:
            assert json.load(answer) == {"status": "ready"}
        running.send_signal(signal.SIGINT)
        logged = [json.loads(line) for line in running.stderr.read().splitlines()]
        assert running.wait(60) == 0
    assert {"listening", "answered"} <= {line["event"] for line in logged}
