"""The door of every route: who is it, may this kind of caller do this, was it asked before."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final

from fastapi import APIRouter, Depends, Query, Request
from fastapi.routing import APIRoute

from confide.actor import Actor
from confide.egress import require_known
from confide.errors import InvalidInput, NotAllowed, NotRecognized
from confide.model import Entity
from confide.privacy.acting import CallerKind
from confide.privacy.policy import Audience
from confide.surfaces.callers import (
    Caller,
    actor_for,
    audience_for,
    identify,
    require_own,
)
from confide.surfaces.http.once import answer_once
from confide.surfaces.http.problems import RESPONSES

if TYPE_CHECKING:
    from starlette.responses import Response

    from confide.memories import Confide
    from confide.surfaces.http.fields import Asking

PLATFORM, PERSONAL, TOKEN = CallerKind.PLATFORM, CallerKind.PERSONAL, CallerKind.TOKEN
AUDITOR, ADMIN = CallerKind.AUDITOR, CallerKind.ADMIN
ANY_KEY: Final = (PLATFORM, PERSONAL, AUDITOR, ADMIN)
CALLERS, ONCE = "x-callers", "x-once"
As = Annotated[
    str | None,
    Query(
        alias="as",
        description="In whose name. A platform key must say it; other keys act as themselves.",
        examples=["human:alice"],
    ),
]


@dataclass(frozen=True, slots=True)
class Visit:
    """One request of one caller."""

    confide: Confide
    caller: Caller

    def audience(self, asking: Asking) -> Audience:
        return audience_for(
            self.caller,
            asking.asker,
            asking.place,
            asking.present,
            asking.namespace,
            asking.purpose,
        )

    def actor(self, as_: str | None = None) -> Actor:
        return actor_for(self.caller, as_)

    def who(self, as_: str | None = None) -> Entity:
        """Whom the caller speaks for."""
        entity = self.actor(as_).entity
        if entity is None:
            raise InvalidInput("as", "is missing")
        return entity

    def speaker(self, who: str | None, field: str) -> Entity:
        """Who said it: the platform says so, a personal key and a token are somebody's."""
        if who is not None:
            return self.own(who, field)
        if self.caller.entity is None:
            raise InvalidInput(field, "is missing")
        return self.caller.entity

    async def require_known(self, *ids: uuid.UUID | None) -> None:
        """Where others read along, only what was said there and what everyone there may hear."""
        if self.caller.entity is None:
            return  # a platform answers somebody alone, as it attests
        actor, wanted = self.actor(), [id for id in ids if id is not None]
        if actor.audience is not None:
            await require_known(self.confide.database, actor, wanted, self.confide.means.clock())

    def own(self, who: str, field: str) -> Entity:
        """Somebody this caller vouches for: of its platform, or itself."""
        if self.caller.kind in (PERSONAL, TOKEN):
            return self.who(who)
        return require_own(self.caller, who, field, may_be_agent=True)


async def visiting(request: Request) -> Visit:
    return Visit(request.app.state.confide, request.state.caller)


Here = Annotated[Visit, Depends(visiting)]


def group(name: str) -> APIRouter:
    """The routes of one group of verbs."""
    return APIRouter(prefix="/v1", route_class=Guarded, tags=[name], responses=RESPONSES)


def for_callers(*kinds: CallerKind, once: bool = False) -> dict[str, Any]:
    """Which kinds of callers a route is for; `once`: a write whose answer holds nobody's words."""
    return {"openapi_extra": {CALLERS: sorted(kind.value for kind in kinds), ONCE: once}}


class Guarded(APIRoute):
    """Nothing of a request is read before its key is recognized and of the right kind."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        answer = super().get_route_handler()
        said = self.openapi_extra or {}
        callers = frozenset(CallerKind(kind) for kind in said[CALLERS])
        is_once = said[ONCE]

        async def handle(request: Request) -> Response:
            request.scope["confide.route"] = self.path_format
            confide: Confide = request.app.state.confide
            caller = await identify(confide, bearer(request))
            request.scope["confide.caller"] = f"{caller.kind.value} {caller.key_id}"
            if caller.kind not in callers:
                raise NotAllowed(f"{_article(caller.kind)} is not for this; see /openapi.json")
            request.state.caller = caller
            await _require_known(confide, caller, request.path_params.get("memory_id"))
            key = request.headers.get("idempotency-key")
            if key is None or not is_once:
                return await answer(request)
            return await answer_once(confide, caller, key, request, answer)

        return handle


async def _require_known(confide: Confide, caller: Caller, named: str | None) -> None:
    """Where others read along, a memory that they may not hear does not exist, whatever the route."""
    if named is not None and caller.entity is not None:
        with suppress(ValueError):  # no id: that is said later
            await Visit(confide, caller).require_known(uuid.UUID(named))


def bearer(request: Request) -> str:
    scheme, _, secret = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not secret:
        raise NotRecognized("no key was given; send it as `Authorization: Bearer …`")
    return secret.strip()


def _article(kind: CallerKind) -> str:
    if kind is TOKEN:
        return "an audience token"
    return f"{'an' if kind.value[0] == 'a' else 'a'} {kind.value} key"
