"""What a platform says about its places: what they are, who joins, who leaves."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, Field

from confide.errors import NotAllowed
from confide.surfaces.callers import place_for, platform_of, require_own
from confide.surfaces.http.door import ADMIN, AUDITOR, PLATFORM, Here, Visit, for_callers, group
from confide.surfaces.http.fields import Done, EntityName, Fields, People, PlaceName, Words

router = group("places")


class PlaceIn(Fields):
    place: PlaceName


class Joining(PlaceIn):
    who: People = Field(min_length=1)


class Space(Fields):
    space: Words = Field(examples=["guild"])
    who: EntityName


class Role(Fields):
    collective: EntityName = Field(examples=["role:moderator"])
    who: EntityName
    ended: bool = False


class Known(BaseModel):
    place: str
    kind: str
    space: str | None
    parent: str | None
    members: int
    needs_review: bool


class Places(BaseModel):
    places: list[Known]


@router.get("/places", response_model=Places, **for_callers(ADMIN, AUDITOR))
async def places(here: Here) -> Any:
    """Every place that is known, and how many are in it."""
    found = await here.confide.world.places()
    return {
        "places": [
            Known(
                place=one.place.id,
                kind=one.place.kind.value,
                space=one.place.space,
                parent=one.place.parent,
                members=one.members,
                needs_review=one.needs_review,
            )
            for one in found
        ]
    }


@router.put("/places", response_model=Done, **for_callers(PLATFORM, once=True))
async def attest(here: Here, body: PlaceIn) -> Any:
    """What a place is now. One that opened starts anew; one that closed takes its memories along."""
    await here.confide.world.attest(place_for(here.caller, here.caller.agent, body.place))
    return Done()


@router.post("/places/join", response_model=Done, **for_callers(PLATFORM, once=True))
async def join(here: Here, body: Joining) -> Any:
    """They are in this place now, and read what will be said there."""
    who = [require_own(here.caller, one, "who") for one in body.who]
    await here.confide.world.join(place_for(here.caller, who[0], body.place), *who)
    return Done()


@router.post("/places/leave", response_model=Done, **for_callers(PLATFORM, once=True))
async def leave(here: Here, body: Joining) -> Any:
    """They are in it no longer; what came by membership ends."""
    for one in [require_own(here.caller, name, "who") for name in body.who]:
        await here.confide.world.leave(place_for(here.caller, one, body.place), one)
    return Done()


@router.post("/spaces/leave", response_model=Done, **for_callers(PLATFORM, once=True))
async def leave_space(here: Here, body: Space) -> Any:
    """They left the space, with all its places."""
    who = require_own(here.caller, body.who, "who")
    if platform_of(body.space) != here.caller.platform:
        raise NotAllowed(f"space: this key speaks for {here.caller.platform} only")
    await here.confide.world.leave_space(body.space, who)
    return Done()


@router.put("/roles", response_model=Done, **for_callers(PLATFORM, once=True))
async def assign(here: Here, body: Role) -> Any:
    """Give somebody a role, or take them into a group or organisation, of this platform."""
    collective = require_own(here.caller, body.collective, "collective")
    who = require_own(here.caller, body.who, "who")
    await _assigned(here, collective, who, body.ended)
    return Done()


async def _assigned(here: Visit, collective: Any, who: Any, ended: bool) -> None:
    world = here.confide.world
    await (world.unassign if ended else world.assign)(collective, who)
