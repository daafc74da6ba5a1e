"""MCP on standard input and output for a memory on a server: each message goes there and comes back.

The key stays in this program's settings, out of the client's file; and the workspace of the project folder
goes along, which a client's configuration for all projects could not say.
"""

from __future__ import annotations

import asyncio
import json
import sys
from typing import TYPE_CHECKING, Any, Final

import httpx

from confide.surfaces.mcp.profiles import PROFILE, WORKSPACE

if TYPE_CHECKING:
    from confide.model import Namespace
    from confide.surfaces.mcp.greeting import Greeted
    from confide.surfaces.mcp.profiles import Profile

SECONDS: Final = 60.0
_UNREACHED: Final = -32000


async def pass_on(
    url: str, key: str, namespace: Namespace, profile: Profile, greeted: Greeted
) -> None:
    """Until standard input ends. What was answered already is not sent."""
    headers = {
        "Authorization": f"Bearer {key}",
        "Accept": "application/json, text/event-stream",
        "Content-Type": "application/json",
        PROFILE: profile.name,
    }
    if namespace.workspace:
        headers[WORKSPACE] = namespace.workspace
    async with httpx.AsyncClient(headers=headers, timeout=SECONDS, trust_env=False) as http:
        door = _Door(http, f"{url.rstrip('/')}/mcp")
        if greeted.id is None and greeted.line:
            await door.send(greeted.line)
        waiting: set[asyncio.Task[None]] = set()
        while line := await asyncio.to_thread(sys.stdin.readline):
            task = asyncio.create_task(door.send(line))
            waiting.add(task)
            task.add_done_callback(waiting.discard)
        await asyncio.gather(*waiting)


class _Door:
    def __init__(self, http: httpx.AsyncClient, address: str) -> None:
        self._http, self._address = http, address

    async def send(self, line: str) -> None:
        """An answer goes out as one line; a notification has none."""
        try:
            answer = await self._http.post(self._address, content=line.encode())
            said = answer.text.strip()
            is_answer = answer.status_code < 400 or '"jsonrpc"' in said
            problem = None if is_answer else f"the server answered {answer.status_code}: {said}"
        except httpx.HTTPError as failed:
            said, problem = "", f"the server is out of reach ({type(failed).__name__})"
        if problem is not None:
            id = _id_of(line)
            said = "" if id is None else json.dumps(
                {"jsonrpc": "2.0", "id": id, "error": {"code": _UNREACHED, "message": problem}}
            )  # fmt: skip
        if said:
            sys.stdout.write(said.replace("\n", " ") + "\n")
            sys.stdout.flush()


def _id_of(line: str) -> Any:
    try:
        said = json.loads(line)
    except ValueError:
        return None
    return said.get("id") if isinstance(said, dict) else None
