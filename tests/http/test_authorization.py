"""The authorization matrix: every route × every kind of caller × own, another's, none."""

from __future__ import annotations

import asyncio
import json
import re
from typing import Any

import httpx
import pytest
import pytest_asyncio
from tests.http.conftest import Served, remembered
from tests.http.matrix import ABSENT, ROWS, Row
from tests.http.rows import Rows
from tests.imports.claiming import claimed

from confide import Entity, operator_as

pytestmark = pytest.mark.asyncio(loop_scope="module")
KINDS = ("platform", "personal", "token", "auditor", "admin")
GUARDED = [row for row in ROWS if row.callers != "anyone"]
OWN = [(row, kind) for row in GUARDED for kind in row.callers.split()]
ALICE = "human:alice"


@pytest_asyncio.fixture(loop_scope="module")
async def served(rows: Rows) -> Served:
    """One server for all; each test meets a memory in which nothing is."""
    return rows.fresh()


def named(row: Row) -> str:
    return row.route


async def test_every_route_is_on_the_list_and_every_row_is_a_route(served: Served) -> None:
    document = served.app.openapi()
    served = {
        f"{method.upper()} {path}": operation
        for path, operations in document["paths"].items()
        for method, operation in operations.items()
    }
    assert set(served) == {row.route for row in ROWS}
    assert len(ROWS) == len(served), "each once"
    for row in ROWS:
        assert row.why
        said = sorted(served[row.route].get("x-callers", ["anyone"]))
        assert said == sorted(row.callers.split()), row.route


async def test_without_a_key_or_with_a_wrong_one_nothing_is_answered(served: Served) -> None:
    for secret in (None, "cfd_" + "a" * 43, "a.b.c"):
        client = served.client(secret)
        answers = await asyncio.gather(*(asked(client, row, ABSENT) for row in GUARDED))
        assert {one.status_code for one in answers} == {401}


async def test_callers_of_another_kind_are_turned_away_whatever_they_ask(served: Served) -> None:
    clients = {kind: await client_of(served, kind) for kind in KINDS}
    for kind, client in clients.items():
        others = [row for row in GUARDED if kind not in row.callers.split()]
        answers = await asyncio.gather(*(asked(client, row, ABSENT) for row in others))
        for row, answer in zip(others, answers, strict=True):
            assert answer.status_code == 403, (row.route, kind, answer.text)


@pytest.mark.parametrize("row", GUARDED, ids=named)
async def test_who_may_can_and_nobody_else(served: Served, row: Row) -> None:
    for kind in row.callers.split():
        await act(served, row, kind)


async def act(served: Served, row: Row, kind: str) -> None:
    """Own, a stranger's, an impostor's: with a thing of its own each time."""
    is_somebody = kind in ("platform", "personal", "token")
    if kind == "personal":
        await served.confide.keys.open_connections(
            Entity.parse(ALICE), actor=operator_as(Entity.parse(ALICE))
        )
    own, memory = await client_of(served, kind, ALICE), None
    if "{memory}" in json.dumps(row.body):
        memory = await _memory(await served.platform())
    answer = await asked(own, row, await thing(served, row), _says(row, kind, ALICE), memory)
    right = 403 if row.asks and kind == "personal" else row.own
    if kind == "admin" and row.by_admin is not None:
        right = row.by_admin
    assert answer.status_code == right, (row.route, kind, answer.text)
    assert ("only-asked" in answer.text) == (right == 403)
    if not is_somebody:
        return
    if row.stranger is not None and not (kind == "platform" and row.says is None):
        await opened_for(served, "human:bob", row, kind)
        bob = await client_of(served, kind, "human:bob")
        said = _says(row, kind, "human:bob")
        answer = await asked(bob, row, await thing(served, row), said, memory)
        right = row.own if row.attested and kind == "platform" else row.stranger
        assert answer.status_code == right, (row.route, kind, answer.text)
    await impostors(served, row, kind)


async def impostors(served: Served, row: Row, kind: str) -> None:
    """Whoever says that they are another: bob's key as alice, another platform's as alice."""
    if row.says is None:
        return
    id = await thing(served, row)
    if kind == "platform":
        wrong = await served.platform("discord")
    else:
        wrong = await client_of(served, kind, "human:bob")
    answer = await asked(wrong, row, id, says={row.says: ALICE})
    assert answer.status_code == 403, (row.route, kind, answer.text)


async def opened_for(served: Served, who: str, row: Row, kind: str) -> None:
    """What a row is about was said elsewhere, which a closed key knows nothing of."""
    if kind == "personal":
        one = Entity.parse(who)
        await served.confide.keys.open_connections(one, actor=operator_as(one))


#: Made for one person's eyes: a personal key does it once its owner opened their connections.
ALONE = {
    "/v1/people", "/v1/people/{entity}", "/v1/merges", "/v1/merges/{merge}/confirm",
    "/v1/export", "/v1/memories/{memory_id}/history", "/v1/memories/{memory_id}/correct",
    "/v1/review/{memory_id}", "/v1/memories/{memory_id}", "/v1/mine/search", "/v1/mine/mentions",
    "/v1/mine/stats", "/v1/mine/archive", "/v1/mine/archived", "/v1/mine/report", "/v1/insights",
    "/v1/trail", "/v1/erasures/preview", "/v1/memories/{memory_id}/tellings",
}  # fmt: skip


