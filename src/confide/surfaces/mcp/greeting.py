"""The first answer to a client that starts the program, given before the SDK is loaded.

Loading it takes longer than many a client waits. What is answered is what the SDK would answer, word for
word, to the `initialize` of a handshake; the SDK reads that message too, and its own answer is left out.
Anything else waits for the SDK.
"""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from confide import __version__

if TYPE_CHECKING:
    from mcp.shared.message import SessionMessage

    from confide.surfaces.mcp.profiles import Profile

#: Of the handshake; a client that asks for another one is offered the newest.
VERSIONS: Final = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
CAPABILITIES: Final = {
    "prompts": {"listChanged": False},
    "resources": {"listChanged": False, "subscribe": False},
    "tools": {"listChanged": False},
}
_MOST: Final = 64 * 1024  # no greeting is as long


@dataclass(frozen=True, slots=True)
class Greeted:
    """What a client said first. `id`: of what was answered already."""

    line: str
    id: str | int | None


def greet(profile: Profile, reading: int = 0, writing: int = 1) -> Greeted:
    """Read the first line and answer it, if it is a greeting."""
    line = _first_line(reading)
    said = _read(line)
    if said is None:
        return Greeted(line, None)
    answer = {"jsonrpc": "2.0", "id": said["id"], "result": _welcome(said["params"], profile)}
    _write(writing, json.dumps(answer, ensure_ascii=False, separators=(",", ":")).encode() + b"\n")
    return Greeted(line, said["id"])


def _welcome(params: dict[str, Any], profile: Profile) -> dict[str, Any]:
    asked = params["protocolVersion"]
    return {
        "capabilities": CAPABILITIES,
        "instructions": profile.instructions,
        "protocolVersion": asked if asked in VERSIONS else VERSIONS[-1],
        "serverInfo": {"name": "confide", "title": "confide", "version": __version__},
    }


def _first_line(file: int) -> str:
    """Not a byte more: what follows is the SDK's to read."""
    line = bytearray()
    while len(line) < _MOST and (one := os.read(file, 1)):
        line += one
        if one == b"\n":
            break
    return line.decode("utf-8", "replace")


def _write(file: int, data: bytes) -> None:
    while data:
        data = data[os.write(file, data) :]


def _read(line: str) -> dict[str, Any] | None:
    """A greeting that has all it needs."""
    try:
        said = json.loads(line)
    except ValueError:
        return None
    match said:
        case {
            "jsonrpc": "2.0",
            "id": str() | int(),
            "method": "initialize",
            "params": {
                "protocolVersion": str(),
                "capabilities": dict(),
                "clientInfo": {"name": str(), "version": str()},
            },
        } if not isinstance(said["id"], bool):
            return said
        case _:
            return None


class Replayed:
    """Standard input again, with the line that was read."""

    def __init__(self, greeted: Greeted, rest: Any) -> None:
        self._greeted, self._rest = greeted, rest

    async def __aiter__(self) -> AsyncIterator[str]:
        if self._greeted.line:
            yield self._greeted.line
        async for line in self._rest:
            yield line


class Unrepeated:
    """What the SDK writes to, without its answer to what was answered."""

    def __init__(self, greeted: Greeted, writing: Any) -> None:
        self._left_out, self._writing = greeted.id, writing

    async def send(self, item: SessionMessage) -> None:
        if self._left_out is not None and getattr(item.message, "id", None) == self._left_out:
            self._left_out = None
            return
        await self._writing.send(item)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._writing, name)

    async def __aenter__(self) -> Unrepeated:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._writing.aclose()
