"""A server's database: prepared by an administrator, migrated on request, never by looking at it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from confide.surfaces.cli.app import build

from .conftest import Server

SAY = 'confide remember "I keep bees" --by human:bob --in dm'
ASK = 'confide recall "what does Bob keep?" --as human:bob --in dm'


def test_the_page_has_the_commands_that_are_tested_here() -> None:
    page = (Path(__file__).parents[2] / "docs" / "operations.md").read_text("utf-8")
    provision = "confide db provision-sql --user confide_app | psql -v ON_ERROR_STOP=1 -d confide"
    for line in ("createdb confide", provision, "confide db status", "confide db migrate"):
        assert f"$ {line}\n" in page
    assert "| CONFIDE_HOME=/tmp/drill confide restore -" in page, "as in the drill of the backup"


@pytest.mark.req("B1")
def test_a_server_is_prepared_with_the_commands_of_the_page(server: Server) -> None:
    server.shell("createdb confide")
    server.shell("confide db provision-sql --user confide_app | psql -v ON_ERROR_STOP=1 -d confide")
    server.shell("psql -d confide -c \"ALTER ROLE confide_app PASSWORD 'letters'\"")
    url = {"CONFIDE_DATABASE_URL": server.url("confide_app", "letters")}

    status = json.loads(server.shell("confide db status --json", **url))
    assert (status["is_current"], status["migrations"]) == (False, [])
    for line in (SAY, "confide serve --port 0"):
        error = server.shell(line, fails=True, **url)
        assert "CONFIDE_DATABASE_URL" in error, line
        assert "run `confide db migrate`" in error, line
    schemas = (
        "psql -At -d confide -c \"SELECT count(*) FROM pg_namespace WHERE nspname = 'confide'\""
    )
    assert server.shell(schemas).strip() == "0", "looking changed the database"

    assert "The schema is up to date" in server.shell("confide db migrate", **url)
    assert server.shell("confide db migrate --check", **url) == "The schema is up to date.\n"
    server.shell(SAY, **url)
    assert "I keep bees" in server.shell(ASK, **url)

    server.shell("psql -d confide -c 'UPDATE confide.policy_version SET digest = 1'")
    assert "functions of another version" in server.shell(ASK, fails=True, **url)
    server.shell(ASK, CONFIDE_AUTO_MIGRATE="true", **url)
    server.shell("psql -d confide -c \"INSERT INTO confide.migration VALUES (9999, 'later')\"")
    assert "update confide" in server.shell("confide db migrate", fails=True, **url)


@pytest.mark.parametrize("user", ["", 'x"; DROP ROLE y; --', "a b", "1a", "a" * 64])
def test_a_user_whose_name_is_none_is_refused(user: str) -> None:
    done = CliRunner().invoke(build(), ["db", "provision-sql", "--user", user])
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith("user: ")
