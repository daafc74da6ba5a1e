"""What goes wrong, as RFC 9457 problems. The only place that turns errors into answers."""

from __future__ import annotations

import logging
import uuid
from typing import Any, Final, NamedTuple

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from confide.errors import (
    ConfideError,
    ConsentMissing,
    InvalidInput,
    ModelUnavailable,
    NotAllowed,
    NotFound,
    NotRecognized,
    OnlyAsked,
    SecretRefused,
    StorageProblem,
    StoreError,
    StoreUnavailable,
    SwitchedOff,
    TooMany,
)
from confide.store.sessions import DATABASE_TROUBLE

log = logging.getLogger("confide.http")
MEDIA_TYPE: Final = "application/problem+json"


class Problem(BaseModel):
    """An error, as RFC 9457 describes it."""

    type: str = Field(examples=["urn:confide:not-found"])
    title: str = Field(examples=["Not found"])
    status: int = Field(examples=[404])
    detail: str = Field(examples=["there is no such memory"])
    field: str | None = Field(None, description="The field that is wrong, if one is.")
    request: uuid.UUID | None = Field(None, description="The request that waits, if one was left.")


class Conflict(ConfideError):
    """An idempotency key was used for something else, or is still being answered."""


class TooLarge(ConfideError):
    """More was sent than is read."""


class HeadTooLarge(ConfideError):
    """The headers are larger than any caller needs."""


class UnknownHost(ConfideError):
    """It was sent to a name that this server does not have."""


class UnknownOrigin(ConfideError):
    """A page from elsewhere made a browser ask."""


class TooSlow(ConfideError):
    """It took longer than anybody waits."""


class _Kind(NamedTuple):
    status: int
    name: str
    title: str


#: Most particular first.
KINDS: Final[tuple[tuple[type[Exception], _Kind], ...]] = (
    (SecretRefused, _Kind(422, "secret-refused", "Secrets are not stored")),
    (ConsentMissing, _Kind(422, "consent-missing", "Consent is missing")),
    (InvalidInput, _Kind(422, "invalid-input", "Something that was sent is wrong")),
    (NotRecognized, _Kind(401, "not-recognized", "Not recognized")),
    (OnlyAsked, _Kind(403, "only-asked", "A request was left; a person answers it")),
    (NotAllowed, _Kind(403, "not-allowed", "Not with this key")),
    (NotFound, _Kind(404, "not-found", "Not found")),
    (TooMany, _Kind(429, "too-many", "Too many requests")),
    (Conflict, _Kind(409, "conflict", "Asked before, differently")),
    (TooLarge, _Kind(413, "too-large", "Too large")),
    (HeadTooLarge, _Kind(431, "head-too-large", "The headers are too large")),
    (UnknownHost, _Kind(421, "unknown-host", "Not a name of this server")),
    (UnknownOrigin, _Kind(403, "unknown-origin", "Not from that page")),
    (TooSlow, _Kind(503, "too-slow", "It took too long")),
    (SwitchedOff, _Kind(503, "switched-off", "Switched off")),
    (ModelUnavailable, _Kind(503, "model-unavailable", "A model does not answer")),
    (StoreUnavailable, _Kind(503, "store-unavailable", "The database does not answer")),
    (StorageProblem, _Kind(503, "storage-problem", "What is kept cannot be used")),
    (ConfideError, _Kind(500, "store", "The database could not do it")),
)
RESPONSES: Final[dict[int | str, dict[str, Any]]] = {
    status: {"description": title}  # `describing` adds what they look like, once for all
    for status, title in (
        (400, "What was sent cannot be read"),
        (401, "No key, or one that is unknown, expired or revoked"),
        (403, "This kind of key never does this"),
        (404, "There is no such thing for this caller; hidden and absent are the same"),
        (409, "The idempotency key was used for something else"),
        (413, "More was sent than is read"),
        (415, "What was sent is of another media type"),
        (422, "A field is wrong; nothing was changed"),
        (429, "The key asks too often"),
        (503, "Switched off, or the database or a model does not answer"),
    )
}


def problem_of(error: Exception) -> Response:
    """Our own words are shown. Those of any other error might quote what is stored."""
    for kind, (status, name, title) in KINDS:
        if isinstance(error, kind):
            field = error.field if isinstance(error, InvalidInput | StoreError) else None
            asked = error.request if isinstance(error, OnlyAsked) else None
            return written(status, name, title, str(error), field, _headers(error), asked)
    if isinstance(error, DATABASE_TROUBLE):
        return written(503, "store-unavailable", "The database does not answer", "try again")
    detail = "it was written down under the id in X-Request-Id"
    return written(500, "unexpected", "Something unexpected went wrong", detail)


def written(
    status: int,
    name: str,
    title: str,
    detail: str,
    field: str | None = None,
    headers: dict[str, str] | None = None,
    request: uuid.UUID | None = None,
) -> Response:
    body = {"type": f"urn:confide:{name}", "title": title, "status": status, "detail": detail}
    if field is not None:
        body["field"] = field
    if request is not None:
        body["request"] = str(request)
    return JSONResponse(body, status, headers, MEDIA_TYPE)


def install(app: FastAPI) -> None:
    app.add_exception_handler(ConfideError, _known)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _refused)
    app.add_exception_handler(Exception, _unexpected)


async def _known(request: Request, error: Exception) -> Response:
    answer = problem_of(error)
    if answer.status_code >= 500:
        log.error("answered with an error", exc_info=error)
    return answer


async def _unexpected(request: Request, error: Exception) -> Response:
    """It is raised further after this answer, and written down where it arrives."""
    return problem_of(error)


async def _invalid(request: Request, error: Exception) -> Response:
    """What pydantic found; its first finding is named, and what was sent is not repeated."""
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    if first["type"] == "json_invalid":
        return written(400, "unreadable", "What was sent cannot be read", "it is not JSON")
    where = [str(part) for part in first["loc"] if part not in ("body", "query", "path", "header")]
    field = ".".join(where) or "body"
    return written(
        422, "invalid-input", "Something that was sent is wrong", f"{field}: {first['msg']}", field
    )


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if isinstance(error.__cause__, ConfideError):
        return problem_of(error.__cause__)  # raised while the body was read
    titles = {400: "What was sent cannot be read", 404: "Not found", 405: "Not with this method"}
    title = titles.get(error.status_code, "Not done")
    name = {404: "not-found", 405: "method"}.get(error.status_code, "unreadable")
    detail = "see /openapi.json for what there is"
    return written(error.status_code, name, title, detail, headers=dict(error.headers or {}))


def _headers(error: Exception) -> dict[str, str]:
    if isinstance(error, NotRecognized):
        return {"WWW-Authenticate": "Bearer"}
    if isinstance(error, TooMany):
        return {"Retry-After": str(max(1, round(error.wait)))}
    return {}
