"""Whose key or token it is."""

from __future__ import annotations

import uuid
from typing import Any

from pydantic import BaseModel

from confide.surfaces.http.door import ANY_KEY, TOKEN, Here, for_callers, group

router = group("keys")


class Whoami(BaseModel):
    kind: str
    entity: str | None
    platform: str | None
    place: str | None
    key: uuid.UUID | None


@router.get("/whoami", response_model=Whoami, **for_callers(*ANY_KEY, TOKEN))
async def whoami(here: Here) -> Any:
    """Whom this key or token speaks for."""
    one = here.caller
    return {
        "kind": one.kind.value,
        "entity": str(one.entity) if one.entity else None,
        "platform": one.platform,
        "place": one.audience.place.id if one.audience else None,
        "key": one.key_id,
    }
