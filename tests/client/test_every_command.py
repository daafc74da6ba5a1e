"""Every command works with a key, says why it does not, or touches nobody's memory."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from tests.client.commands import BY_SETTINGS, TYPED, WAITING
from tests.client.conftest import Run, remote
from tests.http.conftest import Served, serving

from confide import Confide, statement
from confide.surfaces.cli.app import build
from confide.surfaces.cli.remote import HERE_ONLY, NO_MEMORY, refused

DOCUMENT = (Path(__file__).parents[2] / "docs" / "client.md").read_text(encoding="utf-8")
#: How each command on the list is typed.
REFUSED = {
    "db": ("db", "status"),
    "serve": ("serve", "--port", "0"),
    "worker": ("worker",),
    "backup": ("backup", "all.backup"),
    "restore FILE": ("restore", "all.backup", "--yes"),
    "forget --all": ("forget", "--all", "--yes"),
    "stack": ("stack", "export", "--to", "si:other"),
    "keys create": ("keys", "create", "admin"),
    "console": ("console", "link", "--operator"),
    "generalizations approve": ("generalizations", "approve", "5f0c"),
    "audit verify --accept": ("audit", "verify", "--accept"),
    "observe --wait": ("observe", "chat.jsonl", "--wait"),
    "import --as-it-was": ("import", "chat.jsonl", "--as", "human:me", "--as-it-was"),
    "sources": ("sources", "list"),
    "chat --here": ("chat", "--here"),
}


def commands() -> Iterator[str]:
    def walk(command: Any, path: tuple[str, ...]) -> Iterator[str]:
        for name, one in getattr(command, "commands", {}).items():
            yield from walk(one, (*path, name))
        if not getattr(command, "commands", None):
            yield " ".join(path)

    return walk(typer.main.get_command(build()), ())


@pytest.mark.req("K14")
def test_every_command_is_offered_or_on_the_list_with_a_reason() -> None:
    offered = {one.command for one in TYPED} | set(BY_SETTINGS)
    for command in commands():
        places = [
            command in offered,
            command in NO_MEMORY,
            refused(command, set()) is not None and command != "worker",
        ]
        assert sum(places) == 1, f"{command} is remote, on the list, or without a memory: {places}"
    assert set(REFUSED) == set(HERE_ONLY), "each is tried"
    assert offered | NO_MEMORY <= set(commands())


def test_the_list_is_in_the_document() -> None:
    for words, refusal in HERE_ONLY.items():
        assert f"| `{words}` | {refusal.why} | {refusal.instead} |" in DOCUMENT, words


async def test_what_is_on_the_list_is_refused_with_the_reason_and_asks_nothing() -> None:
    # Nobody listens there: a command that asked would say so.
    far = remote("http://127.0.0.1:9", "cfd_x")
    for words, typed in REFUSED.items():
        done = await far(*typed)
        assert done.exit_code == 1, words
        assert done.stdout == ""
        assert HERE_ONLY[words].why in done.stderr
        assert HERE_ONLY[words].instead in done.stderr


@pytest.mark.req("K14")
async def test_every_command_works_with_a_key(home: Path, agent: str, tmp_path: Path) -> None:
    _write(tmp_path)
    # In the real time, which is the command line's.
    async with (
        Confide.open(home, agent=agent, learn=False) as confide,
        serving(confide) as served,
    ):
        known = {"folder": str(tmp_path), "platform_key": ""}
        lines = {
            kind: remote(served.url, await served.key(kind, **fields))
            for kind, fields in (
                ("platform", {"platform": "local"}),
                ("admin", {}),
                ("auditor", {}),
            )
        }
        keys = await confide.keys.list()
        known["platform_key"] = next(str(one.id) for one in keys if one.platform)
        for name in WAITING:
            doubt = statement(f"I keep {name} ants", by="human:alice", place="dm", confidence=0.1)
            known[name] = str((await confide.remember(doubt)).id)
        for one in TYPED:
            words = (word.format(**known) for word in one.words)
            done = await lines[one.key](*one.command.split(), *words, "--json")
            assert done.exit_code == 0, (one, done.output)
            answer: Any = json.loads(done.stdout)
            for name, path in one.keeps.items():
                found = answer
                for step in path:
                    found = found[step]
                known[name] = found
        ended = await lines["platform"]("memories", "--as", "human:alice")
        assert ended.exit_code == 1, "its own key was rotated, and revoked"
        await _refused_by_settings(served, lines["admin"])


async def _refused_by_settings(served: Served, admin: Run) -> None:
    for command, words in BY_SETTINGS.items():
        done = await admin(command, *words)
        assert done.exit_code == 2, done.output
        assert "built-in" in done.stderr
    other = await admin("reembed", "--to", "voyage-3-large")
    assert "CONFIDE_EMBEDDER" in other.stderr, "whither words leave is the server's setting"


def _write(folder: Path) -> None:
    seen = {"place": "restricted:mods@guild", "members": ["human:mia"]}
    (folder / "places.jsonl").write_text(json.dumps(seen) + "\n", encoding="utf-8")
    said = {
        "id": "1/2", "in": "group:tea", "by": "human:alice", "text": "I love oolong.",
        "at": "2026-11-01T12:00:00Z",
    }  # fmt: skip
    (folder / "chat.jsonl").write_text(json.dumps(said) + "\n", encoding="utf-8")
    turns = [{"role": "user", "content": "I love oolong."}]
    (folder / "chat.json").write_text(json.dumps(turns), encoding="utf-8")
