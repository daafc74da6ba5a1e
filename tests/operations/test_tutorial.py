"""Somebody follows the operator's tutorial on a fresh machine, line by line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.docs.following import Follower, following, lines


def run(one: Follower, line: str) -> str:
    if line.startswith(("make run", "source ")):
        return ""  # this test has its environment already
    line = line.replace("8765", str(one.port)).replace("/tmp/drill", str(one.folder / "drill"))
    if line == "confide serve":
        return one.serve()
    if line.startswith("confide keys create"):
        name = "ADMIN_KEY" if "admin" in line else "KEY"
        one.env[name] = json.loads(one.shell(f"{line} --json"))["secret"]
        return one.env[name]
    return one.shell(line)


@pytest.mark.req("B1")
def test_the_operators_tutorial_can_be_followed(tmp_path: Path) -> None:
    with following(tmp_path) as one:
        said = {line: run(one, line) for line in lines("tutorial-operator.md")}
        log = one.log.read_text()
    (ready,) = (text for line, text in said.items() if line.endswith("/readyz"))
    assert json.loads(ready) == {"status": "ready"}
    (told,) = (text for line, text in said.items() if "/v1/recall" in line)
    assert "The picnic is at the lake" in told
    (numbers,) = (text for line, text in said.items() if "/metrics" in line)
    assert "confide_jobs_due 0" in numbers
    assert not (tmp_path / "drill").exists()
    logged = [json.loads(line) for line in log.splitlines()]
    asked = [one for one in logged if one["event"] == "answered" and one["route"] == "/v1/recall"]
    assert asked[0].keys() >= {"method", "route", "status", "milliseconds", "request"}
    assert "picnic" not in log
