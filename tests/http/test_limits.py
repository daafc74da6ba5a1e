"""Large, slow, broken and repeated requests; and that no word of anybody's is in a log."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
from collections.abc import Iterator
from io import StringIO

import httpx
import pytest
from tests.conftest import Opened
from tests.http.conftest import Served, recalled, remembered, serving

from confide import Entity
from confide.errors import InvalidInput
from confide.surfaces.http import logs
from confide.surfaces.http.serving import is_loopback, listen, require_keys

SECRET_WORD = "zanzibarquokka"


@pytest.fixture
def written() -> Iterator[StringIO]:
    """Everything that is logged at the most talkative level."""
    lines, root = StringIO(), logging.root
    handler = logging.StreamHandler(lines)
    handler.setFormatter(logs.JsonLines())
    before = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    yield lines
    root.removeHandler(handler)
    root.setLevel(before)


async def test_a_huge_body_is_refused_before_it_is_read(served: Served) -> None:
    alice = await served.personal("human:alice")
    huge = b'{"text": "' + b"x" * (300 * 1024) + b'"}'
    answer = await alice.post("/v1/memories", content=huge)
    assert (answer.status_code, answer.json()["type"]) == (413, "urn:confide:too-large")

    async def unannounced() -> object:
        for _ in range(300):
            yield b"x" * 1024

    answer = await alice.post("/v1/memories", content=unannounced())
    assert answer.status_code == 413
    assert (await alice.get("/v1/memories")).json()["memories"] == []


async def test_a_slow_request_is_given_up_and_nothing_of_it_stays(open_confide: Opened) -> None:
    async with open_confide() as confide, serving(confide, seconds=0.5) as served:
        alice = await served.personal("human:alice")

        async def dripping() -> object:
            for piece in (b'{"text": ', b'"I like '):
                yield piece
            await asyncio.sleep(3)
            yield b'pears"}'

        answer = await alice.post("/v1/memories", content=dripping())
        assert (answer.status_code, answer.json()["type"]) == (503, "urn:confide:too-slow")


async def test_requests_that_are_cancelled_leave_no_setting_behind(served: Served) -> None:
    """Each asker's own canary, while others leave in the middle of theirs."""
    local = await served.platform()
    ids = {}
    for n in range(8):
        text = f"Locker number {n} holds my umbrella"
        ids[n] = await remembered(local, text, by=f"human:p{n}", place="dm")

    async def leaves(n: int) -> None:
        asking = recalled(local, "where is my umbrella?", asker=f"human:p{n}", place="dm")
        with contextlib.suppress(TimeoutError, httpx.HTTPError):
            await asyncio.wait_for(asking, 0.001)  # a busy machine may have answered by then

    async def stays(n: int) -> set[str]:
        return await recalled(local, "where is my umbrella?", asker=f"human:p{n}", place="dm")

    for _ in range(5):
        done = await asyncio.gather(
            *(leaves(n) for n in range(8)), *(stays(n) for n in range(8)), return_exceptions=True
        )
        assert done[8:] == [{ids[n]} for n in range(8)]
    async with served.confide.database._pool.acquire() as connection:
        row = await connection.fetchrow(
            "SELECT current_user, session_user, current_setting('confide.labels', true) AS labels,"
            " current_setting('confide.agent', true) AS agent"
        )
    assert row["current_user"] == row["session_user"]
    assert not row["labels"]
    assert not row["agent"]


async def test_asking_twice_with_one_key_does_it_once(served: Served) -> None:
    local = await served.platform()
    body = {"text": "I like pears", "by": "human:alice", "place": "dm"}
    once = {"headers": {"Idempotency-Key": "k-1"}}
    first = await local.post("/v1/memories", json=body, **once)
    again = await local.post("/v1/memories", json=body, **once)
    assert (first.status_code, first.json()) == (again.status_code, again.json())
    assert again.json()["is_new"] is True, "the first answer, not a second act"
    assert again.headers["idempotency-replayed"] == "true"
    other = await local.post("/v1/memories", json={**body, "text": "I like plums"}, **once)
    assert (other.status_code, other.json()["type"]) == (409, "urn:confide:conflict")
    elsewhere = await local.put("/v1/places", json={"place": "group:g"}, **once)
    assert elsewhere.status_code == 409
    alice = await served.personal("human:alice")
    own = await alice.post("/v1/memories", json={"text": "I like pears"}, **once)
    assert own.status_code == 201, "another caller's key is another key"
    wrong = {"headers": {"Idempotency-Key": "k-2"}}
    refused = await local.post("/v1/memories", json={**body, "by": "human:x y"}, **wrong)
    assert refused.status_code == 422
    mended = await local.post("/v1/memories", json=body | {"text": "I like figs"}, **wrong)
    assert mended.status_code == 201, "what was refused can be asked again"
    async with served.confide.database.keep() as connection:
        rows = await connection.fetch("SELECT a::text AS row FROM confide.asked_once a")
    assert rows
    assert not any("pears" in row["row"] or "k-1" in row["row"] for row in rows)


