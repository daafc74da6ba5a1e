"""`confide mcp install`: shows the change, writes it after a yes, keeps what was there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.mcp.conftest import Connect
from typer.testing import CliRunner, Result

from confide.surfaces.cli.app import build
from confide.surfaces.mcp.install import CLIENTS

OTHER = {"mcpServers": {"other": {"command": "x", "env": {"KEY": "sk-secret"}}}, "theme": "dark"}


def install(file: Path, *words: str, client: str = "cursor", input: str | None = None) -> Result:
    given = ["mcp", "install", "--client", client, "--as", "human:me", "--file", str(file)]
    return CliRunner().invoke(build(), [*given, *words], input=input)


@pytest.mark.req("K16")
def test_it_shows_the_change_and_writes_it_after_a_yes(tmp_path: Path) -> None:
    file = tmp_path / "mcp.json"
    file.write_text(json.dumps(OTHER, indent=2))
    before = file.read_text()
    asked = install(file, input="n\n")
    assert asked.exit_code == 0
    assert '+    "confide": {' in asked.stdout
    assert "sk-secret" not in asked.stdout
    assert file.read_text() == before
    assert install(file, input="y\n").exit_code == 0
    written = json.loads(file.read_text())
    assert written["theme"] == "dark"
    assert written["mcpServers"]["other"] == OTHER["mcpServers"]["other"]
    command = written["mcpServers"]["confide"]
    assert Path(command["command"]).is_absolute()
    assert command["args"][-3:] == ["mcp", "--as", "human:me"]
    assert (tmp_path / "mcp.json.before-confide").read_text() == before
    assert "already" in install(file).stdout


@pytest.mark.parametrize("client", CLIENTS)
def test_a_new_file_is_made_for_every_client(tmp_path: Path, client: str) -> None:
    file = tmp_path / "deep" / "config.json"
    done = install(file, "--yes", "--json", client=client)
    assert done.exit_code == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["changed"]
    assert told["backup"] is None
    assert "confide" in json.loads(file.read_text())[CLIENTS[client].table]
    assert CLIENTS[client].file().is_absolute()


@pytest.mark.parametrize("text", ["{ // a comment\n}", "[]", '{"mcpServers": []}'])
def test_a_file_it_does_not_understand_stays_as_it_is(tmp_path: Path, text: str) -> None:
    file = tmp_path / "mcp.json"
    file.write_text(text)
    done = install(file, "--yes")
    assert done.exit_code == 2
    assert str(file) in done.stderr
    assert file.read_text() == text
    assert list(tmp_path.iterdir()) == [file]


def test_an_unknown_client_is_answered_with_those_that_are_known(tmp_path: Path) -> None:
    done = install(tmp_path / "x", client="netscape")
    assert done.exit_code == 2
    assert "claude-desktop" in done.stderr
    assert "--yes" in install(tmp_path / "x", "--json").stderr


@pytest.mark.req("K16")
async def test_what_was_written_starts(
    tmp_path: Path, home: Path, agent: str, start: Connect
) -> None:
    file = tmp_path / "mcp.json"
    assert install(file, "--yes", "--home", str(home), "--agent", agent).exit_code == 0
    entry = json.loads(file.read_text())["mcpServers"]["confide"]
    words = entry["args"][entry["args"].index("mcp") + 1 :]
    assert words == ["--as", "human:me", "--home", str(home), "--agent", agent]
    async with start("--as", "human:me") as client:
        assert (await client.list_tools()).tools
