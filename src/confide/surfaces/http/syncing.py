"""Permission changes: what a platform sees of its places, compared with what is stored."""

from __future__ import annotations

from typing import Any

from pydantic import AwareDatetime, BaseModel, Field

from confide.errors import InvalidInput, NotAllowed
from confide.keep.syncing import Became, Change, Sight
from confide.model import PlaceKind
from confide.surfaces.callers import place_for, require_own, speaks_for
from confide.surfaces.http.door import ADMIN, PLATFORM, Here, Visit, for_callers, group
from confide.surfaces.http.fields import Crowd, Done, Fields, PlaceName, Words

router = group("places")
PlaceId = Words


class Seen(Fields):
    place: PlaceName
    members: Crowd | None = None
    """Everyone who is in it; left out, that was not looked at."""


class Look(Fields):
    places: list[Seen] = Field(max_length=1000)
    all_of: Words | None = Field(None, examples=["guild"])
    """Every place of this space is named; others of it are gone."""
    preview: bool = False
    """Only say what would change."""
    at: AwareDatetime | None = None
    """When it was seen; left out, now."""


class Kinds(Fields):
    to: PlaceKind
    places: list[PlaceId] = Field(default_factory=list, max_length=1000)
    space: Words | None = None
    """All places of a space instead."""
    kind: PlaceKind | None = None
    """Of those only this kind."""
    preview: bool = False


class PlaceSeen(Fields):
    place: PlaceId = Field(examples=["mods@guild"])


class ChangeOut(BaseModel):
    place: str
    was: PlaceKind | None
    kind: PlaceKind
    space: str | None
    parent: str | None
    became: Became
    memories: int
    joined: int
    left: int


class Changes(BaseModel):
    changes: list[ChangeOut]


@router.post("/places/sync", response_model=Changes, **for_callers(PLATFORM, once=True))
async def sync(here: Here, body: Look) -> Any:
    """Take over what the platform sees: all of it or, when anything is wrong, nothing."""
    _require_own_space(here, body.all_of, "all_of")
    seen = [_sight(here, one) for one in body.places]
    if len({one.place.id for one in seen}) < len(seen):
        raise InvalidInput("places", "one of them is there twice")
    return _changes(
        await here.confide.world.sync(seen, all_of=body.all_of, is_preview=body.preview, at=body.at)
    )


@router.post("/places/reclassify", response_model=Changes, **for_callers(PLATFORM, once=True))
async def reclassify(here: Here, body: Kinds) -> Any:
    """Give many places of the platform another kind at once."""
    _require_own_space(here, body.space, "space")
    for id in body.places:
        for part in id.split("@"):
            _require_own_space(here, part, "places")
    return _changes(
        await here.confide.world.reclassify(
            body.to,
            places=body.places,
            space=body.space,
            kind=body.kind,
            is_preview=body.preview,
        )
    )


@router.post("/places/reviewed", response_model=Done, **for_callers(ADMIN, once=True))
async def reviewed(here: Here, body: PlaceSeen) -> Any:
    """Somebody looked at what was said in a place before it opened."""
    await here.confide.world.reviewed(body.place)
    return Done()


def _sight(here: Visit, seen: Seen) -> Sight:
    members = None
    if seen.members is not None:
        members = frozenset(
            require_own(here.caller, one, "members", may_be_agent=True) for one in seen.members
        )
    place = place_for(here.caller, here.caller.agent, seen.place)
    if place.kind is PlaceKind.DIRECT:
        raise InvalidInput("places", "a direct chat has nobody to compare; leave it out")
    return Sight(place, members)


def _require_own_space(here: Visit, space: str | None, field: str) -> None:
    if space is not None and not speaks_for(here.caller, space):
        raise NotAllowed(f"{field}: this key speaks for {here.caller.platform} only")


def _changes(found: list[Change]) -> dict[str, Any]:
    return {
        "changes": [
            ChangeOut(
                place=one.place.id,
                was=one.was,
                kind=one.place.kind,
                space=one.place.space,
                parent=one.place.parent,
                became=one.became,
                memories=one.memories,
                joined=one.joined,
                left=one.left,
            )
            for one in found
        ]
    }
