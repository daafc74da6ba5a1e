"""Where MCP clients keep their configuration, and how this server is written into it."""

from __future__ import annotations

import difflib
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from confide.errors import InvalidInput, StorageProblem

SERVER: Final = "confide"


@dataclass(frozen=True, slots=True)
class Client:
    """A program that starts MCP servers."""

    linux: str
    mac: str
    windows: str
    table: str = "mcpServers"
    has_type: bool = False  # each entry says by which transport it speaks

    def file(self) -> Path:
        told = {"darwin": self.mac, "win32": self.windows}.get(sys.platform, self.linux)
        return Path.home() / told


def _same(path: str) -> Client:
    return Client(path, path, path)


CLIENTS: Final = {
    "claude-desktop": Client(
        ".config/Claude/claude_desktop_config.json",
        "Library/Application Support/Claude/claude_desktop_config.json",
        "AppData/Roaming/Claude/claude_desktop_config.json",
    ),
    "claude-code": _same(".claude.json"),
    "cursor": _same(".cursor/mcp.json"),
    "gemini-cli": _same(".gemini/settings.json"),
    "vscode": Client(
        ".config/Code/User/mcp.json",
        "Library/Application Support/Code/User/mcp.json",
        "AppData/Roaming/Code/User/mcp.json",
        table="servers",
        has_type=True,
    ),
    "windsurf": _same(".codeium/windsurf/mcp_config.json"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A configuration file before and after."""

    path: Path
    before: str | None  # None: there is no such file yet
    after: str

    @property
    def is_needed(self) -> bool:
        return self.before != self.after

    def as_diff(self) -> str:
        """Changed lines only: around them may stand other servers' secrets."""
        old, new = (self.before or "").splitlines(), self.after.splitlines()
        lines = difflib.unified_diff(old, new, str(self.path), str(self.path), lineterm="", n=0)
        return "\n".join(lines)


def command_of(who: str, options: Sequence[str]) -> list[str]:
    """The program by its full path: clients start it from anywhere, with another PATH. `-P` keeps
    modules of the folder it is started in out."""
    beside = shutil.which("confide", path=str(Path(sys.executable).parent))
    program = [beside] if beside else [sys.executable, "-P", "-m", "confide"]
    return [*program, "mcp", "--as", who, *options]


def find_client(name: str) -> Client:
    if name not in CLIENTS:
        raise InvalidInput("client", f"{name!r} is none of {', '.join(CLIENTS)}")
    return CLIENTS[name]


def plan(client: Client, path: Path, command: Sequence[str], name: str = SERVER) -> Change:
    """What the file will say. All else that is in it stays."""
    before = path.read_text(encoding="utf-8") if path.exists() else None
    known = _read(path, before)
    table = known.setdefault(client.table, {})
    if not isinstance(table, dict):
        raise InvalidInput("config", f"{client.table} in {path} is no table; mend it first")
    program, *arguments = command
    entry = {"command": program, "args": arguments}
    wanted = {"type": "stdio", **entry} if client.has_type else entry
    if table.get(name) == wanted:
        return Change(path=path, before=before, after=before or "")
    table[name] = wanted
    return Change(
        path=path, before=before, after=json.dumps(known, indent=2, ensure_ascii=False) + "\n"
    )


def apply(change: Change) -> Path | None:
    """Write it whole or not at all; where a file was, its copy stays beside it."""
    path = change.path.resolve()  # what a link points to, not the link
    backup = path.with_name(path.name + ".before-confide") if change.before is not None else None
    try:
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


def _read(path: Path, text: str | None) -> dict[str, Any]:
    if text is None or not text.strip():
        return {}
    try:
        known = json.loads(text)
    except ValueError:
        raise InvalidInput(
            "config", f"{path} is not plain JSON; add the server by hand (docs/mcp.md)"
        ) from None
    if not isinstance(known, dict):
        raise InvalidInput("config", f"{path} holds no JSON object; mend it first")
    return known
