"""What a platform says about its places: what they are, who joins, who leaves."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query
from pydantic import AwareDatetime, BaseModel, Field

from confide.errors import NotAllowed
from confide.keep.world import KnownPlace
from confide.model import Entity
from confide.surfaces.callers import place_for, require_own, speaks_for
from confide.surfaces.http.door import ADMIN, AUDITOR, PLATFORM, Here, Visit, for_callers, group
from confide.surfaces.http.fields import Crowd, Done, EntityName, Fields, PlaceName, Words

router = group("places")


class Stated(Fields):
    """A statement of the platform. About one thing the newest counts."""

    at: AwareDatetime | None = None
    """When it happened; left out, now. An older statement never overrides a newer one."""


class PlaceIn(Stated):
    place: PlaceName


class Joining(PlaceIn):
    who: Crowd = Field(min_length=1)


class Space(Stated):
    space: Words = Field(examples=["guild", "guild/verified"])
    who: EntityName | Crowd


class Role(Stated):
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


class Told(Done):
    """What was said is kept."""

    changed: bool
    """Whether it was news."""


class Places(BaseModel):
    places: list[Known]


@router.get("/places", response_model=Places, **for_callers(ADMIN, AUDITOR))
async def places(here: Here) -> Any:
    """Every place that is known, and how many are in it."""
    return {"places": [as_known(one) for one in await here.confide.world.places()]}


def as_known(one: KnownPlace) -> Known:
    return Known(
        place=one.place.id,
        kind=one.place.kind.value,
        space=one.place.space,
        parent=one.place.parent,
        members=one.members,
        needs_review=one.needs_review,
    )


class Rooms(BaseModel):
    rooms: list[str]


@router.get("/places/of", response_model=Rooms, **for_callers(PLATFORM))
async def rooms_of(here: Here, who: Annotated[str, Query(examples=["human:discord.1234"])]) -> Any:
    """The rooms that one person of this platform is or was in, so that it can attest them anew."""
    return {"rooms": await here.confide.world.rooms_of(require_own(here.caller, who, "who"))}


@router.put("/places", response_model=Done, **for_callers(PLATFORM, once=True))
async def attest(here: Here, body: PlaceIn) -> Any:
    """What a place is now. One that opened starts anew; one that closed takes its memories along."""
    where = place_for(here.caller, here.caller.agent, body.place)
    await here.confide.world.attest(where, at=body.at)
    return Done()


@router.post("/places/join", response_model=Told, **for_callers(PLATFORM, once=True))
async def join(here: Here, body: Joining) -> Any:
    """They are in this place, and read what will be said there."""
    who = [require_own(here.caller, one, "who") for one in body.who]
    where = place_for(here.caller, who[0], body.place)
    return Told(changed=await here.confide.world.join(where, *who, at=body.at))


@router.post("/places/leave", response_model=Told, **for_callers(PLATFORM, once=True))
async def leave(here: Here, body: Joining) -> Any:
    """They are in it no longer; what came by membership ends."""
    who = [require_own(here.caller, one, "who") for one in body.who]
    where = place_for(here.caller, who[0], body.place)
    return Told(changed=await here.confide.world.leave(where, *who, at=body.at))


@router.post("/spaces/join", response_model=Told, **for_callers(PLATFORM, once=True))
async def join_space(here: Here, body: Space) -> Any:
    """They are in the space, or hold the role that a space inside it stands for."""
    who = _of_space(here, body)
    return Told(changed=await here.confide.world.join_space(body.space, *who, at=body.at))


@router.post("/spaces/leave", response_model=Told, **for_callers(PLATFORM, once=True))
async def leave_space(here: Here, body: Space) -> Any:
    """They left the space, with all its places."""
    who = _of_space(here, body)
    return Told(changed=await here.confide.world.leave_space(body.space, *who, at=body.at))


def _of_space(here: Visit, body: Space) -> list[Entity]:
    named = [body.who] if isinstance(body.who, str) else body.who
    require_own_space(here, body.space)
    return [require_own(here.caller, one, "who") for one in named]


class SpaceIn(Fields):
    space: Words = Field(examples=["discord.1234"])


class Ended(BaseModel):
    left: int


@router.post("/spaces/end", response_model=Ended, **for_callers(PLATFORM, once=True))
async def end_space(here: Here, body: SpaceIn) -> Any:
    """The agent was removed from the space: every membership of it ends."""
    require_own_space(here, body.space)
    return {"left": await here.confide.world.end_space(body.space)}


@router.put("/roles", response_model=Told, **for_callers(PLATFORM, once=True))
async def assign(here: Here, body: Role) -> Any:
    """Give somebody a role, or take them into a group or organisation, of this platform."""
    collective = require_own(here.caller, body.collective, "collective")
    who = require_own(here.caller, body.who, "who")
    world = here.confide.world
    say = world.unassign if body.ended else world.assign
    return Told(changed=await say(collective, who, at=body.at))


def require_own_space(here: Visit, space: str) -> None:
    if not speaks_for(here.caller, space):
        raise NotAllowed(f"space: this key speaks for {here.caller.platform} only")
