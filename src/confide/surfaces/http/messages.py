"""Observe: messages as they are said, one at a time or as a stream of JSON Lines."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import datetime
from typing import Annotated, Any, Final

from fastapi import Path, Request
from pydantic import AwareDatetime, BaseModel, Field, ValidationError
from starlette.requests import ClientDisconnect

from confide.errors import ConfideError, InvalidInput
from confide.model import Message
from confide.surfaces.callers import connection_of, place_for
from confide.surfaces.http.door import PERSONAL, PLATFORM, Here, Visit, for_callers, group
from confide.surfaces.http.fields import (
    Done,
    EntityName,
    Fields,
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


class Observed(BaseModel):
    is_kept: bool
    is_new: bool
    because: str | None
    """Why it was not kept."""


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


class Edited(Fields):
    text: Text
    at: datetime | None = None


class Changed(BaseModel):
    was_kept: bool


@router.post("/messages", response_model=Observed, **for_callers(PLATFORM, PERSONAL, once=True))
async def observe(here: Here, body: Said) -> Any:
    """Keep what was said, with the label of its place at this moment; learning comes later."""
    done = await here.confide.observe(_message(here, body))
    return {"is_kept": done.is_kept, "is_new": done.is_new, "because": done.because}


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
    """Observe one message a line while they arrive. Sent again, each is kept once."""
    told = Stream(kept=0, known=0, skipped=0, wrong=[], wrong_count=0)
    number = 0
    async for line in _lines(request):
        number += 1
        if not line.strip():
            continue
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


@router.put(
    "/messages/{message_id:path}",
    response_model=Changed,
    **for_callers(PLATFORM, PERSONAL, once=True),
)
async def edited(here: Here, message_id: MessageId, body: Edited) -> Any:
    """A message reads differently now; what was learned from it is learned again."""
    at = body.at
    if at is not None and at.tzinfo is None:
        raise InvalidInput("at", "has no time zone; write 2026-03-01T12:00:00Z")
    done = await here.confide.learning.edited(
        message_id, body.text, platform=_platform(here), said_at=at
    )
    return {"was_kept": done}


@router.delete(
    "/messages/{message_id:path}",
    response_model=Changed,
    **for_callers(PLATFORM, PERSONAL, once=True),
)
async def deleted(here: Here, message_id: MessageId) -> Any:
    """A message was deleted; what was learned from it alone is erased."""
    return {"was_kept": await here.confide.learning.deleted(message_id, platform=_platform(here))}


class Listening(Fields):
    place: PlaceName
    is_on: bool = True


@router.post("/messages/listen", response_model=Done, **for_callers(PLATFORM, once=True))
async def listen(here: Here, body: Listening) -> Any:
    """Keep all that is said in a place, not only what is said to the agent. Announce it there."""
    place = place_for(here.caller, here.caller.agent, body.place)
    await here.confide.learning.listen(place, is_on=body.is_on)
    return Done()


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
        platform=_platform(here),
        present=others,
        is_to_agent=said.to_agent,
        is_from_agent=said.from_agent,
    )


def _platform(here: Visit) -> str:
    """Message ids of one caller never meet those of another."""
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
