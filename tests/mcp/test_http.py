"""Over HTTP each request is its key or token, and nothing of it survives into the next."""

from __future__ import annotations

import asyncio
import json
import logging

import httpx2
import pytest
from tests.conftest import Clock
from tests.mcp.conftest import Connect, Keys, call, connected, refused, texts

from confide import Confide, operator_as, statement

TEA = "Alice drinks green tea in the morning."
LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}


async def post(
    url: str, secret: str | None, body: object = LIST, **headers: str
) -> httpx2.Response:
    given = {"Accept": "application/json, text/event-stream", **headers}
    if secret is not None:
        given["Authorization"] = secret
    async with httpx2.AsyncClient() as http:
        return await http.post(url, json=body, headers=given)


@pytest.mark.req("K17")
async def test_without_a_valid_key_there_is_one_answer(
    confide: Confide, url: str, keys: Keys, clock: Clock
) -> None:
    token = await keys.token("human:alice", "dm")
    revoked = await keys.personal("human:alice")
    (made,) = [one for one in await confide.keys.list() if one.entity is not None]
    await confide.keys.revoke(made.id, actor=operator_as())
    clock.advance(minutes=6)
    head, claims, seal = token.split(".")
    answers = [
        await post(url, f"Bearer {secret}")
        for secret in (token, revoked, "cfd_" + "x" * 43, "nonsense")
    ]
    answers += [await post(url, f"Bearer {head}.{claims}.{seal[::-1]}")]
    assert {one.status_code for one in answers} == {401}
    by_kind = {one.text for one in answers[:1]}, {one.text for one in answers[1:4]}
    assert all(len(one) == 1 for one in by_kind)
    assert (await post(url, None)).status_code == 401
    assert (await post(url, "Basic eDp5")).status_code == 401


async def test_nothing_but_asking_is_answered(url: str, keys: Keys) -> None:
    secret = await keys.personal("human:alice")
    async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {secret}"}) as http:
        assert (await http.get(url)).status_code == 405
        assert (await http.delete(url)).status_code == 405


@pytest.mark.req("K16")
async def test_no_session_is_made_and_a_made_up_one_changes_nothing(url: str, keys: Keys) -> None:
    alice, bob = await keys.personal("human:alice"), await keys.personal("human:bob")
    greeting = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        },
    }
    first = await post(url, f"Bearer {alice}", greeting)
    assert first.status_code == 200
    assert "mcp-session-id" not in first.headers
    async with connected(url, alice) as client:
        await call(client, "memory_create", text=TEA)
    asked = {
        "jsonrpc": "2.0",
        "id": 2,
        "method": "tools/call",
        "params": {"name": "memory_recall", "arguments": {"query": TEA}},
    }
    session = {"Mcp-Session-Id": "made-up", "Mcp-Protocol-Version": "2025-06-18"}
    mine = await post(url, f"Bearer {alice}", asked, **session)
    theirs = await post(url, f"Bearer {bob}", asked, **session)
    assert TEA in mine.text
    assert TEA not in theirs.text


@pytest.mark.req("K16", "K17")
async def test_many_callers_at_once_each_hear_their_own(connect: Connect, keys: Keys) -> None:
    people = [f"human:p{n}" for n in range(8)]
    secrets = {who: await keys.personal(who) for who in people}

    async def live(who: str) -> None:
        own = f"The code word of today is {who.partition(':')[2]}zulu."
        async with connect(secrets[who]) as client:
            await call(client, "memory_create", text=own, sensitivity="public")
            for _ in range(5):
                assert await texts(client, "what is the code word of today?") == {own}

    await asyncio.gather(*map(live, people))


@pytest.mark.req("K16", "K17", "S24")
@pytest.mark.parametrize("tool", ["memory_recall", "memory_create", "memory_forget"])
async def test_a_model_that_names_another_identity_gets_nothing(
    confide: Confide, connect: Connect, keys: Keys, tool: str
) -> None:
    await confide.remember(statement(TEA, by="human:alice", place="dm", sensitivity="public"))
    fields = {
        "memory_recall": {"query": TEA},
        "memory_create": {"text": "Something else."},
        "memory_forget": {"memory_id": "5f0c1111-2222-4333-8444-555566667777"},
    }[tool]
    token = await keys.token("human:bob", "public:general@guild")
    for secret in (await keys.personal("human:bob"), token):
        async with connect(secret) as client:
            for claim in ("as", "asker", "by", "viewers", "place", "namespace", "purpose", "actor"):
                why = await refused(client, tool, **fields, **{claim: "human:alice"})
                assert claim in why
                assert TEA not in why
            own = await call(client, "recall_user_context", entity="human:alice", query=TEA)
            nobody = await call(client, "recall_user_context", entity="human:nobody", query=TEA)
            assert own == nobody == {"memories": [], "count": 0, "perhaps": [], "standing": []}


