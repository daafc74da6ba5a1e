"""Contexts: entered, left, listed, shown."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from fastapi import Path
from pydantic import BaseModel, Field

from confide.errors import NotFound
from confide.keep.contexts import NO_SUCH_CONTEXT, ContextState
from confide.model import Place
from confide.privacy.places import parse_place
from confide.surfaces.callers import place_for
from confide.surfaces.http.door import PERSONAL, PLATFORM, As, Here, Visit, for_callers, group
from confide.surfaces.http.fields import Done, Fields, People, Words

router = group("contexts")
ContextId = Annotated[
    str, Path(min_length=1, max_length=128, examples=["bella_health"], description="ID of ctx:ID.")
]


class Entering(Fields):
    participants: People = Field(default_factory=list, alias="with")
    role: Words | None = None


class Participant(BaseModel):
    entity: str
    role: str | None
    entered_at: datetime | None


class Context(BaseModel):
    context: str
    participants: list[Participant]


class Contexts(BaseModel):
    contexts: list[Context]


@router.get("/contexts", response_model=Contexts, **for_callers(PLATFORM, PERSONAL))
async def known(here: Here, as_: As = None) -> Any:
    """The contexts that somebody is in."""
    found = await here.confide.contexts.known(here.who(as_))
    return {"contexts": [_shown(one) for one in found]}


@router.get("/contexts/{context}", response_model=Context, **for_callers(PLATFORM, PERSONAL))
async def show(here: Here, context: ContextId, as_: As = None) -> Any:
    """Who is in a context; said to those who are."""
    found = await here.confide.contexts.show(_place(here, context), actor=here.actor(as_))
    return _shown(found)


@router.post(
    "/contexts/{context}/enter",
    response_model=Context,
    **for_callers(PLATFORM, PERSONAL),
)
async def enter(here: Here, context: ContextId, body: Entering, as_: As = None) -> Any:
    """Take part. A platform opens contexts; with a personal key one is in them already."""
    place, actor = _place(here, context), here.actor(as_)
    others = [here.own(one, "with") for one in body.participants]
    if here.caller.kind is PERSONAL:
        inside = await here.confide.contexts.known(here.who())
        if place.id not in {one.place.id for one in inside}:
            raise NotFound(NO_SUCH_CONTEXT)
    found = await here.confide.contexts.enter(place, *others, actor=actor, role=body.role)
    return _shown(found)


@router.post(
    "/contexts/{context}/leave", response_model=Done, **for_callers(PLATFORM, PERSONAL, once=True)
)
async def leave(here: Here, context: ContextId, as_: As = None) -> Any:
    """Take part no longer: what came by being there ends."""
    await here.confide.contexts.leave(_place(here, context), here.who(as_), actor=here.actor(as_))
    return Done()


def _place(here: Visit, context: str) -> Place:
    written = f"ctx:{context.removeprefix('ctx:')}"
    if here.caller.kind is PLATFORM:
        return place_for(here.caller, here.caller.agent, written)
    return parse_place(written, here.who())


def _shown(found: ContextState) -> Context:
    return Context(
        context=found.place.id,
        participants=[
            Participant(entity=str(one.entity), role=one.role, entered_at=one.entered_at)
            for one in found.participants
        ],
    )
