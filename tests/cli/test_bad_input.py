"""Wrong input: the field and the fix are named, the exit code is right, nothing is changed."""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.conftest import Run, Start

SAY = ("remember", "Likes tea", "--by", "human:alice", "--in", "dm")
BY_ALICE = ("--by", "human:alice")
AS_ALICE = ("--as", "human:alice")


def said(*changes: str, by: str = "human:alice", place: str = "dm") -> tuple[str, ...]:
    return ("remember", "Likes tea", "--by", by, "--in", place, *changes)


#: name: the command, the field in the JSON error, and words that the message must have.
WRONG: dict[str, tuple[tuple[str, ...], str | None, tuple[str, ...]]] = {
    "unknown namespace": (said(by="martian:zog"), "by", ("martian", "CONFIDE_NAMESPACES")),
    "malformed entity": (said(by="alice"), "by", ("'alice'", "human:alice")),
    "empty entity": (said(by=""), "by", ("human:alice",)),
    "entity with a star": (said(by="human:*"), "by", ("*",)),
    "entity with a space": (said(by="human:al ice"), "by", ("white space",)),
    "entity too long": (said(by="human:" + "a" * 129), "by", ("128",)),
    "unknown subject": (said("--about", "bob"), "about", ("human:alice",)),
    "unknown source": (said("--source", "bob"), "source", ("human:alice",)),
    "unknown company": (said("--with", "bob", place="group:g"), "present", ("human:alice",)),
    "company in a dm": (said("--with", "human:bob"), "present", ("group:ID",)),
    "no place": (
        said(place=""),
        "place",
        ("dm, reply, guest, group:ID", "private-thread:ID@PARENT"),
    ),
    "unknown kind of place": (
        said(place="cellar:x"),
        "place",
        ("dm, reply, guest, group:ID", "private-thread:ID@PARENT"),
    ),
    "channel without its space": (said(place="public:general"), "place", ("space",)),
    "group with a space": (said(place="group:g@guild"), "place", ("leave @guild out",)),
    "empty text": (("remember", "", *BY_ALICE, "--in", "dm"), "text", ("empty",)),
    "blank text": (("remember", " \n ", *BY_ALICE, "--in", "dm"), "text", ("empty",)),
    "text too long": (("remember", "x" * 32769, *BY_ALICE, "--in", "dm"), "text", ("32768",)),
    "NUL in the text": (("remember", "a\0b", *BY_ALICE, "--in", "dm"), "text", ("NUL",)),
    "surrogate in the text": (
        ("remember", "a\udcff", *BY_ALICE, "--in", "dm"),
        "text",
        ("surrogate",),
    ),
    "surrogate in an entity": (said(by="human:\udcff"), "by", ("surrogate",)),
    "unknown kind": (said("--kind", "rumour"), "kind", ("'rumour'", "preference")),
    "unknown sensitivity": (said("--sensitivity", "high"), "sensitivity", ("personal",)),
    "unknown scope": (said("--scope", "world"), "scope", ("'world'", "guild_public")),
    "scope the place cannot give": (said("--scope", "guild_public"), "scope", ("dm",)),
    "scope that is never given": (said("--scope", "public"), "scope", ("dm",)),
    "global what is not harmless": (said("--scope", "global"), "scope", ("it stays here",)),
    "lifetime": (said("--for", "soon"), "lifetime", ("2w",)),
    "no lifetime at all": (said("--for", "0d"), "lifetime", ("2w",)),
    "namespace": (said("--namespace", "w/chapter:1"), "namespace", ("track:ID",)),
    "access without consent": (said("--access", "human:bob"), "access", ("human:alice",)),
    "consent without access": (said("--consent", "human:alice"), "consent", ("access",)),
    "a secret": (
        ("remember", "The password is Tr0ub4dor&3xK", *BY_ALICE, "--in", "dm"),
        "text",
        ("never stored",),
    ),
    "remember without a speaker": (("remember", "x", "--in", "dm"), "by", ("--by",)),
    "remember without a place": (("remember", "x", *BY_ALICE), "place", ("--in",)),
    "recall without an asker": (("recall", "x", "--in", "dm"), "asker", ("--as",)),
    "recall without a place": (("recall", "x", *AS_ALICE), "place", ("--in",)),
    "recall with an empty asker": (("recall", "x", "--as", "", "--in", "dm"), "asker", ("human:",)),
    "empty question": (("recall", "", *AS_ALICE, "--in", "dm"), "question", ("empty",)),
    "NUL in the question": (("recall", "\0", *AS_ALICE, "--in", "dm"), "question", ("NUL",)),
    "surrogate in the purpose": (
        ("recall", "x", *AS_ALICE, "--in", "dm", "--purpose", "\udcff"),
        "purpose",
        ("surrogate",),
    ),
    "NUL in the purpose": (
        ("recall", "x", *AS_ALICE, "--in", "dm", "--purpose", "a\0b"),
        "purpose",
        ("NUL",),
    ),
    "empty purpose": (
        ("recall", "x", *AS_ALICE, "--in", "dm", "--purpose", " "),
        "purpose",
        ("empty",),
    ),
    "purpose too long": (
        ("recall", "x", *AS_ALICE, "--in", "dm", "--purpose", "x" * 257),
        "purpose",
        ("256",),
    ),
    "bell in the purpose": (
        ("recall", "x", *AS_ALICE, "--in", "dm", "--purpose", "ca\are"),
        "purpose",
        ("control",),
    ),
    "purpose of a consent": (
        ("share", str(uuid.uuid4()), "--with", "human:bob", *AS_ALICE, "--purpose", "x" * 257),
        "purpose",
        ("256",),
    ),
    "page zero": (("memories", *AS_ALICE, "--page", "0"), "page", ("1",)),
    "page with letters": (("memories", *AS_ALICE, "--page", "x"), "page", ("--page",)),
    "scope to list": (("memories", *AS_ALICE, "--scope", "x"), "scope", ("dm",)),
    "joining a direct chat": (("places", "join", "dm", "human:bob"), "place", ("group:ID",)),
    "joining nobody": (("places", "join", "group:g"), "who", ("ENTITY",)),
    "unknown command": (("remembr",), None, ("remember",)),
    "unknown option": (("recall", "x", *AS_ALICE, "--inn", "dm"), None, ("--inn",)),
    "agent": ((*SAY, "--agent", "a b"), "CONFIDE_AGENT", ("pattern",)),
    "empty agent": ((*SAY, "--agent", ""), "CONFIDE_AGENT", ("pattern",)),
    "empty home": ((*SAY, "--home", ""), "home", ("--home",)),
    "NUL in home": ((*SAY, "--home", "/tmp/\0"), "home", ("--home",)),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_input_names_the_field_and_changes_nothing(
    name: str, run: Run, unchanged: Callable[[], None]
) -> None:
    words, field, hints = WRONG[name]
    told = run(*words)
    assert told.exit_code == 2, told.output
    assert told.stdout == ""
    assert "Traceback" not in told.stderr
    for hint in hints:
        assert hint in told.stderr
    as_json = run(*words, "--json")
    assert as_json.exit_code == 2
    error = json.loads(as_json.stderr)["error"]
    assert set(error) == {"type", "field", "message"}
    assert error["field"] == field
    unchanged()


def test_an_option_is_named_as_it_is_written(run: Run) -> None:
    assert run(*said("--for", "soon")).stderr.startswith("--for: ")
    assert run(*said(place="cellar")).stderr.startswith("--in: ")


def test_more_namespaces_can_be_registered(run: Run) -> None:
    done = run(*said(by="cow:berta"), CONFIDE_NAMESPACES="cow,horse")
    assert done.exit_code == 0, done.stderr


def test_bytes_that_are_no_text_are_refused(start: Start) -> None:
    done = start("remember", os.fsencode("caf\udcff"), *BY_ALICE, "--in", "dm")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("TEXT: ")
    assert "surrogate" in done.stderr


@pytest.mark.parametrize(
    ("name", "value"),
    [("CONFIDE_TOP_K", "many"), ("CONFIDE_SIMILARITY", "7"), ("CONFIDE_NAMESPACES", "X")],
)
def test_a_wrong_setting_is_named(name: str, value: str, run: Run) -> None:
    done = run(*SAY, **{name: value})
    assert done.exit_code == 2
    assert name.removeprefix("CONFIDE_").lower().rstrip("s") in done.stderr.lower()


def test_a_broken_config_file_is_named(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text("top_k = = 3")
    done = run("config", "show", CONFIDE_CONFIG=str(file))
    assert done.exit_code == 2
    assert str(file) in done.stderr


def test_an_unreachable_server_is_an_error_that_hides_the_password(run: Run) -> None:
    url = "postgresql://confide:hunter2@127.0.0.1:1/none"
    done = run(*SAY, CONFIDE_DATABASE_URL=url)
    assert done.exit_code == 1
    assert "CONFIDE_DATABASE_URL" in done.stderr
    assert "hunter2" not in done.output
    as_json = run(*SAY, "--json", CONFIDE_DATABASE_URL=url)
    assert json.loads(as_json.stderr)["error"]["type"] == "StoreUnavailable"
    for command in ("stop", "upgrade"):
        assert run("db", command, CONFIDE_DATABASE_URL=url).exit_code == 2


@pytest.mark.parametrize("port", ["99999", "-1", "pony"])
def test_an_address_with_an_impossible_port_is_named(port: str, run: Run) -> None:
    url = f"postgresql://confide:hunter2@127.0.0.1:{port}/none"
    done = run(*SAY, "--json", CONFIDE_DATABASE_URL=url)
    assert done.exit_code in (1, 2)
    error = json.loads(done.stderr)["error"]
    assert error["field"] == "CONFIDE_DATABASE_URL"
    assert "address" in error["message"]
    assert "hunter2" not in done.output


@pytest.mark.parametrize("below", ["", "memory"])
def test_a_home_that_is_a_file_is_an_error_that_names_it(
    below: str, run: Run, tmp_path: Path
) -> None:
    file = tmp_path / "file"
    file.write_text("mine")
    for command in (SAY, ("memories", *AS_ALICE), ("db", "migrate")):
        done = run(*command, "--home", str(file / below))
        assert done.exit_code == 1, (command, done.output)
        assert str(file) in done.stderr
        assert "Traceback" not in done.stderr
    assert file.read_text() == "mine"


def test_an_unexpected_error_shows_neither_traceback_nor_content(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("Alice is looking for a new job")

    monkeypatch.setattr("confide.surfaces.cli.memories.with_memory", broken)
    done = run("memories", "--as", "human:alice")
    assert done.exit_code == 1
    assert (
        done.output
        == "something unexpected went wrong (RuntimeError); for details set CONFIDE_DEBUG=1\n"
    )
    details = run("memories", "--as", "human:alice", CONFIDE_DEBUG="1")
    assert details.exit_code == 1
    assert "CONFIDE_DEBUG" not in details.stderr
