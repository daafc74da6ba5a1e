"""`confide forget`, `restore`, `backup` and `db scrub` as they are typed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.conftest import Ask, Run, ask, run

__all__ = ["ask", "run"]
ZED = ("--as", "human:zed")
QUESTION = ("recall", "what does Zed keep?", *ZED, "--in", "dm")


def keep(ask: Ask, what: str, *where: str) -> str:
    return ask("remember", what, "--by", "human:zed", *(where or ("--in", "dm")))["id"]


@pytest.mark.req("S21", "P10")
def test_forgetting_a_person_shows_counts_only_and_can_be_undone(ask: Ask, run: Run) -> None:
    keep(ask, "I keep quokkas")
    keep(ask, "I keep bees")
    done = run("forget", "--person", "human:zed", *ZED, "--yes")
    assert done.exit_code == 0, done.stderr
    assert "memories 2" in done.stdout
    assert "quokka" not in done.stdout + done.stderr
    assert ask(*QUESTION)["count"] == 0
    id = done.stdout.split("confide restore ")[1].split("`")[0]
    assert run("restore", id, "--as", "human:bob").exit_code == 1
    assert ask("restore", id, *ZED) == {"id": id, "restored": True, "memories": 2}
    assert ask(*QUESTION)["count"] == 2
    gone = ask("forget", "--person", "human:zed", *ZED, "--now", "--yes")
    assert gone["is_erased"]
    assert gone["counts"]["memories"] == 2
    assert gone["found"]
    assert not any(gone["found"].values())
    assert run("restore", gone["id"], *ZED).exit_code == 1


def test_without_a_terminal_and_a_yes_nothing_is_forgotten(ask: Ask, run: Run) -> None:
    keep(ask, "I keep quokkas")
    for what in (("--person", "human:zed"), ("--place", "dm", *ZED), ("--source", "x"), ("--all",)):
        refused = run("forget", *what)
        assert refused.exit_code == 2
        assert "--yes" in refused.stderr
    assert ask(*QUESTION)["count"] == 1


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("--person", "human:zed", "--all"),
        ("5f0c", "--all"),
        ("--person", "nobody"),
        ("--place", "nowhere"),
        ("--place", "dm"),
        ("--source", ""),
        ("--all", *ZED),
        ("--place", "group:crew", *ZED),
        ("--person", "human:bob", *ZED),
    ],
)
def test_a_wrong_wish_is_refused_with_the_fix_and_changes_nothing(
    ask: Ask, run: Run, words: tuple[str, ...]
) -> None:
    keep(ask, "I keep quokkas")
    refused = run("forget", *words, "--yes")
    assert refused.exit_code == 2, refused.stderr
    assert ask(*QUESTION)["count"] == 1


@pytest.mark.req("A6")
def test_who_runs_the_agent_forgets_anything_by_saying_nobody(ask: Ask) -> None:
    id = keep(ask, "I keep quokkas")
    assert ask("forget", id, "--now", "--yes")["erased"]
    keep(ask, "We keep quokkas", "--in", "group:crew")
    assert ask("forget", "--place", "group:crew", "--now", "--yes")["counts"]["memories"] == 1
    keep(ask, "I keep bees")
    assert ask("forget", "--all", "--now", "--yes")["counts"]["memory"] == 1
    assert ask(*QUESTION)["count"] == 0


def test_a_backup_is_made_and_brought_back(ask: Ask, run: Run, tmp_path: Path) -> None:
    keep(ask, "I keep quokkas")
    file = tmp_path / "monday.confide"
    made = ask("backup", str(file))
    assert made["rows"] > 0
    assert run("backup", str(file)).exit_code == 2
    refused = run("restore", str(file))
    assert refused.exit_code == 2
    assert "--replace" in refused.stderr
    assert "--yes" in run("restore", str(file), "--replace").stderr
    assert run("restore", str(tmp_path / "none.confide")).exit_code == 2
    told = json.loads(run("restore", str(file), "--fingerprint", "0" * 64, "--json").stderr)
    assert told["error"]["field"] == "fingerprint"


@pytest.mark.parametrize("command", ["scrub", "move"])
def test_the_commands_teach_with_an_example(run: Run, command: str) -> None:
    assert "Example:" in run("db", command, "--help").stdout
