"""`confide observe`, `sources`, `forget --source` and `privacy export --source` as they are typed."""

from __future__ import annotations

import hashlib
import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.conftest import Ask, Run, ask, run

__all__ = ["ask", "run"]
ALICE, BOB = ("--as", "human:alice"), ("--as", "human:bob")
DYING = Path(__file__).with_name("dying.py")
ABSENT = "6f1c2d9e-0b57-4a52-9d1f-3f2a6f6f0c11"


def line(n: int, text: str, by: str = "human:alice", platform: str = "discord") -> str:
    said = {"id": f"{n}", "in": "group:tea", "by": by, "text": text, "platform": platform}
    return json.dumps(said | {"at": "2026-03-01T12:00:00Z"})


@pytest.fixture
def chat(tmp_path: Path) -> Path:
    file = tmp_path / "folder-of-eve" / "bob-canary.jsonl"
    file.parent.mkdir()
    said = [
        line(1, "I love oolong tea."),
        line(2, "I love canary seed.", by="human:bob"),
        line(3, "My favourite colour is green."),
        line(4, "I love canary yellow.", by="human:bob"),
    ]
    file.write_text("\n".join(said), encoding="utf-8")
    return file


@pytest.mark.req("P7")
def test_a_file_is_known_by_its_hash_and_listed_without_words(
    run: Run, ask: Ask, chat: Path
) -> None:
    done = ask("observe", str(chat), "--wait")
    digest = hashlib.sha256(chat.read_bytes()).hexdigest()
    id = done["batch"]["id"]
    assert done["batch"] == {"id": id, "known": False, "resumed": False, "sha256": digest}
    shown = ask("sources", "show", id)
    assert (shown["file_name"], shown["sha256"]) == ("bob-canary.jsonl", digest)
    assert shown["counts"] == {"lines": 4, "stored": 4, "known": 0, "refused": 0}
    assert ask("sources", "list")["batches"] == [shown]
    printed = run("sources", "list").stdout
    assert "bob-canary.jsonl" in printed
    assert "oolong" not in printed
    assert "folder-of-eve" not in printed + json.dumps(ask("sources", "list"))
    again = run("observe", str(chat))
    assert "taken in before" in again.stdout
    assert ask("observe", str(chat))["batch"]["known"]
    assert ask("sources", "show", id)["counts"] == shown["counts"]


@pytest.mark.req("P7")
def test_standard_input_is_a_batch_too(run: Run, ask: Ask) -> None:
    done = run("observe", "-", "--json", input=line(1, "I love oolong tea.") + "\n")
    assert done.exit_code == 0, done.stderr
    (batch,) = ask("sources", "list")["batches"]
    assert (batch["file_name"], batch["counts"]["stored"]) == ("-", 1)


@pytest.mark.req("P7")
def test_a_file_with_a_wrong_line_is_no_batch(run: Run, ask: Ask, chat: Path) -> None:
    chat.write_text(chat.read_text() + "\nnot json")
    assert run("observe", str(chat)).exit_code == 2
    assert ask("sources", "list") == {"platforms": [], "batches": [], "stacks": []}
    assert "Nothing came" in run("sources", "list").stdout


@pytest.mark.req("P7")
@pytest.mark.parametrize("kept", [1, 3])
def test_killed_in_the_middle_and_given_again_it_is_completed(
    ask: Ask, home: Path, agent: str, chat: Path, kept: int
) -> None:
    words = [sys.executable, str(DYING), str(home), agent, str(chat), str(kept)]
    died = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
    assert died.returncode == -signal.SIGKILL, died.stderr
    (cut,) = ask("sources", "list")["batches"]
    assert cut["finished_at"] is None
    assert cut["counts"] == {"lines": 4, "stored": kept, "known": 0, "refused": 0}
    done = ask("observe", str(chat))
    assert (done["observed"], done["known"]) == (4 - kept, kept)
    assert done["batch"]["resumed"]
    (whole,) = ask("sources", "list")["batches"]
    assert (whole["id"], whole["times_given"]) == (cut["id"], 2)
    assert whole["finished_at"] is not None
    assert whole["counts"] == {"lines": 4, "stored": 4, "known": 0, "refused": 0}


@pytest.mark.req("P7")
def test_a_person_lists_exports_and_forgets_what_came_in_a_file(
    run: Run, ask: Ask, chat: Path, tmp_path: Path
) -> None:
    id = ask("observe", str(chat), "--wait")["batch"]["id"]
    for words in (("sources", "list"), ("sources", "show", id)):
        seen = run(*words, *ALICE)
        assert seen.exit_code == 0
        assert "2 messages, 2 memories" in seen.stdout
        assert "canary" not in seen.stdout + json.dumps(ask(*words, *ALICE))
    shown = ask("sources", "show", id, *ALICE)
    assert (shown["file_name"], shown["sha256"]) == (None, None)
    assert "counts" not in shown
    out = tmp_path / "export"
    ask("privacy", "export", *ALICE, "--source", id, "--out", str(out))
    exported = json.loads((out / "export.json").read_text(encoding="utf-8"))
    assert {one["text"] for one in exported["messages"]} == {
        "I love oolong tea.",
        "My favourite colour is green.",
    }
    assert "canary" not in (out / "export.json").read_text() + (out / "export.md").read_text()
    gone = ask("forget", "--source", id, *ALICE, "--now", "--yes")
    assert (gone["counts"]["messages"], gone["found"]["message"]) == (2, 0)
    assert run("sources", "show", id, *ALICE).exit_code == 1
    assert ask("sources", "show", id, *BOB)["messages"] == 2


@pytest.mark.req("P7")
def test_hidden_absent_and_misspelt_sources_read_alike(
    run: Run, ask: Ask, chat: Path, tmp_path: Path
) -> None:
    id = ask("observe", str(chat), "--wait")["batch"]["id"]
    zed = ("--as", "human:zed")
    for words in (("sources", "show"), ("privacy", "export", "--out", "{out}", "--source")):
        answers = set()
        for n, wanted in enumerate((id, ABSENT, "nowhere")):
            typed = (word.format(out=tmp_path / f"{words[0]}{n}") for word in words)
            done = run(*typed, wanted, *zed)
            assert done.exit_code == 1
            answers.add((done.stdout, done.stderr))
        assert len(answers) == 1
    counted = [
        run("forget", "--source", wanted, *zed, "--now", "--yes").stdout for wanted in (id, ABSENT)
    ]
    assert counted[0] == counted[1]
    refused = run("sources", "list", "--as", "zed")
    assert (refused.exit_code, "--as" in refused.stderr) == (2, True)
