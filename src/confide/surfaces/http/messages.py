"""Observe: messages as they are said, one at a time or as a stream of JSON Lines."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator
from typing import Annotated, Any, Final

from fastapi import Path, Request
from pydantic import AwareDatetime, BaseModel, Field, ValidationError
from starlette.requests import ClientDisconnect

from confide.errors import ConfideError, InvalidInput
from confide.model import Message
from confide.reading import read_entities, read_namespace
from confide.remember.listening import Learn
from confide.surfaces.callers import connection_of, place_for
from confide.surfaces.http.door import PERSONAL, PLATFORM, TOKEN, Here, Visit, for_callers, group
from confide.surfaces.http.fields import (
    EntityName,
    Fields,
    NamespaceName,
    People,
    PlaceName,
    Plain,
    Text,
    Words,
)
from confide.surfaces.http.limits import MOST_BYTES
from confide.surfaces.http.problems import TooLarge

router = group("messages")
#: Of the lines that are wrong, this many are named.
MOST_NAMED: Final = 100
MessageId = Annotated[str, Plain, Path(min_length=1, max_length=200)]


class Said(Fields):
    """A message, with the same fields as a line of `confide observe`."""

    id: Annotated[Words, Field(max_length=200, examples=["m-1"])]
    """The platform's id of the message: the same twice is one."""
    text: Text = Field(examples=["I prefer dark mode"])
    by: EntityName | None = None
    in_: PlaceName | None = Field(None, alias="in")
    at: AwareDatetime | None = None
    present: People = Field(default_factory=list)
    to_agent: bool = True
    """Whether it was said to the agent; others are kept only where it listens to all."""
    from_agent: bool = False
    confidential: bool = False
    """Between those who are there now: nobody who comes later hears it."""
    only_for: People = Field(default_factory=list)
    """People and roles of the room who may know it, and nobody else there."""
    namespace: NamespaceName | None = None
    """The speaker's own workspace that it belongs to: it is learned into that."""
    learn: Learn = "later"
    """`now`: learn from it before the answer."""


class Observed(BaseModel):
    is_kept: bool
    is_new: bool
    because: str | None
    """Why it was not kept."""
    learned: list[uuid.UUID]
    """With `learn` = `now`: the memories that it is part of."""


class Wrong(BaseModel):
    line: int
    field: str
    problem: str


class Stream(BaseModel):
    """What became of a stream. Lines that are wrong do not stop the others."""

    kept: int
    known: int
    skipped: int
    wrong: list[Wrong]
    wrong_count: int


@router.post("/messages", response_model=Observed, **for_callers(PLATFORM, PERSONAL, once=True))
async def observe(here: Here, body: Said) -> Any:
    """Keep what was said, with the label of its place at this moment; learning comes later."""
    done = await here.confide.observe(_message(here, body), learn=body.learn)
    return {
        "is_kept": done.is_kept,
        "is_new": done.is_new,
        "because": done.because,
        "learned": done.learned,
    }


STREAMED: Final[dict[str, Any]] = {
    "requestBody": {
        "required": True,
        "content": {
            "application/x-ndjson": {
                "schema": {"type": "string", "description": "One message object a line."},
                "example": '{"id": "m-1", "by": "human:alice", "in": "dm", "text": "Hi"}\n',
            }
        },
    }
}


@router.post(
    "/messages/stream",
    response_model=Stream,
    openapi_extra=for_callers(PLATFORM, PERSONAL)["openapi_extra"] | STREAMED,
)
async def observe_stream(here: Here, request: Request) -> Any:
    """Observe one message a line while they arrive, as fast as the key's rate allows: each message
    counts as a request. Sent again, each is kept once."""
    told = Stream(kept=0, known=0, skipped=0, wrong=[], wrong_count=0)
    number = 0
    async for line in _lines(request):
        number += 1
        if not line.strip():
            continue
        await here.confide.keys.wait_turn(here.caller.key_id)
        try:
            done = await here.confide.observe(_message(here, _read(line)))
        except InvalidInput as problem:
            _note(told, number, problem.field, problem.problem)
            continue
        except ConfideError as problem:
            if type(problem).__name__ != "NotAllowed":
                raise
            _note(told, number, "line", str(problem))
            continue
        told.kept += done.is_new
        told.known += done.is_kept and not done.is_new
        told.skipped += not done.is_kept
    return told


def _message(here: Visit, said: Said) -> Message:
    speaker = here.caller.agent if said.from_agent else here.speaker(said.by, "by")
    others = frozenset(here.own(one, "present") for one in said.present)
    # A direct chat is the other's, when the agent speaks in it.
    whose = next(iter(others)) if said.from_agent and len(others) == 1 else speaker
    if said.from_agent and here.caller.kind is PERSONAL:
        whose = here.who()
    return Message(
        id=said.id,
        place=place_for(here.caller, whose, said.in_),
        speaker=speaker,
        text=said.text,
        said_at=said.at or here.confide.means.clock(),
        platform=platform_of(here),
        present=others,
        is_to_agent=said.to_agent,
        is_from_agent=said.from_agent,
        is_confidential=said.confidential,
        only_for=read_entities(said.only_for, "only_for"),
        namespace=read_namespace(said.namespace),
    )


def platform_of(here: Visit) -> str:
    """Message ids of one caller never meet those of another."""
    if here.caller.kind is TOKEN:
        return f"token:{here.caller.entity}"[:200]
    return here.caller.platform or f"connection:{connection_of(here.caller).id}"[:200]


def _read(line: bytes) -> Said:
    try:
        return Said.model_validate_json(line)
    except ValidationError as wrong:
        first = wrong.errors(include_input=False, include_url=False)[0]
        field = ".".join(str(part) for part in first["loc"]) or "line"
        raise InvalidInput(field, first["msg"]) from None


def _note(told: Stream, line: int, field: str, problem: str) -> None:
    told.wrong_count += 1
    if len(told.wrong) < MOST_NAMED:
        told.wrong.append(Wrong(line=line, field=field, problem=problem))


async def _lines(request: Request) -> AsyncIterator[bytes]:
    rest = b""
    try:
        async for chunk in request.stream():
            *whole, rest = (rest + chunk).split(b"\n")
            for line in whole:
                yield line
            if len(rest) > MOST_BYTES:
                raise TooLarge(f"a line has at most {MOST_BYTES // 1024} KiB")
    except ClientDisconnect:
        return
    yield rest
