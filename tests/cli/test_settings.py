"""Where settings come from, and that a slip is named instead of ignored."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cli.conftest import Run
from typer.testing import CliRunner

from confide.config import Settings, read_settings, sources, variable
from confide.errors import InvalidInput
from confide.surfaces.cli.app import build

pytestmark = pytest.mark.req("S17")
Show = Callable[..., dict[str, tuple[Any, str]]]


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's folders, with nothing in them."""
    for name in ("home", "config", "work"):
        (tmp_path / name).mkdir()
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("CONFIDE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CONFIDE_CONFIG", str(tmp_path / "config" / "config.toml"))
    monkeypatch.chdir(tmp_path / "work")
    return tmp_path


@pytest.fixture
def show() -> Show:
    def invoke(*words: str) -> dict[str, tuple[Any, str]]:
        done = CliRunner().invoke(build(), ["config", "show", "--json", *words])
        assert done.exit_code == 0, done.stderr
        told = json.loads(done.stdout)["settings"]
        return {one["name"]: (one["value"], one["source"]) for one in told}

    return invoke


def test_the_first_source_that_names_a_setting_wins(
    folders: Path, show: Show, monkeypatch: pytest.MonkeyPatch
) -> None:
    given, home, config = folders / "my.env", folders / "home/.env", folders / "config/config.toml"
    assert show()["agent"] == ("default", "default")
    config.write_text('agent = "from-config"')
    assert show()["agent"] == ("from-config", str(config))
    home.write_text("CONFIDE_AGENT=from-home")
    assert show()["agent"] == ("from-home", str(home))
    given.write_text("CONFIDE_AGENT=from-file")
    assert show("--env-file", str(given))["agent"] == ("from-file", f"env file {given}")
    monkeypatch.setenv("CONFIDE_AGENT", "from-environment")
    assert show("--env-file", str(given))["agent"] == ("from-environment", "environment")
    asked = show("--env-file", str(given), "--agent", "from-option")
    assert asked["agent"] == ("from-option", "command line")


