"""Reads the lists that are packaged with the code, each once."""

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any


class Lists:
    """The files in the folder `data` of a package."""

    def __init__(self, package: str) -> None:
        self._folder = files(package) / "data"
        self.table = cache(self._table)
        self.lines = cache(self._lines)

    def _table(self, name: str) -> dict[str, Any]:
        """The list `name` (a TOML file) as a table."""
        return tomllib.loads((self._folder / f"{name}.toml").read_text(encoding="utf-8"))

    def _lines(self, name: str) -> tuple[str, ...]:
        """The list `name` (a text file, one term a line; a line that starts with `#` is a comment)."""
        text = (self._folder / f"{name}.txt").read_text(encoding="utf-8")
        stripped = (line.strip() for line in text.splitlines())
        return tuple(line for line in stripped if line and not line.startswith("#"))


OWN = Lists("confide.language")
