"""The leak test beside recall, over HTTP in this process: what answers give away that tell no
memory, and whether a key that a model may hold can let others hear more."""

from __future__ import annotations

import re
import secrets
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, cast

from confide.actor import operator_as
from confide.keep.keys import KeyKind, Wanted
from confide.leaktest.beside import ANN, BEA, DEE, PUBLIC, Found, Minutes, Planted, plant, words_for
from confide.model import Entity
from confide.reading import audience

if TYPE_CHECKING:
    import httpx

    from confide.leaktest.run import Opener
    from confide.memories import Confide

_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_HASH = re.compile(r"\b[0-9a-f]{64}\b")
Request = tuple[str, str, dict[str, Any] | None]

#: What somebody asks in their own name. Not the trail and the export: of what happened at one moment
#: they list one before the other by chance. `{name}` is the id of something that was planted.
AS_A_PERSON: Final[tuple[Request, ...]] = (
    ("GET", "/v1/people/human:ann/memories", None),
    ("GET", "/v1/memories/{star}/audit", None),
    ("GET", "/v1/memories/{of_bea}/audit", None),
    ("GET", "/v1/memories/{party}/audit", None),
    ("GET", "/v1/mine/mentions?space=guild", None),
    ("GET", "/v1/mine/stats?space=guild", None),
    ("GET", "/v1/contexts/secret", None),
    ("POST", "/v1/erasures/preview", {"person": ANN}),
    ("POST", "/v1/memories/{party}/explain", {"place": "dm", "asker": ANN}),
    ("POST", "/v1/memories/{of_bea}/explain", {"place": "dm", "asker": ANN}),
    ("POST", "/v1/memories", {"text": "The key is under the pot", "place": "dm", "by": ANN,
                              "access": [BEA], "consent": [ANN]}),
    ("POST", "/v1/memories", {"text": "Kid's name is Robin", "place": "dm", "by": ANN,
                              "about": ["human:kid"], "scope": "global", "kind": "identity"}),
    ("POST", "/v1/consents", {"about": ANN, "grantee": "human:cat"}),
    ("POST", "/v1/consents", {"about": "human:zoe", "grantee": "human:cat"}),
    ("POST", "/v1/consents", {"said_in": "restricted:mods@guild", "grantee": "human:cat"}),
    ("POST", "/v1/consents", {"memory": "{party}", "grantee": "human:cat"}),
    ("POST", "/v1/memories/{party}/shares", {"grantee": "human:cat"}),
    ("POST", "/v1/requests", {"what": "erase", "memory": "{party}"}),
    ("POST", "/v1/contexts/secret/leave", None),
    ("DELETE", "/v1/memories/{party}", None),
)  # fmt: skip
#: What others in the room, or a model, would read along.
IN_COMPANY: Final[tuple[Request, ...]] = (
    ("GET", "/v1/consents", None),
    ("GET", "/v1/memories", None),
    ("GET", "/v1/people/human:ann/memories", None),
    ("GET", "/v1/contexts", None),
    ("GET", "/v1/review", None),
    ("GET", "/v1/trail", None),
    ("POST", "/v1/why", {}),
    ("POST", "/v1/memories/{diary}/explain", {}),
    ("POST", "/v1/memories/{spoken}/explain", {}),
    ("GET", "/v1/memories/{diary}/audit", None),
    ("DELETE", "/v1/memories/{diary}", None),
)


#: By which others might come to hear what somebody said alone. What asks for a yes is answered.
ATTEMPTS: Final[tuple[Request, ...]] = (
    ("POST", "/v1/memories/{id}/shares", {"grantee": "*"}),
    ("POST", "/v1/memories/{id}/shares", {"grantee": DEE}),
    ("POST", "/v1/memories/{id}/shares", {"grantee": "space:guild"}),
    ("POST", "/v1/consents", {"memory": "{id}", "grantee": "*"}),
    ("POST", "/v1/consents", {"about": "{who}", "grantee": "*"}),
    ("POST", "/v1/consents", {"said_in": "dm", "grantee": "*"}),
    ("POST", "/v1/memories/{id}/consent-requests", {"grantee": "*", "of": ["{who}"]}),
    ("POST", "/v1/memories", {"text": "I hid the {word}", "access": ["*"], "consent": ["{who}"]}),
    ("POST", "/v1/insights", {"sources": ["{id}"], "text": "A {word} is kept in attics"}),
    ("POST", "/v1/memories/{id}/correct", {"text": "Everyone should know the {word}"}),
)


async def look_beside(
    plain: Confide, full: Confide, clocks: tuple[Minutes, Minutes], kind: str
) -> Found:
    """Two memories that differ in what Ann does not hear must answer her alike."""
    found, is_alone = Found(), kind == "platform"
    one = await plant(plain, clocks[0], is_full=False, is_alone=is_alone)
    other = await plant(full, clocks[1], is_full=True, is_alone=is_alone)
    left, right = await _client(plain, kind), await _client(full, kind)
    for request in AS_A_PERSON if is_alone else IN_COMPANY:
        for clock in clocks:
            clock.step()
        answers = [
            await _asked(client, request, planted, kind)
            for client, planted in ((left, one), (right, other))
        ]
        found.asked += 1
        if answers[0] != answers[1]:
            found.leaks.append(f"{request[0]} {request[1]} with a {kind} key")
    await left.aclose()
    await right.aclose()
    return found