@pytest.mark.req("K16")
async def test_a_token_for_one_place_hears_nothing_of_another(
    confide: Confide, connect: Connect, keys: Keys
) -> None:
    await confide.remember(
        statement(TEA, by="human:alice", place="restricted:mods@guild", sensitivity="public")
    )
    for place, told in (
        ("restricted:mods@guild", {TEA}),
        ("public:general@guild", set()),
        ("restricted:staff@guild", set()),
        ("dm", {TEA}),
    ):
        async with connect(await keys.token("human:alice", place)) as client:
            assert await texts(client, TEA) == told


@pytest.mark.req("K16")
async def test_in_company_nobody_learns_who_else_hears_something(
    confide: Confide, connect: Connect, keys: Keys
) -> None:
    said = await confide.remember(
        statement(TEA, by="human:alice", place="public:general@guild", sensitivity="public")
    )
    async with connect(await keys.token("human:alice", "public:general@guild")) as client:
        assert "in private" in await refused(client, "privacy_audit", memory_id=str(said.id))


async def test_bad_fields_are_named_and_not_repeated(connect: Connect, keys: Keys) -> None:
    async with connect(await keys.personal("human:alice")) as client:
        for tool, fields, named in (
            ("memory_create", {"text": ""}, "text"),
            ("memory_create", {"text": "Tea.", "kind": "zebra-secret"}, "kind"),
            ("memory_create", {"text": "Tea.", "expires": "zebra-secret"}, "expires"),
            ("memory_create", {"text": "Tea.", "expires": "2001-01-01"}, "expires"),
            ("memory_create", {"text": "Tea.", "subject_ids": ["zebra"]}, "subject_ids"),
            ("memory_create", {"text": "Tea.", "consent_grants": ["human:x"]}, "consent_grants"),
            ("memory_create", {"text": "Tea.", "subject_ids": ["human:x"] * 101}, "subject_ids"),
            ("memory_create", {"text": "Te\x00a."}, "text"),
            ("memory_recall", {"query": "\x00"}, "query"),
            ("memory_recall", {}, "query"),
            ("context_enter", {"context": "nowhere"}, "context"),
            ("consent_revoke", {}, "consent_id"),
        ):
            assert named in await refused(client, tool, **fields), tool
        assert (await call(client, "memory_recall", query="tea"))["count"] == 0
    too_much = {"text": "a" * 300_000}
    async with connect(await keys.personal("human:alice")) as client:
        with pytest.raises(Exception):  # noqa: B017 - whatever the client makes of a 413
            await client.call_tool("memory_create", too_much)


@pytest.mark.req("K16")
async def test_each_tool_says_what_it_does_and_is_typed(connect: Connect, keys: Keys) -> None:
    async with connect(await keys.personal("human:alice")) as client:
        listed = (await client.list_tools()).tools
    for tool in listed:
        assert tool.description
        assert tool.annotations.open_world_hint is False
        assert tool.input_schema["additionalProperties"] is False
        assert tool.output_schema["type"] == "object"
        for field in tool.input_schema["properties"].values():
            assert "description" in json.dumps(field), tool.name
    hints = {tool.name: tool.annotations for tool in listed}
    assert {name for name, hint in hints.items() if hint.destructive_hint} == {
        "memory_forget",
        "consent_revoke",
    }
    assert hints["memory_recall"].read_only_hint
    stores = next(tool.description for tool in listed if tool.name == "memory_create")
    for never in ("credentials", "conversation", "state of the current task"):
        assert never in stores


@pytest.mark.req("S22", "K16")
async def test_own_memories_are_a_resource(confide: Confide, connect: Connect, keys: Keys) -> None:
    await confide.remember(
        statement("Alice hides a key.", by="human:alice", place="dm", sensitivity="public")
    )
    async with connect(await keys.personal("human:alice")) as client:
        made = await call(client, "memory_create", text=TEA)
        whole = json.loads((await client.read_resource("confide://memories")).contents[0].text)
        assert [one["text"] for one in whole["memories"]] == [TEA]
        one = await client.read_resource(f"confide://memories/{made['id']}")
        assert json.loads(one.contents[0].text)["text"] == TEA
    async with connect(await keys.personal("human:bob")) as client:
        for id in (made["id"], "5f0c1111-2222-4333-8444-555566667777"):
            with pytest.raises(Exception, match="there is no such memory"):
                await client.read_resource(f"confide://memories/{id}")


@pytest.mark.req("K16")
async def test_no_log_holds_what_was_asked_told_or_wrong(
    confide: Confide,
    connect: Connect,
    keys: Keys,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    word = "zebrafinch"

    async def broken(*given: object, **fields: object) -> None:
        raise RuntimeError(f"the database says {word}")

    with caplog.at_level(logging.DEBUG):
        async with connect(await keys.personal("human:alice")) as client:
            await call(client, "memory_create", text=f"The bird is a {word}.")
            assert word in str(await texts(client, word))
            await refused(client, "memory_create", text=word, kind=word)
            monkeypatch.setattr(confide, "recall", broken)
            assert word not in await refused(client, "memory_recall", query=word)
    # What the client itself logs is the client's.
    ours = [one for one in caplog.records if not one.name.startswith(("httpx", "httpcore"))]
    assert not [one.name for one in ours if word in one.getMessage() or one.exc_info]
    assert any("memory_recall ended in RuntimeError" in one.getMessage() for one in ours)
