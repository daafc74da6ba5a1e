"""`confide mcp install`: shows the change, writes it after a yes, keeps what was there."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from mcp.client.stdio import StdioServerParameters, stdio_client
from tests.mcp.conftest import Connect, Keys, call, texts
from typer.testing import CliRunner, Result

from confide.surfaces.cli.app import build
from confide.surfaces.mcp.client_files import read_table
from confide.surfaces.mcp.install import CLIENTS
from confide.surfaces.mcp.profiles import SOLO
from mcp import Client

OTHER = {"mcpServers": {"other": {"command": "x", "env": {"KEY": "sk-secret"}}}, "theme": "dark"}


def run(*words: str, input: str | None = None) -> Result:
    return CliRunner().invoke(build(), ["mcp", *words], input=input)


def install(file: Path, *words: str, client: str = "cursor", input: str | None = None) -> Result:
    given = ["install", "--client", client, "--as", "human:me", "--file", str(file)]
    return run(*given, *words, input=input)


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
    file = tmp_path / "deep" / CLIENTS[client].file().name
    done = install(file, "--yes", "--json", client=client)
    assert done.exit_code == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["changed"]
    assert told["backup"] is None
    assert CLIENTS[client].file().is_absolute()
    entry = read_table(file, CLIENTS[client].table)["confide"]
    assert entry["args"][-2:] == ["--as", "human:me"]
    again = install(file, "--yes", "--json", client=client)
    assert not json.loads(again.stdout)["changed"]
    gone = run("uninstall", "--client", client, "--file", str(file), "--yes")
    assert gone.exit_code == 0, gone.stderr
    assert read_table(file, CLIENTS[client].table) == {}


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


def test_settings_in_force_are_written_along_and_secrets_are_not_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CONFIDE_HOME", str(tmp_path / "memory"))
    monkeypatch.setenv("CONFIDE_DATABASE_URL", "postgresql://me:hunter2@db/x")
    monkeypatch.setenv("CONFIDE_TOP_K", "7")
    monkeypatch.setenv("VOYAGE_API_KEY", "pa-not-for-a-file")
    file = tmp_path / "mcp.json"
    done = install(file, "--yes", "--agent", "mine")
    assert done.exit_code == 0, done.stderr
    assert "hunter2" not in done.stdout
    entry = json.loads(file.read_text())["mcpServers"]["confide"]
    secret = tmp_path / "memory" / "secrets" / "confide_database_url"
    assert entry["env"] == {
        "CONFIDE_DATABASE_URL_FILE": str(secret),
        "CONFIDE_HOME": str(tmp_path / "memory"),
        "CONFIDE_TOP_K": "7",
    }
    assert "hunter2" not in file.read_text()
    assert secret.read_text() == "postgresql://me:hunter2@db/x\n"
    assert secret.stat().st_mode & 0o077 == 0
    assert str(secret) in done.stdout
    assert entry["args"][-2:] == ["--agent", "mine"]
    install(file, "--yes", "--home", str(tmp_path))
    entry = json.loads(file.read_text())["mcpServers"]["confide"]
    assert "CONFIDE_HOME" not in entry["env"], "an option wins over the environment"


@pytest.mark.req("S24", "P2")
async def test_with_a_server_its_key_stays_out_of_the_file_and_projects_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, url: str, keys: Keys
) -> None:
    monkeypatch.setenv("CONFIDE_HOME", str(tmp_path / "memory"))
    monkeypatch.setenv("CONFIDE_URL", url.removesuffix("/mcp"))
    file = tmp_path / "mcp.json"
    assert "CONFIDE_KEY" in install(file, "--yes").stderr
    secret = await keys.personal("human:me")
    monkeypatch.setenv("CONFIDE_KEY", secret)
    done = install(file, "--yes")
    assert done.exit_code == 0, done.stderr
    assert secret not in done.stdout + file.read_text()
    entry = json.loads(file.read_text())["mcpServers"]["confide"]
    monkeypatch.delenv("CONFIDE_KEY")
    for name in ("web", "shop"):
        (tmp_path / name / ".git").mkdir(parents=True)
        given = StdioServerParameters(
            command=entry["command"],
            args=entry["args"],
            cwd=tmp_path / name,
            env={**os.environ, **entry["env"]},
        )
        async with Client(stdio_client(given)) as client:
            assert {one.name for one in (await client.list_tools()).tools} == {
                tool.name for tool in SOLO.tools
            }
            if name == "web":
                kept = await call(client, "remember", text="The API listens on port 8080.")
                assert kept["kept_for"] == "project"
                await call(client, "remember", text="I prefer tabs over spaces.")
            told = await texts(client, "API port, tabs or spaces?", "recall")
        wanted = {"I prefer tabs over spaces."}
        assert told == (wanted | {"The API listens on port 8080."} if name == "web" else wanted)


def test_a_toml_file_keeps_its_comments_and_other_servers(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    before = '# mine\nmodel = "x"\n\n[mcp_servers.other]\ncommand = "y" # theirs\n'
    file.write_text(before)
    assert install(file, "--yes", "--agent", "one", client="codex").exit_code == 0
    assert install(file, "--yes", "--agent", "two", client="codex").exit_code == 0
    text = file.read_text()
    assert text.startswith(before.rstrip())
    assert text.count("[mcp_servers.confide]") == 1
    assert '"two"' in text
    assert run("uninstall", "--client", "codex", "--file", str(file), "--yes").exit_code == 0
    assert file.read_text() == before
    file.write_text('mcp_servers = { confide = { command = "z" } }\n')
    assert "by hand" in install(file, "--yes", client="codex").stderr


@pytest.mark.req("K16")
def test_status_says_whether_what_a_client_starts_answers(tmp_path: Path, home: Path) -> None:
    file = tmp_path / "mcp.json"
    look = ["status", "--client", "cursor", "--file", str(file)]
    assert "not installed" in run(*look).stdout
    install(file, "--yes", "--home", str(home))
    ready = run(*look)
    assert (ready.exit_code, "answers" in ready.stdout) == (0, True), ready.stdout
    entry = json.loads(file.read_text())
    entry["mcpServers"]["confide"]["command"] = str(tmp_path / "gone")
    file.write_text(json.dumps(entry))
    broken = run(*look, "--json")
    assert broken.exit_code == 1
    assert json.loads(broken.stdout)["clients"][0]["state"] == "broken"
