"""`confide review` as a person types it."""

from __future__ import annotations

import pytest
from tests.cli.conftest import Ask, Run

ALICE = ("--as", "human:alice")


def doubtful(ask: Ask, text: str) -> str:
    made = ask("remember", f"My passport is X1234567, {text}", "--by", "human:alice", "--in", "dm")
    assert made["status"] == "pending"
    return made["id"]


@pytest.mark.req("P6")
def test_a_queue_is_worked_off_from_the_command_line(run: Run, ask: Ask) -> None:
    one, two, three = (doubtful(ask, text) for text in ("I keep bees", "I sail", "I sing"))
    listed = ask("review", "list", *ALICE)
    assert [(w["id"], w["reason"]) for w in listed["waiting"]] == [
        (id, "personal-data") for id in (one, two, three)
    ]
    assert ask("review", "list")["waiting"][0]["text"] is None
    assert ask("review", "show", one, *ALICE)["text"] == "My passport is X1234567, I keep bees"
    assert ask("review", "edit", one, "I keep wasps", *ALICE)["decided"][0]["status"] == "pending"
    assert ask("review", "move", two, "--namespace", "boat", *ALICE)["count"] == 1
    done = ask("review", "approve", one, two, *ALICE)
    assert [d["status"] for d in done["decided"]] == ["approved", "approved"]
    assert ask("review", "reject", "--all-from", "personal-data", *ALICE)["count"] == 1
    assert run("review", "list", *ALICE).stdout == "Nothing waits.\n"
    log = ask("audit", "log", "--memory", one, *ALICE)["entries"]
    assert [(e["doing"], e["action"]) for e in log][:2] == [
        ("approve", "approved"),
        ("edit", "edited"),
    ]
    assert ask("audit", "verify")["sound"]


def test_bad_input_is_named_and_changes_nothing(run: Run, ask: Ask) -> None:
    id = doubtful(ask, "I keep bees")
    for words, said in (
        (("approve", *ALICE), "--all-from"),
        (("approve", id, "--all-from", "personal-data", *ALICE), "--all-from"),
        (("approve", "--all-from", "boredom", *ALICE), "boredom"),
        (("move", id, *ALICE), "scope"),
        (("move", id, "--scope", "global", *ALICE), "scope"),
        (("edit", id, " ", *ALICE), "text"),
    ):
        result = run("review", *words)
        assert result.exit_code == 2, words
        assert said in result.stderr.casefold()
    for words in (("approve", id, "--as", "human:eve"), ("show", "nonsense", *ALICE)):
        result = run("review", *words)
        assert result.exit_code == 1
        assert "no such memory" in result.stderr
    assert ask("review", "list", *ALICE)["count"] == 1