async def test_what_is_for_ones_own_eyes_needs_an_opened_personal_key(served: Served) -> None:
    alice = await served.personal(ALICE)
    asked_by_people = [row for row in GUARDED if "personal" in row.callers]
    for row in (one for one in asked_by_people if one.path in ALONE and one.method != "DELETE"):
        if row.route in ("POST /v1/merges", "PUT /v1/review/{memory_id}"):
            continue  # what one writes oneself
        answer = await asked(alice, row, ABSENT)
        # A memory that was said elsewhere does not exist for a closed key.
        if "{memory_id}" in row.path:
            assert answer.status_code == 404, row.route
            continue
        assert answer.status_code == 403, row.route
        assert "remembered through it" in answer.json()["detail"]


async def client_of(served: Served, kind: str, who: str = ALICE) -> httpx.AsyncClient:
    match kind:
        case "platform":
            return await served.platform()
        case "personal":
            return await served.personal(who)
        case "token":
            return await served.token(asker=who, place="dm")
        case _:
            return served.client(await served.key(kind))


def _says(row: Row, kind: str, who: str) -> dict[str, str]:
    """A platform says for whom; a key or token is somebody's already."""
    return {row.says: who} if row.says is not None and kind == "platform" else {}


async def asked(
    client: httpx.AsyncClient,
    row: Row,
    id: str,
    says: dict[str, str] | None = None,
    memory: str | None = None,
) -> httpx.Response:
    is_own_place = not {"personal", "token"} & set(row.callers.split()) or _is_platform(client)
    body = dict(row.body) if row.body is not None else None
    query, said = dict(row.query), dict(says or {})
    if "as" in said:
        query["as"] = said.pop("as")
    if body is not None:
        body |= said
        if not is_own_place:
            body = {name: one for name, one in body.items() if name not in ("place", "in")}
        written = json.dumps(body).replace("{fresh}", str(next(_fresh)))
        body = json.loads(written.replace("{memory}", memory or ABSENT))
    elif row.path == "/v1/messages/stream":
        return await client.post(row.path, content=b"{}\n")
    elif row.path == "/v1/imports":
        line = b'{"by": "me", "text": "I love tea", "at": "2026-03-01"}'
        return await client.post(row.path, content=line, params=query)
    path = re.sub(r"\{\w+\}", id, row.path)
    return await client.request(row.method, path, json=body, params=query)


def _is_platform(client: httpx.AsyncClient) -> bool:
    return bool(getattr(client, "is_platform", False))


async def thing(served: Served, row: Row) -> str:
    """Something of Alice's, fresh."""
    local = await served.platform()
    as_alice: dict[str, Any] = {"params": {"as": ALICE}}
    match row.thing:
        case None:
            return ABSENT
        case "memory":
            return await _memory(local)
        case "forgotten":
            id = await _memory(local)
            await local.delete(f"/v1/memories/{id}", **as_alice)
            return id
        case "waiting":
            return await _memory(local, confidence=0.1)
        case "shared" | "consent":
            id = await _memory(local)
            given = await local.post(
                f"/v1/memories/{id}/shares", json={"grantee": "human:carol"}, **as_alice
            )
            return id if row.thing == "shared" else given.json()["consent"]
        case "request":
            id = await _memory(local)
            wish = {"grantee": "human:carol", "of": [ALICE]}
            left = await local.post(f"/v1/memories/{id}/consent-requests", json=wish, **as_alice)
            return left.json()["requests"][0]["id"]
        case "insight":
            source = await _memory(local)
            body = {"sources": [source], "text": f"Fruit is popular {source[:8]}"}
            return (await local.post("/v1/insights", json=body, **as_alice)).json()["id"]
        case "data request":
            asking = {"what": "access"}
            return (await local.post("/v1/requests", json=asking, **as_alice)).json()["id"]
        case "context":
            name = f"care{next(_fresh)}"
            await local.post(f"/v1/contexts/{name}/enter", json={}, **as_alice)
            return name
        case "person":
            return ALICE
        case "merge":
            for one in (await local.get("/v1/merges", **as_alice)).json()["merges"]:
                return one["id"]
            two = {"one": ALICE, "other": "human:al", "because": "same phone"}
            return (await local.post("/v1/merges", json=two, **as_alice)).json()["id"]
        case "claim":
            return await claimed(served.confide, ALICE)
        case "message":
            return "m-1"
        case "key":
            return str((await served.confide.keys.list())[0].id)
        case "erasure":
            await _memory(local)
            gone = await local.post("/v1/erasures", json={"person": ALICE}, **as_alice)
            return gone.json()["id"]
        case _:
            raise ValueError(row.thing)


_fresh = iter(range(10**9))


async def _memory(local: httpx.AsyncClient, **fields: Any) -> str:
    text = f"I like fruit of kind {next(_fresh)}"
    return await remembered(local, text, by=ALICE, place="dm", **fields)
