"""Idempotency keys: asking twice with one key does it once, and answers the same."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final

from starlette.responses import JSONResponse, Response

from confide.errors import ConfideError, InvalidInput
from confide.store import once as stored
from confide.surfaces.http.problems import Conflict

if TYPE_CHECKING:
    from starlette.requests import Request

    from confide.memories import Confide
    from confide.surfaces.callers import Caller

KEPT: Final = timedelta(hours=24)
#: Whoever answered has died by then, and the next who asks may try.
PATIENCE: Final = timedelta(seconds=60)
LONGEST: Final = 200
Answer = Callable[["Request"], Awaitable[Response]]


async def answer_once(
    confide: Confide, caller: Caller, key: str, request: Request, answer: Answer
) -> Response:
    if not 1 <= len(key) <= LONGEST:
        raise InvalidInput("Idempotency-Key", f"has 1 to {LONGEST} characters; a UUID is good")
    asked = stored.Asked(
        # Hashed, so that no name stays here when somebody is erased.
        caller=_hash(str(caller.key_id), str(caller.entity)).hex(),
        key_hash=hashlib.sha256(key.encode()).digest(),
        # With the key, which is not stored, so that nobody can try out what was said.
        body_hash=_hash(
            key,
            request.method,
            request.url.path,
            request.url.query,
            _where(caller),
            await request.body(),
        ),
    )
    now, database = confide.means.clock(), confide.database
    before = await stored.claim(database, asked, now, now - PATIENCE, now - KEPT)
    if before is not None:
        return _as_before(before, asked)
    try:
        given = await answer(request)
    except ConfideError:
        await stored.unclaim(database, asked)
        raise
    if given.status_code >= 400:
        await stored.unclaim(database, asked)
    else:
        await stored.answered(database, asked, given.status_code, bytes(given.body).decode())
    return given


def _as_before(before: stored.Before, asked: stored.Asked) -> Response:
    if before.body_hash != asked.body_hash:
        raise Conflict("this Idempotency-Key was used for another request; use a new one")
    if before.status is None:
        raise Conflict("a request with this Idempotency-Key is being answered; ask again later")
    answer: Any = json.loads(before.answer) if before.answer else None
    return JSONResponse(answer, before.status, {"Idempotency-Replayed": "true"})


def _where(caller: Caller) -> str:
    """One request in two places is two; a token's place is not among what it sends."""
    if caller.audience is None:
        return ""
    return f"{caller.audience.place.id} {'/'.join(map(str, caller.audience.namespace))}"


def _hash(*parts: str | bytes) -> bytes:
    made = hashlib.sha256()
    for part in parts:
        raw = part.encode() if isinstance(part, str) else part
        made.update(len(raw).to_bytes(8, "big") + raw)
    return made.digest()
