"""The program itself: its help, its settings, its processes, and how fast it starts."""

from __future__ import annotations

import json
import os
import pty
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Ask, Run, Start
from typer.main import get_command

from confide.config import Settings
from confide.surfaces.cli.app import build

EXAMPLES = Path(__file__).parents[2] / ".env.example"
HEAVY = ("asyncpg", "numpy", "pydantic", "pydantic_settings", "rich", "tokenizers", "wordllama")
PROGRAM = (sys.executable, "-m", "confide")


def commands(
    group: Any = None, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every command that is no group, with the words that call it."""
    for name, command in (group or get_command(build())).commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, (*path, name))
        else:
            yield (*path, name), command


@pytest.mark.parametrize("path", [path for path, _ in commands()], ids=" ".join)
def test_help_teaches_each_command(path: tuple[str, ...], run: Run) -> None:
    shown = run(*path, "--help")
    assert shown.exit_code == 0
    assert "--json" in shown.stdout
    assert f"confide {' '.join(path)}" in shown.stdout.split("Example", 1)[1]


def test_help_explains_entities_and_places(run: Run) -> None:
    shown = run("--help").stdout
    for word in ("ENTITY", "human:alice", "PLACE", "group:ID", "restricted:ID@SPACE", "ctx:ID"):
        assert word in shown


def test_help_promises_the_keys_that_are_printed(ask: Ask, run: Run) -> None:
    asked = {
        ("status",): (),
        ("config", "show"): (),
        ("places", "list"): (),
        ("db", "status"): (),
        ("db", "migrate"): (),
        ("db", "upgrade"): (),
        ("db", "provision-sql"): (),
        ("memories",): ("--as", "human:al"),
        ("recall",): ("x", "--as", "human:al", "--in", "dm"),
        ("remember",): ("Likes tea", "--by", "human:al", "--in", "dm"),
    }
    for path, rest in asked.items():
        if path == ("db", "upgrade"):
            continue  # it would stop the server of the other tests
        promised = run(*path, "--help").stdout.split("JSON:")[1]
        for key in ask(*path, *rest):
            assert key in promised, (path, key)


@pytest.mark.req("S17")
def test_every_setting_is_shown_with_its_source_and_listed_in_the_example(
    ask: Ask, run: Run, tmp_path: Path
) -> None:
    config = tmp_path / "config.toml"
    config.write_text("top_k = 9\nundo_hours = 9\nconsent_days = 9\n")
    url = "postgresql://confide:hunter2@localhost/confide"
    env = {
        "CONFIDE_CONFIG": str(config),
        "CONFIDE_TOP_K": "3",
        "CONFIDE_DATABASE_URL": url,
        "CONFIDE_DAYS_EVENT": "never",
    }
    shown = ask("config", "show", **env)["settings"]
    assert [one["name"] for one in shown] == list(Settings.model_fields)
    found = {one["name"]: (one["value"], one["source"]) for one in shown}
    assert found["home"][1] == found["agent"][1] == "command line"
    assert found["top_k"] == (3, "environment")
    assert found["undo_hours"] == (9, str(config))
    assert found["consent_days"] == (9, str(config))
    assert found["pool_size"] == (8, "default")
    assert found["database_url"] == ("********", "environment")
    assert found["days_event"] == (None, "environment")
    words = run("config", "show", **env).stdout
    assert "hunter2" not in words
    listed = EXAMPLES.read_text(encoding="utf-8")
    for one in shown:
        assert one["variable"] in words
        assert f"{one['variable']}=" in listed
        assert one["help"]
        assert one["help"] in listed


@pytest.mark.req("S17")
def test_the_example_copied_as_it_is_changes_nothing(ask: Ask, tmp_path: Path) -> None:
    before = ask("config", "show")["settings"]
    uncommented = EXAMPLES.read_text(encoding="utf-8").replace("# CONFIDE_", "CONFIDE_")
    copied = tmp_path / "settings.env"
    copied.write_text(uncommented)
    after = ask("config", "show", "--env-file", str(copied))["settings"]
    assert [one["value"] for one in after] == [one["value"] for one in before]


def test_status_says_what_there_is(ask: Ask, run: Run, agent: str, home: Path) -> None:
    ask("remember", "Likes tea", "--by", "human:alice", "--in", "dm")
    status = ask("status")
    assert status["agent"] == agent
    assert status["database"]["kind"] == "embedded"
    assert status["database"]["home"] == str(home)
    assert status["database"]["size_bytes"] > 0
    assert status["memories"]["approved"] == 1
    words = run("status").stdout
    assert f"PostgreSQL {status['database']['postgres']}, pgvector 0.8" in words
    assert "1 approved" in words


def test_looking_makes_no_database(run: Run, tmp_path: Path) -> None:
    empty = tmp_path / "none"
    for command in (("status",), ("db", "status"), ("db", "stop"), ("config", "show")):
        done = run(*command, "--home", str(empty))
        assert done.exit_code == 0, done.stderr
    assert not empty.exists()


@pytest.mark.req("B10")
def test_help_imports_nothing_heavy() -> None:
    code = "import sys; from confide.surfaces.cli.app import build; build();"
    code += f"print([m for m in {HEAVY!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_a_recall_loads_nothing_that_it_does_not_need() -> None:
    """A recall from the shell is mostly loading; how long it takes is for a benchmark."""
    unneeded = ["phonenumbers", "wordllama", "huggingface_hub", "pydantic_ai", "voyageai"]
    code = "import sys, confide.memories, confide.reading;"
    code += f"print([m for m in {unneeded!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_a_process_without_input_remembers_and_recalls(start: Start) -> None:
    said = start("remember", "Grüße an Zoë 🦊", "--by", "human:zoë", "--in", "dm", stdin=None)
    assert said.returncode == 0, said.stderr
    told = start("recall", "Grüße an Zoë", "--as", "human:zoë", "--in", "dm", "--json")
    assert json.loads(told.stdout)["memories"][0]["text"] == "Grüße an Zoë 🦊"


def test_a_terminal_that_lacks_letters_is_no_reason_to_fail(start: Start) -> None:
    start("remember", "Grüße 🦊", "--by", "human:zoe", "--in", "dm")
    latin = {"PYTHONIOENCODING": "latin-1"}
    told = start("memories", "--as", "human:zoe", env=latin, encoding="latin-1")
    assert told.returncode == 0, told.stderr
    assert r"Grüße \U0001f98a" in told.stdout


@pytest.mark.parametrize("command", ["config show", "memories --as human:al", "--help"])
def test_whoever_stops_reading_gets_no_traceback(command: str, home: Path) -> None:
    read_end, write_end = os.pipe()
    os.close(read_end)
    done = subprocess.run(
        [*PROGRAM, *command.split(), "--home", str(home)][: None if command != "--help" else 4],
        stdout=write_end,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(write_end)
    assert done.stderr == b""
    assert done.returncode in (0, 1)


@pytest.mark.parametrize("command", ["config show", "memories --as human:al", "status"])
def test_a_closed_output_is_no_reason_to_fail(command: str, home: Path) -> None:
    words = [*PROGRAM, *command.split(), "--home", str(home)]
    shell = ["sh", "-c", 'exec "$@" <&- >&-', "sh", *words]
    done = subprocess.run(shell, stderr=subprocess.PIPE, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_terminal_is_asked_before_anything_is_forgotten(home: Path, agent: str, ask: Ask) -> None:
    id = ask("remember", "Likes tea", "--by", "human:alice", "--in", "dm")["id"]
    words = ["forget", id, "--as", "human:alice", "--now", "--home", str(home), "--agent", agent]
    code, shown = on_terminal(words, "n\n")
    assert code == 1
    assert "Erase it for good?" in shown
    assert ask("memories", "--as", "human:alice")["count"] == 1
    code, shown = on_terminal(words, "y\n")
    assert code == 0, shown
    assert ask("memories", "--as", "human:alice")["count"] == 0


def on_terminal(words: list[str], typed: str) -> tuple[int, str]:
    pid, terminal = pty.fork()
    if pid == 0:
        os.execv(sys.executable, [*PROGRAM, *words])
    shown = b""
    deadline = time.monotonic() + 60
    while b"?" not in shown and time.monotonic() < deadline:
        if select.select([terminal], [], [], 1)[0]:
            shown += os.read(terminal, 1024)
    os.write(terminal, typed.encode())
    try:
        while chunk := os.read(terminal, 1024):
            shown += chunk
    except OSError:
        pass  # Linux says so when the other end is gone
    _, status = os.waitpid(pid, 0)
    os.close(terminal)
    return os.waitstatus_to_exitcode(status), shown.decode()
