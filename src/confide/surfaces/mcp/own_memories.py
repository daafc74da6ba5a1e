"""A person's own memories as resources: what they themselves may be told here, newest first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import mcp_types as types

from confide.errors import NotFound
from confide.surfaces.mcp.choosing import chosen

if TYPE_CHECKING:
    from confide.store.memory import Memory
    from confide.surfaces.mcp.visit import Visit

URI: Final = "confide://memories"
MOST: Final = 200
EVERY: Final = 10_000  # the most that one person has unless the operator lifts the limit

ALL: Final = types.Resource(
    uri=URI,
    name="memories",
    title="Own memories",
    description=f"The person's own memories that may be told here, the newest {MOST}.",
    mime_type="application/json",
)
ONE: Final = types.ResourceTemplate(
    uri_template=f"{URI}/{{id}}",
    name="memory",
    title="One own memory",
    description="One of the person's own memories, by its id.",
    mime_type="application/json",
)


async def read(visit: Visit, uri: str) -> dict[str, Any]:
    who, _ = visit.identity()
    listening = visit.audience(await chosen(visit, None))
    if uri == URI:
        found = await visit.confide.memories(who, audience=listening, limit=MOST)
        return {"memories": [_shown(one) for one in found], "count": len(found)}
    wanted = uri.removeprefix(f"{URI}/")
    for one in await visit.confide.memories(who, audience=listening, limit=EVERY):
        if str(one.id) == wanted:
            return _shown(one)
    raise NotFound("there is no such memory")


def _shown(one: Memory) -> dict[str, Any]:
    return {
        "id": str(one.id),
        "text": one.text,
        "kind": one.kind.value,
        "scope": one.scope.value,
        "sensitivity": one.sensitivity.value,
        "said_at": one.said_at.isoformat(),
        "updated_at": one.updated_at.isoformat(),
        "expires_at": one.expires_at.isoformat() if one.expires_at else None,
    }
