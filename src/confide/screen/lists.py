"""Reads the packaged lists, each once."""

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

DATA = files("confide.screen") / "data"


@cache
def table(name: str) -> dict[str, Any]:
    """The list `name` (a TOML file) as a table."""
    return tomllib.loads((DATA / f"{name}.toml").read_text(encoding="utf-8"))


@cache
def lines(name: str) -> tuple[str, ...]:
    """The list `name` (a text file, one term a line; a line that starts with `#` is a comment)."""
    text = (DATA / f"{name}.txt").read_text(encoding="utf-8")
    stripped = (line.strip() for line in text.splitlines())
    return tuple(line for line in stripped if line and not line.startswith("#"))
