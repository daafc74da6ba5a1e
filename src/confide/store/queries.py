"""Named SQL from `sql/queries/*.sql`. Each query has its name and a sentence on top."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

_HEAD = re.compile(r"^-- ([a-z_]+)$", re.MULTILINE)


def sql_file(name: str) -> str:
    return (files("confide.store") / "sql" / name).read_text(encoding="utf-8")


def migration_files() -> list[tuple[int, str, str]]:
    """Number, name and text of every migration, in order."""
    folder = files("confide.store") / "sql" / "migrations"
    found = sorted(f.name for f in folder.iterdir() if f.name.endswith(".sql"))
    return [(int(name[:4]), name, sql_file(f"migrations/{name}")) for name in found]


@cache
def named(noun: str) -> dict[str, str]:
    """The queries of one file, by name."""
    parts = _HEAD.split(sql_file(f"queries/{noun}.sql"))
    return {name: body.strip() for name, body in zip(parts[1::2], parts[2::2], strict=True)}


def query(noun: str, name: str) -> str:
    return named(noun)[name]
