"""The files for deploying are checked by the programs that read them, and by what they call."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
import yaml
from typer.main import get_command

from confide.config import Settings, variable
from confide.surfaces.cli.app import build

from .conftest import Server

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
UNITS = sorted((DEPLOY / "systemd").glob("*.service"))
PATH = os.pathsep.join([os.environ["PATH"], "/usr/sbin", "/sbin"])


def run(*command: str | Path, **more: Any) -> str:
    program = shutil.which(command[0], path=PATH)
    if program is None:
        pytest.fail(f"{command[0]} is not installed; `make system` does that", pytrace=False)
    done = subprocess.run(
        [program, *command[1:]], text=True, capture_output=True, check=False, **more
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def require_command(words: list[str], where: str) -> None:
    command: Any = get_command(build())
    while words and hasattr(command, "commands"):
        assert words[0] in command.commands, f"{where}: there is no `confide {' '.join(words)}`"
        command, words = command.commands[words[0]], words[1:]


def require_settings(names: set[str], where: str) -> None:
    known = {variable(name) for name in Settings.model_fields}
    meant = {name.removesuffix("_FILE") for name in names}
    assert meant <= known, f"{where}: {meant - known}"


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.stem)
def test_units_are_valid_and_expose_little(unit: Path, tmp_path: Path) -> None:
    text = unit.read_text("utf-8")
    there = tmp_path / unit.name
    there.write_text(re.sub(r"/opt/confide/bin/[\w-]+", "/bin/true", text))
    assert run("systemd-analyze", "verify", there).strip() == ""
    said = run("systemd-analyze", "security", "--offline=true", there)
    score = re.search(r"Overall exposure level for .*?: ([\d.]+)", said)
    assert score is not None
    assert float(score[1]) <= 2
    called = re.findall(r"^ExecStart=/opt/confide/bin/confide (.+)$", text, re.MULTILINE)
    for words in called:
        require_command(words.split(), unit.name)
    require_settings(set(re.findall(r"\b(?:CONFIDE|DISCORD)_[A-Z_]+(?==)", text)), unit.name)


def test_the_timer_is_valid(tmp_path: Path) -> None:
    for unit in [*UNITS, DEPLOY / "systemd" / "confide-backup.timer"]:
        text = unit.read_text("utf-8")
        (tmp_path / unit.name).write_text(re.sub(r"/opt/confide/bin/[\w-]+", "/bin/true", text))
    run("systemd-analyze", "verify", tmp_path / "confide-backup.timer")


def test_nginx_takes_its_file(tmp_path: Path) -> None:
    key, certificate = tmp_path / "privkey.pem", tmp_path / "fullchain.pem"
    run("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
        "-nodes", "-keyout", key, "-out", certificate, "-subj", "/CN=memory.example")  # fmt: skip
    text = (DEPLOY / "nginx.conf").read_text("utf-8")
    text = text.replace("/etc/ssl/memory.example", str(tmp_path))
    text = text.replace("/var/log/nginx", str(tmp_path))
    whole = tmp_path / "nginx.conf"
    whole.write_text(f"pid {tmp_path}/pid;\nevents {{}}\nhttp {{\n{text}\n}}\n")
    assert "test is successful" in run("nginx", "-t", "-c", whole, "-e", tmp_path / "error.log")
    assert "$request " not in text, "paths and queries may name people"


def test_caddy_takes_its_file(tmp_path: Path) -> None:
    said = run(
        "caddy", "validate", "--adapter", "caddyfile", "--config", DEPLOY / "Caddyfile",
        env={**os.environ, "HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path)},
    )  # fmt: skip
    assert "Valid configuration" in said


def test_compose_has_every_part_and_calls_what_there_is() -> None:
    file = yaml.safe_load((ROOT / "compose.yaml").read_text("utf-8"))
    parts = file["services"]
    assert {"database", "server", "worker", "bot"} <= parts.keys()
    assert "pgvector" in parts["database"]["image"]
    for name, part in parts.items():
        if name == "database":
            continue
        require_command(list(part["command"]), name)
        require_settings(set(part["environment"]), name)
        assert part["read_only"] is True
        assert part["cap_drop"] == ["ALL"]
        assert {*part["secrets"]} <= file["secrets"].keys()


@pytest.mark.req("B1")
def test_the_database_of_compose_gives_confide_a_user_without_rights(
    server: Server, tmp_path: Path
) -> None:
    parts = yaml.safe_load((ROOT / "compose.yaml").read_text("utf-8"))["services"]
    _, provision, password = parts["database"]["volumes"]
    assert provision.startswith("./deploy/provision.sql:/docker-entrypoint-initdb.d/1-")
    assert password.startswith("./deploy/set-password.sh:/docker-entrypoint-initdb.d/2-")
    _, _, written = (DEPLOY / "provision.sql").read_text("utf-8").partition("\n")
    assert written == server.shell("confide db provision-sql --user confide_app")

    (tmp_path / "password").write_text("it's secret\n")
    image = {"POSTGRES_USER": server.env["PGUSER"], "POSTGRES_DB": "confide"}
    server.shell("createdb confide")
    server.shell(f"psql -v ON_ERROR_STOP=1 -d confide -f {DEPLOY}/provision.sql")
    server.shell(f"{DEPLOY}/set-password.sh", APP_PASSWORD_FILE=str(tmp_path / "password"), **image)
    url = {"CONFIDE_DATABASE_URL": server.url("confide_app", quote("it's secret"))}
    server.shell("confide db migrate", **url)
    server.shell('confide remember "I keep bees" --by human:bob --in dm', **url)
    rights = "SELECT rolsuper OR rolbypassrls OR rolcreaterole FROM pg_roles"
    asked = f"psql -At -d confide -c \"{rights} WHERE rolname = 'confide_app'\""
    assert server.shell(asked).strip() == "f"


def test_the_app_platform_migrates_first_and_asks_whether_it_is_ready() -> None:
    file = tomllib.loads((DEPLOY / "fly.toml").read_text("utf-8"))
    require_command(file["deploy"]["release_command"].split(), "fly.toml")
    for words in file["processes"].values():
        require_command(words.split(), "fly.toml")
    require_settings(set(file["env"]), "fly.toml")
    assert file["http_service"]["checks"][0]["path"] == "/readyz"
    assert (DEPLOY / file["build"]["dockerfile"]).resolve() == ROOT / "Dockerfile"


def test_the_image_is_not_roots_and_has_a_health_check() -> None:
    text = (ROOT / "Dockerfile").read_text("utf-8")
    last = text.rpartition("\nFROM ")[2]
    assert re.search(r"^USER 10001:10001$", last, re.MULTILINE)
    assert re.search(r"^HEALTHCHECK ", last, re.MULTILINE)
    for copied in re.findall(r"^COPY ([^-].*) \./", text, re.MULTILINE):
        for one in copied.split():
            assert (ROOT / one).exists(), one
            assert f"!{one}" in (ROOT / ".dockerignore").read_text("utf-8")
