"""What the documents show is what happens: their examples are run, in order and in one memory for each
page, and what is printed is compared. A fence that says `shown` is only looked at."""

from __future__ import annotations

import ast
import asyncio
import inspect
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from functools import cache
from io import StringIO
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from confide.surfaces.cli.app import build

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
SHELL = {"|", "&&", ";", ">", "<"}
FENCE = re.compile(r"^(`{3,})([^\n`]*)\n(.*?)^\1\n", re.MULTILINE | re.DOTALL)
ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
DATE = re.compile(r"\d{4}-\d\d-\d\d")


@dataclass(frozen=True)
class Example:
    """Something to run, and what the page says it prints."""

    language: str
    source: str
    prints: str


@dataclass
class Reader:
    """Somebody who follows a page from its top; their ids are not those on the page."""

    ids: dict[str, str] = field(default_factory=dict)
    ways: Mapping[str, Callable[[str], str]] = field(default_factory=lambda: WAYS)

    def follow(self, example: Example) -> None:
        source = ID.sub(lambda found: self.ids.get(found[0], found[0]), example.source)
        said = self.ways[example.language](source).rstrip("\n")
        self.ids |= zip(ID.findall(example.prints), ID.findall(said), strict=False)
        if not printed(example.prints).fullmatch(said):
            pytest.fail(f"{source}\n-- the page says\n{example.prints}\n-- it prints\n{said}")


def in_shell(source: str) -> str:
    """One command alone needs no shell, and the program need not be loaded again for it."""
    words = shlex.split(source)
    if words[0] == "confide" and not SHELL.intersection(words):
        done = CliRunner().invoke(build(), words[1:])
        assert done.exit_code == 0, f"{source}\n{done.stderr}"
        return done.stdout
    run = subprocess.run(
        ["bash", "-c", source], text=True, capture_output=True, timeout=60, check=False
    )
    assert run.returncode == 0, f"{source}\n{run.stderr}"
    return run.stdout


def in_python(source: str) -> str:
    """As `python -m asyncio` runs what is pasted into it: an example may await at the top."""
    code = compile(source, "example", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    with redirect_stdout(StringIO()) as said:
        begun = FunctionType(code, {"__name__": "__main__"})()
        if inspect.iscoroutine(begun):
            asyncio.run(begun)
    return said.getvalue()


WAYS = {"console": in_shell, "python": in_python}


def printed(text: str) -> re.Pattern[str]:
    """Ids and dates differ from run to run, and `…` stands for what the page leaves out."""
    parts = re.split(f"({ID.pattern}|{DATE.pattern}|…)", text)
    others = {"…": ".*"}
    return re.compile(
        "".join(
            others.get(part, (ID if ID.fullmatch(part) else DATE).pattern) if n % 2 else re.escape(part)
            for n, part in enumerate(parts)
        ),
        re.DOTALL,
    )  # fmt: skip


def fences(page: Path) -> list[tuple[list[str], str]]:
    """What each fence says of itself, and what is in it."""
    return [(found[2].split(), found[3]) for found in FENCE.finditer(page.read_text("utf-8"))]


def examples(page: Path) -> Iterator[Example]:
    found = fences(page)
    for n, (words, body) in enumerate(found):
        if not words or words[0] not in WAYS or "shown" in words:
            continue
        if words[0] == "console":
            yield from commands(body)
            continue
        following = found[n + 1] if n + 1 < len(found) else ([], "")
        yield Example("python", body, following[1].rstrip("\n") if "prints" in following[0] else "")


def commands(body: str) -> Iterator[Example]:
    """Each `$ command`, and the lines below it up to the next."""
    for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
        lines = part.splitlines()
        length = next(n for n, line in enumerate(lines, 1) if not line.endswith("\\"))
        shown = "\n".join(lines[length:]).strip("\n")
        yield Example("console", "\n".join(lines[:length]), shown)


@pytest.mark.parametrize(
    "page", [page for page in PAGES if any(examples(page))], ids=lambda page: page.stem
)
def test_examples_print_what_the_page_says(
    page: Path, home: Path, agent: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CONFIDE_HOME", str(home))
    monkeypatch.setenv("CONFIDE_AGENT", agent)
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=os.pathsep)
    reader = Reader()
    for example in examples(page):
        reader.follow(example)


def test_the_first_pages_have_examples_that_run() -> None:
    for name in ("README.md", "docs/quickstart.md"):
        found = list(examples(ROOT / name))
        assert {"console", "python"} == {one.language for one in found}, name
        assert all(one.prints for one in found if one.language == "console"), name


program = cache(lambda: get_command(build()))


def called(page: Path) -> Iterator[str]:
    """Wherever a page calls the program: in a fence, or in the middle of a sentence."""
    for _, body in fences(page):
        yield from re.findall(r"^(?:\$ )?confide ([a-z].*)", body, re.MULTILINE)
    text = FENCE.sub("", page.read_text("utf-8"))
    yield from re.findall(r"`confide ([a-z][^`\n]*)`", text)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_commands_and_options_that_a_page_names_exist(page: Path) -> None:
    for line in called(page):
        words = re.split(r"[\s|\[\]]+", re.sub(r"  .*", "", line))
        command: Any = program()
        while hasattr(command, "commands") and re.fullmatch("[a-z]+(-[a-z]+)*", words[0]):
            assert words[0] in command.commands, f"there is no `confide {line}`"
            command, words = command.commands[words[0]], [*words[1:], ""]
        # `confide audit ID` is `confide audit memory ID`.
        meant = [command, *getattr(command, "commands", {}).values()]
        params = [param for one in meant for param in one.params]
        options = {name for one in params for name in (*one.opts, *one.secondary_opts)}
        named = {word for word in words if word.startswith("--")}
        assert named <= options, f"`confide {line}` has no {named - options}"
