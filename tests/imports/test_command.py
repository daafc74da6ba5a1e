"""`confide import` on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.conftest import Run, run
from tests.imports import exports
from tests.imports.exports import write

__all__ = ["run"]


@pytest.mark.req("P8")
def test_a_dry_run_stores_nothing_and_an_import_says_what_came_in(run: Run, tmp_path: Path) -> None:
    path = str(write(tmp_path, exports.slack(), "zip"))
    looked = json.loads(run("import", path, "--as", "human:me", "--dry-run", "--json").stdout)
    assert (looked["format"], looked["messages"], looked["rooms"]) == ("slack", 4, 2)
    assert looked["levels"] == {"group": 4}
    assert looked["dollars"] is None
    assert looked["sample"]["refused"] == 0
    assert {one["name"] for one in looked["people"]} == {"Me", "Anna", "Ben"}
    assert json.loads(run("sources", "list", "--json").stdout)["batches"] == []
    done = json.loads(
        run("import", path, "--as", "human:me", "--map", "Me=human:me", "--json").stdout
    )
    assert (done["new"], done["known"]) == (4, 0)
    said = run("import", path, "--as", "human:me").stdout
    assert "0 messages are new, 4 were known already" in said
    assert "someone:" not in said


def test_mistakes_are_named_with_their_field(run: Run, tmp_path: Path) -> None:
    path = str(write(tmp_path, exports.claude(), "file"))
    (tmp_path / "x.bin").write_bytes(b"\0\1")
    for typed, field in (
        ([path, "--as", "someone:" + "0" * 32], "as"),
        ([path, "--as", "human:me", "--map", "Anna"], "map"),
        ([path, "--as", "human:me", "--map", "Anna=anna"], "map"),
        ([path, "--as", "human:me", "--from", "icq"], "from"),
        ([str(tmp_path / "none.zip"), "--as", "human:me"], "file"),
        ([str(tmp_path / "x.bin"), "--as", "human:me"], "file"),
    ):
        done = run("import", *typed)
        assert done.exit_code == 2, typed
        assert field in done.stderr
