"""What each command loads. How long it takes is for a benchmark; what is loaded decides it."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from confide.surfaces.cli.commands import LISTED, SECTIONS

#: Takes long to load, and only some commands need it.
HEAVY = {
    "asyncio", "asyncpg", "numpy", "pydantic", "pydantic_settings", "rich", "tokenizers",
    "wordllama", "phonenumbers", "huggingface_hub", "httpx", "fastapi", "mcp", "discord",
}  # fmt: skip
RUN = """
import contextlib, io, json, sys
from confide.surfaces.cli import main
for words in json.loads(sys.argv[1]):
    sys.argv = ["confide", *words]
    with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
        main()
    print(json.dumps(sorted(sys.modules)))
"""


def loaded(*commands: list[str]) -> list[set[str]]:
    """The modules there are after each of these commands, run one after the other."""
    words = [sys.executable, "-c", RUN, json.dumps(commands)]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    return [set(json.loads(line)) for line in done.stdout.splitlines()]


def heavy(modules: set[str]) -> set[str]:
    return {name.partition(".")[0] for name in modules} & HEAVY


@pytest.mark.req("B10")
def test_importing_the_library_loads_nothing_else() -> None:
    def modules(code: str) -> set[str]:
        shown = f"import sys; {code}; print(*sys.modules)"
        done = subprocess.run(
            [sys.executable, "-c", shown], capture_output=True, text=True, check=True
        )
        return set(done.stdout.split())

    assert modules("import confide") - modules("import __future__") == {"confide"}


def test_a_version_is_printed_without_loading_the_program() -> None:
    (modules,) = loaded(["--version"])
    own = {name for name in modules if name.startswith("confide")}
    assert own == {"confide", "confide.surfaces", "confide.surfaces.cli"}


def test_help_for_all_loads_no_command() -> None:
    (modules,) = loaded(["--help"])
    own = {name.removeprefix("confide.surfaces.cli.") for name in modules}
    assert not own & {one.module or one.name for one in LISTED.values()}
    assert not heavy(modules)


def test_help_for_a_command_loads_nothing_heavy() -> None:
    for name, modules in zip(LISTED, loaded(*([n, "--help"] for n in LISTED)), strict=True):
        assert heavy(modules) <= {"pydantic"}, name  # Typer's, to read options


def test_one_command_does_not_load_the_others() -> None:
    (modules,) = loaded(["recall", "--help"])
    own = {name.removeprefix("confide.surfaces.cli.") for name in modules}
    assert own & {one.module or one.name for one in LISTED.values()} == {"recall"}


@pytest.mark.parametrize(
    ("words", "needed"),
    [
        (["config", "show", "--json"], {"pydantic", "pydantic_settings"}),
        (
            ["screen", "hello", "--json"],
            {"pydantic", "asyncio", "numpy", "phonenumbers", "tokenizers"},
        ),
    ],
    ids=["config show", "screen"],
)
def test_a_command_loads_only_what_it_works_with(words: list[str], needed: set[str]) -> None:
    (modules,) = loaded(words)
    assert heavy(modules) <= needed


def test_each_command_is_listed_once_in_eight_sections() -> None:
    names = [one.name for section in SECTIONS.values() for one in section]
    assert len(names) == len(set(names))
    assert len(SECTIONS) == 8
    assert all(len(one.about) <= 60 for one in LISTED.values())


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("confide for", {"forget"}),
        ("confide recall --man", {"--manner"}),
        ("confide review app", {"approve"}),
    ],
)
def test_a_shell_completes_commands_and_options(typed: str, offered: set[str]) -> None:
    place = {"COMP_WORDS": typed, "COMP_CWORD": str(len(typed.split()) - 1)}
    done = subprocess.run(
        [sys.executable, "-c", "from confide.surfaces.cli import main; main()"],
        env=os.environ | place | {"_CONFIDE_COMPLETE": "complete_bash"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert set(done.stdout.split()) == offered
