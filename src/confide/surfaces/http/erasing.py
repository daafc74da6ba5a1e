"""Erase: all of a person, a place or a source, with a way back for a while unless it is `now`."""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Any

from pydantic import BaseModel

from confide.errors import InvalidInput
from confide.keep.forgetting import Erased
from confide.model import Place
from confide.reading import read_entity, read_place
from confide.surfaces.callers import place_for
from confide.surfaces.http.door import (
    ADMIN,
    PERSONAL,
    PLATFORM,
    As,
    Here,
    Visit,
    for_callers,
    group,
)
from confide.surfaces.http.fields import EntityName, Fields, PlaceName, Words

router = group("erasure")


class Target(Fields):
    """One of these. People erase what is theirs; an admin, without seeing it, what anybody's is."""

    person: EntityName | None = None
    place: PlaceName | None = None
    source: Words | None = None
    """A platform, or somebody who told it."""
    now: bool = False
    """At once and for ever; otherwise it can be restored for a while."""


class Gone(BaseModel):
    """What became of it. Counts only."""

    id: uuid.UUID
    is_erased: bool
    undo_until: datetime | None
    counts: dict[str, int]
    found: dict[str, int]


class Counted(BaseModel):
    counts: dict[str, int]


class Restored(BaseModel):
    memories: int


@router.post("/erasures", response_model=Gone, **for_callers(PLATFORM, PERSONAL, ADMIN, once=True))
async def erase(here: Here, body: Target, as_: As = None) -> Any:
    """Erase a person, a place or a source, and say what was found of it afterwards."""
    _require_one(body)
    done = await _erased(here, body, as_)
    return {
        "id": done.id,
        "is_erased": done.is_erased,
        "undo_until": done.undo_until,
        "counts": done.counts,
        "found": done.found,
    }


@router.post("/erasures/preview", response_model=Counted, **for_callers(PLATFORM, PERSONAL, ADMIN))
async def preview(here: Here, body: Target, as_: As = None) -> Any:
    """How much that would take. Nothing is changed, and no content shown."""
    _require_one(body)
    erasure, actor = here.confide.erasure, here.actor(as_)
    if body.person is not None:
        target = await erasure.of_person(read_entity(body.person, "person"), actor)
    elif body.source is not None:
        target = erasure.of_source(body.source, actor)
    else:
        target = erasure.of_place(_place(here, body, as_), actor)
    return {"counts": await erasure.preview(target, actor=actor)}


@router.post(
    "/erasures/{erasure_id}/restore",
    response_model=Restored,
    **for_callers(PLATFORM, PERSONAL, ADMIN, once=True),
)
async def restore(here: Here, erasure_id: uuid.UUID, as_: As = None) -> Any:
    """Undo an erasure that was not `now`."""
    return {"memories": await here.confide.erasure.restore(erasure_id, actor=here.actor(as_))}


async def _erased(here: Visit, body: Target, as_: str | None) -> Erased:
    erasure, actor = here.confide.erasure, here.actor(as_)
    if body.person is not None:
        return await erasure.person(read_entity(body.person, "person"), actor=actor, now=body.now)
    if body.source is not None:
        return await erasure.source(body.source, actor=actor, now=body.now)
    return await erasure.place(_place(here, body, as_), actor=actor, now=body.now)


def _place(here: Visit, body: Target, as_: str | None) -> Place:
    assert body.place is not None, "one of the three is named"
    if here.caller.kind is ADMIN:
        return read_place(body.place, here.caller.agent)
    return place_for(here.caller, here.who(as_), body.place)


def _require_one(body: Target) -> None:
    if sum(one is not None for one in (body.person, body.place, body.source)) != 1:
        raise InvalidInput("person", "name one of person, place and source")
