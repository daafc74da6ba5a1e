"""What the owner of a space decided for it, as its platform passes it on."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query
from pydantic import BaseModel, Field

from confide.errors import NotAllowed
from confide.keep.rules import read_rules, write_rules
from confide.surfaces.callers import require_own
from confide.surfaces.http.door import PLATFORM, As, Here, for_callers, group
from confide.surfaces.http.fields import Done, Fields, Words
from confide.surfaces.http.places import Places, as_known, require_own_space

router = group("spaces")


class Decided(BaseModel):
    rules: dict[str, Any]


class Decision(Fields):
    space: Words = Field(examples=["discord.1234"])
    rules: dict[str, Any] = Field(examples=[{"learns": False}])
    """Only what differs from the defaults; all of it replaces what was decided before."""


class Leaving(Fields):
    space: Words = Field(examples=["discord.1234"])
    is_back: bool = False


class Spaces(BaseModel):
    spaces: list[str]


class Departed(Fields):
    space: Words = Field(examples=["discord.1234"])
    who: Words = Field(examples=["human:discord.5678"])


class Looked(Fields):
    space: Words = Field(examples=["discord.1234"])
    room: Words = Field(examples=["discord.5678@discord.1234"])


class Gone(BaseModel):
    erased: int


@router.get("/spaces", response_model=Spaces, **for_callers(PLATFORM))
async def spaces(here: Here, platform: Annotated[str, Query(examples=["discord"])]) -> Any:
    """Spaces of the platform that the agent is in, so that it can say which it left."""
    if platform != here.caller.platform:
        raise NotAllowed(f"platform: this key speaks for {here.caller.platform} only")
    return {"spaces": await here.confide.rules.known(platform)}


@router.get("/spaces/places", response_model=Places, **for_callers(PLATFORM))
async def places_of(here: Here, space: Annotated[str, Query(examples=["discord.1234"])]) -> Any:
    """The places of a space, and how many are in each, for whoever runs it."""
    require_own_space(here, space)
    return {"places": [as_known(one) for one in await here.confide.world.places(space)]}


@router.post("/spaces/reviewed", response_model=Done, **for_callers(PLATFORM, once=True))
async def reviewed(here: Here, body: Looked) -> Any:
    """Whoever runs a space has looked at what was said in a place before it opened."""
    require_own_space(here, body.space)
    await here.confide.world.reviewed(body.room, body.space)
    return Done()


@router.post("/spaces/forget-account", response_model=Gone, **for_callers(PLATFORM, once=True))
async def forget_account(here: Here, body: Departed, as_: As = None) -> Any:
    """Erase what a departed account said in a space, for whoever runs it."""
    require_own_space(here, body.space)
    who = require_own(here.caller, body.who, "who")
    erased = await here.confide.rules.forget_account(who, body.space, actor=here.actor(as_))
    return Gone(erased=erased)


@router.get("/spaces/rules", response_model=Decided, **for_callers(PLATFORM))
async def rules_of(here: Here, space: Annotated[str, Query(examples=["discord.1234"])]) -> Any:
    """Where the agent listens, learns and tells in a space."""
    require_own_space(here, space)
    return {"rules": write_rules(await here.confide.rules.of(space))}


@router.put("/spaces/rules", response_model=Done, **for_callers(PLATFORM, once=True))
async def decide(here: Here, body: Decision, as_: As = None) -> Any:
    """The owner of a space decides. The platform answers for who that is."""
    require_own_space(here, body.space)
    rules = read_rules(body.rules)
    await here.confide.rules.decide(body.space, rules, actor=here.actor(as_))
    return Done()


@router.post("/spaces/left", response_model=Done, **for_callers(PLATFORM, once=True))
async def left(here: Here, body: Leaving) -> Any:
    """The agent was removed from a space, or is back in it."""
    require_own_space(here, body.space)
    await here.confide.rules.left(body.space, is_back=body.is_back)
    return Done()
