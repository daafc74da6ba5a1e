"""Every route of the OpenAPI document, with arguments made from the names of its fields."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import httpx
from tests.egress.answers import Call, named
from tests.egress.stores import GENERAL, PAT, Store
from tests.egress.values import OF_ROUTE, TOGETHER, VALUES

from confide import audience, operator_as
from confide.keep.keys import Wanted
from confide.model import Entity
from confide.store.keys import KeyKind
from confide.surfaces.http.app import build, limited

#: Who a request is for, in the words of a platform; every other caller's is fixed.
WHO: Final = {"as": PAT, "by": PAT, "asker": PAT}
WHERE: Final = ("place", "in", "present")
#: A platform says these of anybody, in nobody's name; they are its own acts.
NOT_ASKED_FOR_SOMEBODY: Final = "no field says for whom"
#: A caller that does this is not heard afterwards, so it comes last, and its answers still count.
ENDS: Final = (
    "/correct", "review/{memory_id}/reject", "off-record", "opt-in", "opt-out", "erasures",
    "connections/close", "keys/mine",
)  # fmt: skip
STREAM: Final = "POST /v1/messages/stream"
#: As random as they look, and the same in both.
IGNORED: Final = ("x-request-id", "date", "server")
COMBINED: Final = 3
#: What a platform itself attests: its own messages, whom it lets into a context, and that somebody
#: asks in a group, where they then hear what everyone in it may.
ATTESTED: Final = {
    ("POST /v1/recall", "place"): ("group:knitting",),
    ("POST /v1/messages", "id"): ("h-1",),
    ("PUT /v1/messages/{message_id}", "message_id"): ("h-1",),
    ("POST /v1/contexts/{context}/enter", "context"): ("secret",),
}


@dataclass(frozen=True)
class Caller:
    """A way in. `is_alone`: whoever reads the answer is Pat and nobody else."""

    name: str
    kind: str
    is_alone: bool

    async def secret(self, store: Store) -> str:
        keys = store.confide.keys
        if self.kind == "personal":
            wanted = Wanted(kind=KeyKind.PERSONAL, entity=Entity.parse(PAT), per_minute=10**7)
            return (await keys.create(wanted, actor=operator_as())).secret
        wanted = Wanted(kind=KeyKind.PLATFORM, platform="local", per_minute=10**7)
        made = await keys.create(wanted, actor=operator_as())
        if self.kind == "platform":
            return made.secret
        place = "dm" if self.is_alone else GENERAL
        minted = await store.confide.tokens.mint(
            audience(PAT, place), platform="local", key_id=made.key.id
        )
        return minted.token


#: Its answer is a secret that is drawn anew each time; who may have one is in tests/console.
DRAWN: Final = frozenset({"/v1/sign-in-links"})
CALLERS: Final = (
    Caller("platform key for one person", "platform", is_alone=True),
    Caller("open personal key", "personal", is_alone=True),
    Caller("closed personal key", "personal", is_alone=False),
    Caller("token for a direct chat", "token", is_alone=True),
    Caller("token in company", "token", is_alone=False),
)


@dataclass(frozen=True)
class Route:
    name: str
    is_in_body: dict[str, bool]  # by field
    required: frozenset[str]

    def values(self, field: str, kind: str) -> tuple[Any, ...]:
        found = OF_ROUTE.get((self.name, field)) or VALUES.get(field)
        assert found, f"{self.name} takes {field!r}: say in tests/egress/values.py what it can be"
        known = ATTESTED.get((self.name, field), ()) if kind == "platform" else ()
        return tuple(one for one in found if one not in known)


def routes(document: dict[str, Any], kind: str) -> list[Route]:
    """Those that are for this kind of caller and for somebody in particular."""
    found: list[Route] = []
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            if not path.startswith("/v1/") or kind not in operation["x-callers"]:
                continue
            if path in DRAWN:
                continue
            route = _route(f"{method.upper()} {path}", operation, document)
            if kind != "platform" or set(WHO) & set(route.is_in_body) or route.name == STREAM:
                found.append(route)
    return found


def _route(name: str, operation: dict[str, Any], document: dict[str, Any]) -> Route:
    fields: dict[str, bool] = {}
    required: set[str] = set()
    for one in operation.get("parameters", ()):
        if one["in"] != "header":
            fields[one["name"]] = False
            required |= {one["name"]} if one.get("required") else set()
    for content, one in operation.get("requestBody", {}).get("content", {}).items():
        if content != "application/json":
            continue
        schema = one["schema"]
        schema = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
        fields |= dict.fromkeys(schema["properties"], True)
        required |= set(schema.get("required", ()))
    return Route(name, fields, frozenset(required))


def calls(document: dict[str, Any], caller: Caller, combined: int = COMBINED) -> Iterator[Call]:
    """What reads before what writes, what ends things last; then what reads once more."""
    found = routes(document, caller.kind)
    reads = [one for one in found if _reads(one)]
    writes = [one for one in found if not _reads(one)]
    first = [one for one in writes if not _ends(one)]
    for route in (*reads, *first):
        yield from _calls(route, caller, combined)
    for route in reads:  # what writing changed
        yield next(_calls(route, caller, combined))
    for route in sorted(filter(_ends, writes), key=_how_late):
        yield from _calls(route, caller, combined)


def _calls(route: Route, caller: Caller, combined: int) -> Iterator[Call]:
    usual = {
        name: route.values(name, caller.kind)[0]
        for name in sorted(route.required)
        if name not in WHO
    }
    fixed = {n: who for n, who in WHO.items() if n in route.is_in_body}
    optional = [one for one in route.is_in_body if one not in WHO and one not in usual]
    if caller.kind != "platform":
        fixed, optional = {}, [one for one in optional if one not in WHERE]
    elif "place" in route.is_in_body or "in" in route.is_in_body:
        usual |= {one: "dm" for one in ("place", "in") if one in route.is_in_body}
    varied = [*usual, *optional]
    yield Call.of(route.name, fixed | usual)
    for name in varied:
        for value in route.values(name, caller.kind):
            yield Call.of(route.name, fixed | usual | {name: value})
    for together in TOGETHER.get(route.name, ()):
        yield Call.of(route.name, fixed | usual | together)
    drawn = random.Random(route.name)
    for _ in range(combined if len(varied) > 1 else 0):
        some = {
            name: drawn.choice(route.values(name, caller.kind))
            for name in varied
            if name in route.required or drawn.random() < 0.4
        }
        yield Call.of(route.name, fixed | usual | some)


def _reads(route: Route) -> bool:
    verb = route.name.rpartition("/")[2]
    return route.name.startswith("GET") or verb in (
        "recall",
        "recheck",
        "explain",
        "why",
        "preview",
    )


def _ends(route: Route) -> bool:
    return route.name.startswith("DELETE") or any(one in route.name for one in ENDS)


def _how_late(route: Route) -> int:
    """What ends least first: after a key is renewed or given up, all else is refused."""
    return max(n for n, one in enumerate(("", *ENDS)) if one in route.name)


class Door:
    """The server of one memory, in this process, and one caller's client of it."""

    def __init__(self, store: Store, secret: str) -> None:
        self.store = store
        self.app = build(store.confide)
        self._client = httpx.AsyncClient(
            transport=httpx.ASGITransport(limited(self.app)),
            base_url="http://127.0.0.1",
            headers={"Authorization": f"Bearer {secret}"},
            timeout=60,
        )
        self.document = self.app.openapi()

    async def answer(self, call: Call) -> str:
        answer = await self._client.send(self._request(call))
        seen = {k: v for k, v in answer.headers.items() if k not in IGNORED}
        return named(f"{answer.status_code} {answer.text} {seen}", self.store)

    def is_done(self, answer: str) -> bool:
        return answer.startswith("2")

    def _request(self, call: Call) -> httpx.Request:
        method, _, path = call.what.partition(" ")
        route = _route(call.what, self.document["paths"][path][method.lower()], self.document)
        given = call.given(self.store)
        body = {name: value for name, value in given.items() if route.is_in_body.get(name)}
        query = {name: value for name, value in given.items() if name not in body}
        for name in [one for one in query if f"{{{one}}}" in path]:
            path = path.replace(f"{{{name}}}", str(query.pop(name)))
        content = {"json": body} if any(route.is_in_body.values()) else {}
        if call.what == STREAM:
            content = {"content": b'{"id": "s-1", "in": "dm", "by": "human:pat", "text": "Hi"}\n'}
        return self._client.build_request(method, path, params=query, **content)