async def test_the_same_request_many_times_at_once_is_done_once(served: Served) -> None:
    local = await served.platform()
    body = {"text": "I own a boat", "by": "human:alice", "place": "dm"}
    once = {"headers": {"Idempotency-Key": "at-once"}}
    answers = await asyncio.gather(
        *(local.post("/v1/memories", json=body, **once) for _ in range(8))
    )
    done = [one for one in answers if one.status_code == 201]
    assert done
    assert len({one.json()["id"] for one in done}) == 1
    assert {one.status_code for one in answers} <= {201, 409}
    (memory,) = await served.confide.memories(Entity.parse("human:alice"))
    assert memory.source_count == 1


async def test_logs_hold_ids_and_numbers_and_nobodys_words(
    served: Served, written: StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    local = await served.platform()
    said = f"My boat is called {SECRET_WORD}"
    await remembered(local, said, by="human:alice", place="dm")
    await recalled(local, f"what is {SECRET_WORD}?", asker="human:alice", place="dm")
    as_json = {"Content-Type": "application/json"}
    broken_off = f'{{"text": "{SECRET_WORD}'.encode()
    await local.post("/v1/memories", content=broken_off, headers=as_json)
    await local.post("/v1/memories", json={"text": SECRET_WORD, SECRET_WORD: SECRET_WORD})
    await local.get(f"/v1/{SECRET_WORD}", params={SECRET_WORD: SECRET_WORD})

    async def broken(*_: object, **__: object) -> None:
        try:
            raise ValueError(f"could not parse {said}")
        except ValueError as problem:
            raise RuntimeError(f"while reading {said}") from problem

    monkeypatch.setattr(served.confide, "recall", broken)
    asks = {"question": "?", "asker": "human:alice", "place": "dm"}
    answer = await local.post("/v1/recall", json=asks)
    assert answer.status_code == 500
    assert SECRET_WORD not in answer.text
    lines = [json.loads(line) for line in written.getvalue().splitlines()]
    assert SECRET_WORD not in written.getvalue()
    failed = next(line for line in lines if "error" in line)
    assert [one["type"] for one in failed["error"]] == ["RuntimeError", "ValueError"]
    assert failed["request"] == answer.headers["x-request-id"]
    answered = [line for line in lines if line["event"] == "answered"]
    assert {line["status"] for line in answered} >= {200, 201, 400, 404, 422, 500}
    assert all(line["request"] for line in answered)
    assert not any("cfd_" in json.dumps(line) for line in lines)


async def test_metrics_are_numbers_by_route(served: Served) -> None:
    local = await served.platform()
    await local.get("/v1/people/human:alice", params={"as": "human:bob"})
    await local.get("/nowhere/human:alice")
    told = (await served.client(await served.key("auditor")).get("/metrics")).text
    assert 'confide_requests_total{method="GET",route="/v1/people/{entity}",status="404"} 1' in told
    assert 'route="unknown",status="404"' in told
    assert "alice" not in told


async def test_health_and_the_document_need_no_key(served: Served) -> None:
    nobody = served.client()
    assert (await nobody.get("/healthz")).json() == {"status": "alive"}
    assert (await nobody.get("/readyz")).json() == {"status": "ready"}
    document = (await nobody.get("/openapi.json")).json()
    assert document["openapi"].startswith("3.1")
    for path in ("/v1/recall", "/v1/nothing", "/nothing"):
        answer = await nobody.get(path)
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.json()["status"] == answer.status_code


async def test_a_public_address_needs_a_key(open_confide: Opened) -> None:
    async with open_confide() as confide:
        with pytest.raises(InvalidInput, match="keys create"):
            await require_keys(confide, "0.0.0.0", is_public=not is_loopback("0.0.0.0"))
        await require_keys(confide, "127.0.0.1", is_public=not is_loopback("127.0.0.1"))
        served = Served(confide, "", None, [])
        await served.key("admin")
        await require_keys(confide, "0.0.0.0", is_public=True)


@pytest.mark.parametrize(
    ("host", "is_own"),
    [("127.0.0.1", True), ("::1", True), ("localhost", True), ("0.0.0.0", False), ("", False),
     ("::", False), ("192.0.2.7", False), ("no such host", False)],
)  # fmt: skip
def test_what_is_loopback(host: str, is_own: bool) -> None:
    assert is_loopback(host) is is_own


def test_a_taken_port_is_named_with_the_fix() -> None:
    with listen("127.0.0.1", 0) as taken:
        taken.listen()
        with pytest.raises(InvalidInput, match="choose another --port"):
            listen("127.0.0.1", taken.getsockname()[1])
    with pytest.raises(InvalidInput, match="host"):
        listen("no such host", 0)
