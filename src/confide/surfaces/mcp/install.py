"""Which MCP clients there are, where they keep their configuration, and what is written into it."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from confide.errors import InvalidInput

SERVER: Final = "confide"
#: What no client's file holds.
SECRETS: Final = ("CONFIDE_DATABASE_URL", "CONFIDE_KEY")


@dataclass(frozen=True, slots=True)
class Client:
    """A program that starts MCP servers."""

    linux: str
    mac: str
    windows: str
    table: str = "mcpServers"
    extra: Mapping[str, str] = field(default_factory=dict[str, str])  # in an entry that starts one

    def file(self) -> Path:
        told = {"darwin": self.mac, "win32": self.windows}.get(sys.platform, self.linux)
        return Path.home() / told


def _same(path: str, **fields: Any) -> Client:
    return Client(path, path, path, **fields)


CLIENTS: Final = {
    "claude-code": _same(".claude.json"),
    "claude-desktop": Client(
        ".config/Claude/claude_desktop_config.json",
        "Library/Application Support/Claude/claude_desktop_config.json",
        "AppData/Roaming/Claude/claude_desktop_config.json",
    ),
    "codex": _same(".codex/config.toml", table="mcp_servers"),
    "cursor": _same(".cursor/mcp.json"),
    "gemini-cli": _same(".gemini/settings.json"),
    "vscode": Client(
        ".config/Code/User/mcp.json",
        "Library/Application Support/Code/User/mcp.json",
        "AppData/Roaming/Code/User/mcp.json",
        table="servers",
        extra={"type": "stdio"},
    ),
    "windsurf": _same(".codeium/windsurf/mcp_config.json"),
    "zed": Client(
        ".config/zed/settings.json",
        ".config/zed/settings.json",
        "AppData/Roaming/Zed/settings.json",
        table="context_servers",
        extra={"source": "custom"},
    ),
}


def find_client(name: str) -> Client:
    if name not in CLIENTS:
        raise InvalidInput("client", f"{name!r} is none of {', '.join(CLIENTS)}")
    return CLIENTS[name]


def command_of(who: str, options: Sequence[str]) -> list[str]:
    """The program by its full path: clients start it from anywhere, with another PATH. `-P` keeps
    modules of the folder it is started in out."""
    beside = shutil.which("confide", path=str(Path(sys.executable).parent))
    program = [beside] if beside else [sys.executable, "-P", "-m", "confide"]
    return [*program, "mcp", "--as", who, *options]


def started(client: Client, command: Sequence[str], settings: Mapping[str, str]) -> dict[str, Any]:
    """An entry that starts the program, with the settings that are in force now."""
    program, *arguments = command
    entry: dict[str, Any] = {**client.extra, "command": program, "args": arguments}
    return entry | ({"env": dict(settings)} if settings else {})


def by_reference(settings: Mapping[str, str], home: Path) -> tuple[dict[str, str], dict[Path, str]]:
    """The same settings with each secret in a file of the home folder instead of the client's."""
    named, files = dict(settings), dict[Path, str]()
    for name in SECRETS:
        if name in named:
            path = home.absolute() / "secrets" / name.lower()
            files[path] = named.pop(name)
            named[f"{name}_FILE"] = str(path)
    return named, files
