"""Run the real program: in this process where that is enough, as a process of its own elsewhere."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from confide.surfaces.cli.app import build

Run = Callable[..., Result]
Ask = Callable[..., dict[str, Any]]
Start = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def run(home: Path, agent: str) -> Run:
    """`run("recall", …)`: one command on this test's memory."""

    def invoke(*words: str, input: str | None = None, **env: str) -> Result:
        first = ["--home", str(home), "--agent", agent]
        return CliRunner().invoke(build(), [*first, *words], input=input, env=env)

    return invoke


@pytest.fixture
def ask(run: Run) -> Ask:
    """The same for a command that must succeed; its JSON."""

    def invoke(*words: str, **env: str) -> dict[str, Any]:
        result = run(*words, "--json", **env)
        assert result.exit_code == 0, result.stderr
        return json.loads(result.stdout)

    return invoke


@pytest.fixture
def start(home: Path, agent: str) -> Start:
    """A process of its own, as a shell would start it."""

    def process(*words: str | bytes, **options: Any) -> subprocess.CompletedProcess[str]:
        env = os.environ | {"CONFIDE_HOME": str(home), "CONFIDE_AGENT": agent}
        env |= options.pop("env", {})
        given = {"capture_output": True, "stdin": subprocess.DEVNULL} | options
        if "stdout" in options or "stderr" in options:
            given.pop("capture_output")
        command = [sys.executable, "-m", "confide", *words]
        return subprocess.run(command, env=env, text=True, timeout=120, check=False, **given)

    return process


@pytest.fixture
def unchanged(ask: Ask) -> Callable[[], None]:
    """Nothing of a refused command is left: no memory, no place."""

    def check() -> None:
        assert not any(ask("status")["memories"].values())
        assert ask("places", "list")["count"] == 0

    return check