def test_a_file_of_the_home_that_any_source_names_is_read(
    folders: Path, show: Show, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = folders / "other"
    other.mkdir()
    (other / ".env").write_text("CONFIDE_TOP_K=9")
    assert show()["top_k"][0] == 5
    assert show("--home", str(other))["top_k"] == (9, str(other / ".env"))
    monkeypatch.delenv("CONFIDE_HOME")
    (folders / "config/config.toml").write_text(f'home = "{other}"')
    assert show()["top_k"] == (9, str(other / ".env"))


def test_a_home_cannot_send_one_to_another(folders: Path, run: Run) -> None:
    (folders / "home/.env").write_text("CONFIDE_HOME=/elsewhere")
    with pytest.raises(InvalidInput, match="cannot name another"):
        read_settings()


def test_settings_that_somebody_else_put_into_the_home_are_refused(
    folders: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folders / "home/.env").write_text("CONFIDE_URL=https://elsewhere.example")
    mine = (folders / "home/.env").stat().st_uid
    monkeypatch.setattr(os, "getuid", lambda: mine + 1)
    if mine == 0:
        os.chown(folders / "home/.env", 12345, -1)
    with pytest.raises(InvalidInput, match="belongs to somebody else"):
        read_settings()


SLIPS = {"CONFIDE_TOPK": "CONFIDE_TOP_K", "CONFIDE_DATABASE": "CONFIDE_DATABASE_URL",
         "CONFIDE_ANTHROPIC_KEY": "ANTHROPIC_API_KEY", "CONFIDE_VOYAGE_API_KEY": "VOYAGE_API_KEY",
         "CONFIDE_HOTS": "CONFIDE_HOST", "confide_external_model": "CONFIDE_EXTERNAL_MODELS"}  # fmt: skip


@pytest.mark.parametrize("name", SLIPS)
def test_a_slip_is_an_error_that_names_what_was_meant(
    folders: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folders / "my.env").write_text(f"{name}=1")
    with pytest.raises(InvalidInput, match=f"{name} in .*my.env.*did you mean {SLIPS[name]}"):
        read_settings(env_file=folders / "my.env")
    monkeypatch.setenv(name, "1")
    with pytest.raises(InvalidInput, match=f"{name}: .*did you mean {SLIPS[name]}"):
        read_settings()


@given(st.sampled_from([*Settings.model_fields]), st.integers(0, 30), st.sampled_from("XQ_"))
def test_one_wrong_letter_in_any_setting_is_found(field: str, at: int, letter: str) -> None:
    at %= len(field)
    wrong = field[:at] + letter + field[at + 1 :]
    known = {variable(one): one for one in Settings.model_fields}
    if len(field) >= 5 and f"CONFIDE_{wrong.upper()}" not in known:
        assert sources._nearest(f"CONFIDE_{wrong.upper()}", known)


THEIRS = ["CONFIDE_SERVICE_HOST", "CONFIDE_SERVICE_PORT", "CONFIDE_PORT_8765_TCP",
          "CONFIDE_PORT_8765_TCP_PROTO", "CONFIDE_PORT_8765_TCP_PORT", "CONFIDE_PORT_8765_TCP_ADDR",
          "CONFIDE_SERVICE_PORT_HTTP"]  # fmt: skip


def test_what_an_orchestrator_sets_is_only_a_warning(
    folders: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    for name in THEIRS:
        monkeypatch.setenv(name, "10.0.0.1")
    monkeypatch.setenv("CONFIDE_PORT", "tcp://10.0.0.1:8765")
    monkeypatch.setattr(sources, "_mentioned", set())
    with caplog.at_level(logging.WARNING):
        assert read_settings().port == 8765
        read_settings()
    told = [record.getMessage().split()[0] for record in caplog.records]
    assert sorted(told) == sorted([*THEIRS, "CONFIDE_PORT"])  # once each
    assert "10.0.0.1" not in caplog.text


@pytest.mark.parametrize("line", ["FOO=1", "CONFIDE_SERVICE_HOST=1", "OPENAI_API_KEY=1", "PATH=/x"])
@pytest.mark.parametrize("file", ["my.env", "home/.env"])
def test_whatever_is_unknown_in_a_file_is_an_error(folders: Path, line: str, file: str) -> None:
    (folders / file).write_text(line)
    with pytest.raises(InvalidInput, match="no such setting"):
        read_settings(env_file=folders / "my.env" if file == "my.env" else None)


@pytest.mark.parametrize("line", ["topk = 3", "CONFIDE_TOP_K = 3", "[confide]\ntop_k = 3"])
def test_whatever_is_unknown_in_the_config_file_is_an_error(folders: Path, line: str) -> None:
    (folders / "config/config.toml").write_text(line)
    with pytest.raises(InvalidInput, match="no such setting"):
        read_settings()


def test_an_option_of_the_library_that_does_not_exist_is_an_error(folders: Path) -> None:
    with pytest.raises(InvalidInput, match="did you mean top_k"):
        read_settings(top_kk=3)


@pytest.mark.parametrize("name", ["CONFIDE_HOME", "CONFIDE_CONFIG", "CONFIDE_PERSONA"])
def test_a_relative_path_is_refused_since_every_folder_would_mean_another(
    folders: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, "memory")
    with pytest.raises(InvalidInput, match=f"{name}.*the whole path"):
        read_settings()


@pytest.mark.parametrize("name", ["XDG_DATA_HOME", "XDG_CONFIG_HOME"])
def test_a_relative_base_folder_is_ignored(
    folders: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, ".")
    monkeypatch.delenv("CONFIDE_HOME")
    monkeypatch.delenv("CONFIDE_CONFIG")
    (folders / "work/confide").mkdir()
    for file in ("config.toml", ".env"):
        (folders / "work/confide" / file).write_text("top_k = 9")
    read = read_settings()
    assert read.top_k == 5
    assert read.home == folders / ".local/share/confide"


@pytest.mark.parametrize("told", ["--env-file", "CONFIDE_CONFIG"])
def test_a_file_that_is_named_and_cannot_be_read_is_an_error(
    folders: Path, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    odd = folders / "odd"
    odd.write_bytes(b"\xff\xfe\x00")
    monkeypatch.setenv("CONFIDE_CONFIG", str(odd if told == "CONFIDE_CONFIG" else folders / "none"))
    with pytest.raises(InvalidInput, match="odd"):
        read_settings(env_file=odd if told == "--env-file" else None)
    if told == "--env-file":
        with pytest.raises(InvalidInput, match="there is no file"):
            read_settings(env_file=folders / "missing")


@pytest.mark.parametrize("field", sorted(sources.SECRETS))
def test_a_secret_can_be_in_a_file(
    field: str, folders: Path, show: Show, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, file = variable(field), folders / "secret"
    file.write_text("postgresql://me@127.0.0.1:1/x\n")
    monkeypatch.setenv(f"{name}_FILE", str(file))
    found = getattr(read_settings(), field)
    assert found.get_secret_value() == "postgresql://me@127.0.0.1:1/x"
    assert show()[field] == ("********", "environment")
    monkeypatch.setenv(name, "other")
    with pytest.raises(InvalidInput, match=f"{name}_FILE: {name} is set too"):
        read_settings()
    monkeypatch.delenv(name)
    for text in ("", "  \n", "a\nb\n"):
        file.write_text(text)
        with pytest.raises(InvalidInput, match=rf"{name}_FILE: .* in one line"):
            read_settings()
    for wrong in (str(folders / "none"), str(folders)):
        monkeypatch.setenv(f"{name}_FILE", wrong)
        with pytest.raises(InvalidInput, match=f"{name}_FILE: .* cannot be read"):
            read_settings()
    monkeypatch.setenv(f"{name}_FILE", "secret")
    with pytest.raises(InvalidInput, match="whole path"):
        read_settings()


def test_only_secrets_are_read_from_files(folders: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert {"database_url", "key", "anthropic_key", "voyage_key"} <= sources.SECRETS
    file = folders / "agent"
    file.write_text("tutor")
    monkeypatch.setenv("CONFIDE_AGENT_FILE", str(file))
    assert read_settings().agent == "default"


def test_switches_are_read_as_the_pages_write_them(
    folders: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CONFIDE_EXTRACTION", "off")
    monkeypatch.setenv("CONFIDE_MERGE_SIMILARITY", "0.9")
    settings = read_settings()
    assert (settings.extraction, settings.merge_similarity) == (False, 0.9)


@pytest.mark.parametrize(("words", "level"), [((), logging.ERROR), (("--log", "debug"), 10)])
def test_server_and_bot_log_what_the_environment_says_unless_an_option_does(
    words: tuple[str, ...], level: int, folders: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    levels: list[int] = []

    async def started(*given: Any) -> None:
        levels.append(given[-1])

    monkeypatch.setattr("confide.surfaces.cli.serve._serve", started)
    monkeypatch.setattr("confide.surfaces.discord.running.run_bot", started)
    monkeypatch.setenv("DISCORD_TOKEN", "none")
    monkeypatch.setenv("CONFIDE_LOG", "error")
    for command in ("serve", "bot"):
        done = CliRunner().invoke(build(), [command, *words])
        assert done.exit_code == 0, done.output
    assert levels == [level, level]
