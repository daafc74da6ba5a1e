"""How an MCP client's configuration is changed: whole or not at all, with all else left as it is."""

from __future__ import annotations

import difflib
import json
import os
import re
import shutil
import tempfile
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from confide.errors import InvalidInput, StorageProblem

_HEADER: Final = re.compile(r"^\s*\[")


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A configuration file before and after."""

    path: Path
    before: str | None  # None: there is no such file yet
    after: str
    secrets: Mapping[Path, str] = field(default_factory=dict[Path, str])  # in files of their own

    @property
    def is_needed(self) -> bool:
        return (self.before or "") != self.after

    def as_diff(self) -> str:
        """Changed lines only: around them may stand other servers' secrets."""
        old, new = (self.before or "").splitlines(), self.after.splitlines()
        lines = difflib.unified_diff(old, new, str(self.path), str(self.path), lineterm="", n=0)
        return "\n".join(lines)


def read_table(path: Path, table: str) -> dict[str, Any]:
    """The servers that a client knows."""
    before = _text(path)
    return _table(path, _parsed(path, before), table)


def plan(path: Path, table: str, name: str, entry: dict[str, Any] | None) -> Change:
    """What the file will say with `entry` under `name`; None takes it out."""
    before = _text(path)
    known = _parsed(path, before)
    servers = _table(path, known, table)
    if servers.get(name) == entry:
        return Change(path=path, before=before, after=before or "")
    if path.suffix == ".toml":
        after = _toml_with(before or "", table, name, entry)
        _require_same(path, after, known, table, name, entry)
    else:
        if entry is None:
            del servers[name]
        else:
            servers[name] = entry
        after = json.dumps(known | {table: servers}, indent=2, ensure_ascii=False) + "\n"
    return Change(path=path, before=before, after=after)


def apply(change: Change) -> Path | None:
    """Write it whole or not at all; where a file was, its copy stays beside it."""
    path = change.path.resolve()  # what a link points to, not the link
    backup = path.with_name(path.name + ".before-confide") if change.before is not None else None
    try:
        for file, secret in change.secrets.items():
            _write_secret(file, secret)
        path.parent.mkdir(parents=True, exist_ok=True)
        if backup is not None:
            shutil.copy2(path, backup)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".confide-")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(change.after)
        if backup is not None:
            shutil.copymode(path, temporary)
        os.replace(temporary, path)
    except OSError as problem:
        raise StorageProblem(
            f"{path} cannot be written ({problem.strerror}); nothing was changed"
        ) from None
    return backup


def _write_secret(path: Path, secret: str) -> None:
    """For this account alone, from the first byte on."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    handle, temporary = tempfile.mkstemp(dir=path.parent)  # made with 0600
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(secret + "\n")
    os.replace(temporary, path)


def _text(path: Path) -> str | None:
    return path.read_text(encoding="utf-8") if path.exists() else None


def _parsed(path: Path, text: str | None) -> dict[str, Any]:
    if text is None or not text.strip():
        return {}
    is_toml = path.suffix == ".toml"
    try:
        known = tomllib.loads(text) if is_toml else json.loads(text)
    except ValueError:
        raise InvalidInput(
            "config",
            f"{path} is not plain {'TOML' if is_toml else 'JSON'}; add the server by hand"
            " (docs/mcp.md)",
        ) from None
    if not isinstance(known, dict):
        raise InvalidInput("config", f"{path} holds no JSON object; mend it first")
    return known


def _table(path: Path, known: dict[str, Any], table: str) -> dict[str, Any]:
    found = known.get(table, {})
    if not isinstance(found, dict):
        raise InvalidInput("config", f"{table} in {path} is no table; mend it first")
    return dict(found)


def _toml_with(text: str, table: str, name: str, entry: dict[str, Any] | None) -> str:
    """Only the server's own section is written anew; comments and all else stay."""
    own = re.compile(rf"^\s*\[\s*{re.escape(table)}\s*\.\s*\"?{re.escape(name)}\"?\s*[.\]]")
    kept: list[str] = []
    is_own = False
    for line in text.splitlines():
        if _HEADER.match(line):
            is_own = bool(own.match(line))
        if not is_own:
            kept.append(line)
    body = "\n".join(kept).rstrip("\n")
    if entry is None:
        return f"{body}\n" if body else ""
    nested = {key: value for key, value in entry.items() if isinstance(value, dict)}
    lines = [f"[{table}.{name}]"]
    lines += [f"{key} = {json.dumps(value)}" for key, value in entry.items() if key not in nested]
    for key, value in nested.items():
        lines += ["", f"[{table}.{name}.{key}]"]
        lines += [f"{json.dumps(one)} = {json.dumps(said)}" for one, said in value.items()]
    return "\n".join([*([body, ""] if body else []), *lines]) + "\n"


def _require_same(
    path: Path, after: str, known: dict[str, Any], table: str, name: str, entry: Any
) -> None:
    """Written by hand, TOML has many forms; one that this would damage is left alone."""
    wanted = {**known, table: {**known.get(table, {})}}
    if entry is None:
        wanted[table].pop(name, None)
    else:
        wanted[table][name] = entry
    try:
        got = tomllib.loads(after)
    except tomllib.TOMLDecodeError:
        got = {}
    if {**got, table: got.get(table, {})} != wanted:
        raise InvalidInput("config", f"{path} cannot be changed safely; edit it by hand")