async def try_to_widen(confide: Confide) -> Found:
    """Whatever a closed personal key or a token tries, others are told no more than before."""
    found = Found()
    platform = await _client(confide, "platform")
    for kind in ("personal", "token"):
        for n, (method, path, body) in enumerate(ATTEMPTS):
            # Somebody of their own for each: what one attempt opened would open the next one's.
            who, word = f"human:{kind}{n}", words_for(kind, n)
            said = {"text": f"I keep the {word} in the attic", "by": who, "place": "dm"}
            made = (await platform.post("/v1/memories", json=said)).json()["id"]
            names = {"id": made, "word": word, "who": who}
            client = await _client(confide, kind, who)
            await client.request(method, _filled(path, names), json=_filled(body, names))
            await _answer_yes(client)
            await client.aclose()
            found.asked += 1
            if await _is_told(platform, word, who):
                found.leaks.append(f"{method} {path} with a {kind} key lets others hear it")
    await platform.aclose()
    return found


async def _is_told(platform: httpx.AsyncClient, word: str, who: str) -> bool:
    """Whether anybody but its owner alone is told it now."""
    for asker, place in ((DEE, PUBLIC), (DEE, "dm"), (who, PUBLIC)):
        asking = {"question": f"who keeps the {word}?", "asker": asker, "place": place}
        told = (await platform.post("/v1/recall", json=asking)).json()
        if any(word in one["text"] for one in told["memories"]):
            return True
    return False


async def _answer_yes(client: httpx.AsyncClient) -> None:
    waiting = await client.get("/v1/consent-requests")
    for one in waiting.json().get("requests", ()) if waiting.is_success else ():
        await client.post(f"/v1/consent-requests/{one['id']}/answer", json={"agrees": True})


async def _asked(client: Any, request: Request, planted: Planted, kind: str) -> tuple[int, str]:
    method, path, body = request
    for name, id in planted.ids.items():
        path = path.replace(f"{{{name}}}", id)
    as_ = {"as": ANN} if kind == "platform" else {}
    given = _filled(body, planted.ids)
    answer = await client.request(method, path, json=given, params=as_ or None)
    names = {id: name for name, id in planted.ids.items()}
    # A hash of a file of ids says as little as they do.
    seen = _ID.sub(lambda id: names.get(id[0], "an id"), _HASH.sub("a hash", answer.text))
    return answer.status_code, seen.replace(planted.agent, "the agent")


def _filled(body: Any, names: dict[str, str]) -> Any:
    if isinstance(body, dict):
        table = cast("dict[str, object]", body)
        return {key: _filled(value, names) for key, value in table.items()}
    if isinstance(body, list):
        return [_filled(one, names) for one in cast("list[object]", body)]
    if isinstance(body, str):
        for name, value in names.items():
            body = body.replace(f"{{{name}}}", value)
    return body


async def _client(confide: Confide, kind: str, who: str = ANN) -> httpx.AsyncClient:
    import httpx

    from confide.surfaces.http.app import build

    fields: dict[str, Any] = {"platform": "local"}
    if kind == "personal":
        fields = {"entity": Entity.parse(who)}
    key_kind = KeyKind.PERSONAL if kind == "personal" else KeyKind.PLATFORM
    wanted = Wanted(kind=key_kind, per_minute=1_000_000, **fields)
    made = await confide.keys.create(wanted, actor=operator_as())
    secret = made.secret
    if kind == "token":
        # What is said through a token in a room is that room's to hear.
        heard = audience(who, PUBLIC if who == ANN else "dm")
        token = await confide.tokens.mint(heard, platform="local", key_id=made.key.id)
        secret = token.token
    return httpx.AsyncClient(
        transport=httpx.ASGITransport(build(confide)),
        base_url="http://127.0.0.1",
        headers={"Authorization": f"Bearer {secret}"},
        timeout=60,
    )


async def probe(open_confide: Opener, settings: dict[str, Any]) -> dict[str, Found]:
    """Both, each in memories of its own that are erased afterwards."""
    found, now = {"beside": Found(), "widening": Found()}, datetime.now(UTC)
    for kind in ("platform", "personal", "token"):
        clocks = Minutes(now), Minutes(now)
        async with (
            open_confide(clock=clocks[0], agent=_agent(), **settings) as plain,
            open_confide(clock=clocks[1], agent=_agent(), **settings) as full,
        ):
            part = await look_beside(plain, full, clocks, kind)
            found["beside"].asked += part.asked
            found["beside"].leaks += part.leaks
            for one in (plain, full):
                await one.erasure.everything(actor=operator_as(), now=True)
    async with open_confide(clock=Minutes(now), agent=_agent(), **settings) as confide:
        found["widening"] = await try_to_widen(confide)
        await confide.erasure.everything(actor=operator_as(), now=True)
    return found


def _agent() -> str:
    return f"leaktest-{secrets.token_hex(8)}"
