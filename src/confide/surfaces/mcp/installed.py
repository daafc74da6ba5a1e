"""Whether an MCP client knows the memory, and whether what it would start answers."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from confide.config import passed_on
from confide.errors import ConfideError
from confide.surfaces.mcp.client_files import read_table
from confide.surfaces.mcp.install import SERVER, Client

PATIENCE: Final = 60.0  # seconds; a first start makes the database
GREETING: Final = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "confide mcp status", "version": "1"},
    },
}
#: A greeting is answered before the settings are read; this is not.
ASKED: Final = (
    GREETING,
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
    {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Installed:
    client: str
    path: Path
    state: str  # absent, ready, remote, unreadable or broken
    says: str

    @property
    def is_broken(self) -> bool:
        return self.state in ("broken", "unreadable")

    def as_dict(self) -> dict[str, Any]:
        return {"client": self.client, "path": self.path, "state": self.state, "says": self.says}


def look(name: str, client: Client, file: Path | None = None) -> Installed:
    path = file or client.file()

    def found(state: str, says: str) -> Installed:
        return Installed(client=name, path=path, state=state, says=says)

    try:
        entry = read_table(path, client.table).get(SERVER)
    except ConfideError as problem:
        return found("unreadable", str(problem))
    if not isinstance(entry, dict):
        return found("absent", "not installed")
    if "command" not in entry:
        return found("remote", "connected to a server by its address")
    why = _why_silent(entry)
    return found("ready", "installed, and it answers") if why is None else found("broken", why)


def _why_silent(entry: dict[str, Any]) -> str | None:
    """Starts it as the client would, greets it, and ends it. None: it answered."""
    program, arguments = str(entry["command"]), [str(one) for one in entry.get("args", ())]
    own = passed_on({str(name): str(value) for name, value in entry.get("env", {}).items()})
    try:
        answer, log = asyncio.run(_greeted([program, *arguments], own))
    except FileNotFoundError:
        return f"{program} is not there; install it again"
    except (OSError, TimeoutError):
        return f"{program} does not answer"
    if '"tools"' in answer:
        return None
    return f"it does not answer: {(log.strip().splitlines() or ['it says nothing'])[-1]}"


async def _greeted(command: list[str], own: dict[str, str]) -> tuple[str, str]:
    """Which tools it offers, or what it logs instead. It is ended without waiting for more."""
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        *command, stdin=pipe, stdout=pipe, stderr=pipe, env=own
    )
    assert process.stdin
    assert process.stdout
    assert process.stderr
    try:
        async with asyncio.timeout(PATIENCE):
            process.stdin.writelines(json.dumps(one).encode() + b"\n" for one in ASKED)
            await process.stdout.readline()
            answer = (await process.stdout.readline()).decode(errors="replace")
            log = "" if answer else (await process.stderr.read()).decode(errors="replace")
    finally:
        process.stdin.close()
        with suppress(ProcessLookupError):
            process.kill()  # it has only been greeted, so nothing can be lost
        await process.wait()
    return answer, log
