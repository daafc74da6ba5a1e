"""Add: a conversation as chat programs write it, learned from before the answer."""

from __future__ import annotations

import uuid
from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, BaseModel, Field

from confide.errors import InvalidInput
from confide.model import Kind, Status
from confide.remember.turns import MOST, read_exchange
from confide.store.turns import Noted
from confide.surfaces.callers import place_for
from confide.surfaces.http.door import PERSONAL, PLATFORM, TOKEN, Here, Visit, for_callers, group
from confide.surfaces.http.fields import (
    EntityName,
    Fields,
    NamespaceName,
    People,
    PlaceName,
    Text,
    Words,
)
from confide.surfaces.http.messages import platform_of

router = group("messages")
Role = Literal["user", "assistant", "system", "developer", "tool", "function"]
Called = Annotated[Words, Field(max_length=200)]


class Turn(Fields):
    """One message of the conversation."""

    role: Role = Field(examples=["user"])
    """Nothing is learned from `system` and `tool`; what the `assistant` said helps to understand."""
    content: Text | None = Field(None, examples=["I'm vegetarian and I live in Ghent"])
    by: EntityName | None = None
    name: Called | None = None
    """What the speaker is called. It proves nothing: `people` says whose name it is."""
    at: AwareDatetime | None = None
    id: Called | None = None


class Conversation(Fields):
    """A list of messages: the whole one, or the last ones. Only what is new is learned from."""

    messages: list[Turn] = Field(max_length=MOST)
    by: EntityName | None = None
    """Who said what names nobody. A personal key and a token leave it out."""
    place: PlaceName | None = None
    """Where. A personal key and a token leave it out."""
    present: People = Field(default_factory=list)
    people: dict[Called, EntityName] = Field(default_factory=dict, max_length=100)
    """Whose names are in `messages`."""
    namespace: NamespaceName | None = None


class NotedOut(BaseModel):
    id: uuid.UUID
    text: str
    kind: Kind
    status: Status
    waits_because: str | None


class RefusedOut(BaseModel):
    number: int
    """The position in `messages`, from 0."""
    because: str


class AddedOut(BaseModel):
    """What was remembered, what waits and why, and what was refused."""

    remembered: list[NotedOut]
    waits: list[NotedOut]
    refused: list[RefusedOut]
    known: int
    """Messages that were given before."""
    is_learned: bool
    """False: the language model is away; learning goes on later."""


@router.post("/messages/add", response_model=AddedOut, **for_callers(PLATFORM, PERSONAL, TOKEN))
async def add(here: Here, body: Conversation) -> Any:
    """Observe a conversation and learn from what is new in it, at once."""
    by = None if body.by is None and here.caller.entity is None else here.speaker(body.by, "by")
    messages = [_vouched(here, one) for one in body.messages]
    whose = by or next((here.own(one["by"], "by") for one in messages if one.get("by")), None)
    people = {name: str(here.own(who, "people")) for name, who in body.people.items()}
    if whose is None and people:
        whose = here.own(next(iter(people.values())), "people")
    if whose is None:
        raise InvalidInput("by", "is missing")
    exchange = read_exchange(
        messages,
        by=by,
        place=place_for(here.caller, whose, body.place),
        present=[here.own(one, "present") for one in body.present],
        people=people,
        namespace=body.namespace,
    )
    for _ in body.messages[1:]:
        await here.confide.keys.wait_turn(here.caller.key_id)
    if here.caller.kind is TOKEN:
        exchange = replace(exchange, names={})  # a token changes no record of a person
    done = await here.confide.learning.add(exchange, platform=platform_of(here))
    return {
        "remembered": [_written(one) for one in done.remembered],
        "waits": [_written(one) for one in done.waits],
        "refused": [{"number": one.number, "because": one.because} for one in done.refused],
        "known": done.known,
        "is_learned": done.is_learned,
    }


def _vouched(here: Visit, turn: Turn) -> dict[str, Any]:
    """A message as its sender may give it. A key or token of a person says its own words only: what
    a token's model calls the agent's words would be read beside what others say in that room."""
    raw = turn.model_dump(exclude_none=True)
    if turn.by is not None:
        raw["by"] = str(here.own(turn.by, "by"))
    if turn.role == "assistant" and here.caller.kind is TOKEN:
        raw["content"] = None
    return raw


def _written(one: Noted) -> dict[str, Any]:
    return {
        "id": one.memory_id,
        "text": one.text,
        "kind": one.kind,
        "status": one.status,
        "waits_because": one.waits_because,
    }
