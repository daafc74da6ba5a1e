"""`confide observe`, `worker`, `jobs` and `sessions`, as somebody types them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .conftest import Ask, Run


def line(n: int, text: str, **fields: object) -> str:
    told = {"id": f"{n}", "in": "group:tea", "by": "human:alice", "text": text}
    return json.dumps(told | {"at": "2026-03-01T12:00:00Z"} | fields)


@pytest.fixture
def chat(tmp_path: Path) -> Path:
    file = tmp_path / "chat.jsonl"
    file.write_text(
        "\n".join(
            [
                line(1, "Hi there!"),
                line(2, "I love oolong tea.", present=["human:bob"]),
                line(3, "My favourite colour is green."),
                line(4, "You love oolong tea.", by="si:bot", from_agent=True),
                line(5, "I love the secret sencha.", to_agent=False),
            ]
        )
    )
    return file


@pytest.mark.req("S11")
def test_a_file_is_observed_and_learned_from_before_it_returns(ask: Ask, chat: Path) -> None:
    answer = ask("observe", str(chat), "--wait")
    assert answer["observed"] == 4
    assert answer["ignored"] == {"not addressed to the agent": 1}
    assert (answer["learned_from"], answer["memories_added"]) == (3, 2)
    told = ask("recall", "which tea?", "--as", "human:bob", "--in", "group:tea")
    assert "I love oolong tea." in [one["text"] for one in told["memories"]]
    again = ask("observe", str(chat), "--wait")
    assert (again["observed"], again["known"], again["memories_added"]) == (0, 4, 0)


@pytest.mark.req("S11")
def test_sessions_and_jobs_show_numbers_and_no_content(run: Run, ask: Ask, chat: Path) -> None:
    ask("observe", str(chat))
    (session,) = ask("sessions")["sessions"]
    assert (session["message_count"], session["unlearned"], session["is_open"]) == (3, 3, True)
    assert ask("jobs")["count"] == 0
    assert ask("worker", "--once") == {"messages": 0}
    for words in (("sessions",), ("jobs",)):
        shown = run(*words).stdout
        assert "oolong" not in shown


@pytest.mark.req("S11")
def test_every_wrong_line_is_named_and_none_is_kept(run: Run, ask: Ask, tmp_path: Path) -> None:
    file = tmp_path / "chat.jsonl"
    file.write_bytes(
        "\n".join(
            [
                line(1, "I love oolong tea."),
                "not json",
                "[]",
                line(4, ""),
                line(5, "hello", by="alice"),
                line(6, "hello", at="noon"),
                line(7, "hello", to_agent="false"),
                line(8, "hello", mood="good"),
                line(9, "hello", **{"in": "nowhere"}),
            ]
        ).encode()
        + b'\n{"id": "\xff"}'
    )
    refused = run("observe", str(file), "--wait")
    assert refused.exit_code == 2
    for n in range(2, 11):
        assert f"line {n}: " in refused.stderr
    assert "line 1: " not in refused.stderr
    assert ask("sessions")["count"] == 0


def test_a_file_that_is_not_there_is_named(run: Run) -> None:
    refused = run("observe", "nowhere.jsonl")
    assert refused.exit_code == 2
    assert "FILE" in refused.stderr
