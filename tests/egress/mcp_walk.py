"""Every tool that the MCP server lists, with arguments made from the names of its fields."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from tests.egress.answers import Call, named
from tests.egress.stores import ALICE, EVE, KID, PAT, STRANGER, Store
from tests.egress.values import GRANTEES, MEMORIES, TEXTS, VALUES

from mcp import Client

FIELDS: Final[dict[str, tuple[Any, ...]]] = {
    "access_grants": ([ALICE], ["*"], [STRANGER]),
    "confidential": (True, False),
    "only_for": VALUES["only_for"],
    "consent_grants": ([PAT], [ALICE]),
    "consent_id": VALUES["consent_id"],
    "context": ("ctx:care", "ctx:secret", "ctx:nowhere"),
    "entity": (PAT, ALICE, STRANGER, EVE),
    "expires": ("2w",),
    "grantee": GRANTEES,
    "id": MEMORIES,
    "keep_for": ("me", "project"),
    "kind": VALUES["kind"],
    "limit": VALUES["limit"],
    "manner": VALUES["manner"],
    "memory_id": MEMORIES,
    "memory_ids": VALUES["sources"],
    "note": VALUES["note"],
    "offset": (0, 1),
    "query": VALUES["question"],
    "reason": ("as we said",),
    "sensitivity": VALUES["sensitivity"],
    "source": (ALICE, STRANGER),
    "subject_ids": ([KID], [STRANGER], [PAT]),
    "text": TEXTS,
    "tokens": VALUES["tokens"],
    "top_k": VALUES["top_k"],
}
RESOURCES: Final = ("confide://memories", *(f"confide://memories/{one}" for one in MEMORIES))


def _calls(tool: Any) -> Iterator[Call]:
    fields, required = tool.input_schema.get("properties", {}), tool.input_schema.get("required")
    for name in fields:
        assert name in FIELDS, f"{tool.name} takes {name!r}: say in {__name__} what it can be"
    usual = {name: FIELDS[name][0] for name in required or ()}
    yield Call.of(tool.name, usual)
    for name in fields:
        for value in FIELDS[name]:
            yield Call.of(tool.name, usual | {name: value})


class Connection:
    """One memory's server, as an MCP client sees it."""

    def __init__(self, store: Store, clients: dict[str, Client]) -> None:
        self.store, self._clients = store, clients  # one for each profile
        self._client = next(iter(clients.values()))
        self._with: dict[str, Client] = {}  # which of them has a tool

    async def calls(self) -> list[Call]:
        """What reads before what writes, and forgetting last."""
        found = [Call.of("read", {"uri": uri}) for uri in RESOURCES]
        for client in self._clients.values():
            for tool in (await client.list_tools()).tools:
                found += _calls(tool)
        return sorted(found, key=lambda one: "forget" in one.what or "revoke" in one.what)

    async def answer(self, call: Call) -> str:
        given = call.given(self.store)
        if call.what == "read":
            return await self._read(given["uri"])
        if not self._with:
            for client in self._clients.values():
                self._with |= {one.name: client for one in (await client.list_tools()).tools}
        done = await self._with[call.what].call_tool(call.what, given)
        said = {"error": done.is_error, "fields": done.structured_content}
        return named(f"{json.dumps(said)} {[one.text for one in done.content]}", self.store)

    def is_done(self, answer: str) -> bool:
        return answer.startswith(('{"error": false', "["))

    async def _read(self, uri: str) -> str:
        start, _, name = uri.partition("@")
        whole = f"{start}{self.store.ids[name]}" if name else uri
        try:
            found = await self._client.read_resource(whole)
        except Exception as problem:  # noqa: BLE001 - whatever is said to a client is compared
            return named(str(problem), self.store)
        return named(str(found.contents), self.store)
