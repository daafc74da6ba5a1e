"""The client against a running server: same values, same errors, and a key that goes nowhere else."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import httpx
import pytest
from tests.http.conftest import Served

from confide import Confide, Entity, audience, operator_as, statement
from confide.client import ConfideClient
from confide.client.door import Door
from confide.errors import (
    InvalidInput,
    NotAllowed,
    NotFound,
    NotRecognized,
    SecretRefused,
    StoreError,
    StoreUnavailable,
    TooMany,
)
from confide.keep.syncing import Sight
from confide.privacy import atoms
from confide.privacy.policy import Anyone, EveryoneIn, Viewer
from confide.reading import read_access, read_entity, read_place

ALICE = read_entity("human:alice")
TEA = "Alice drinks green tea in the morning."


async def test_the_verbs_do_elsewhere_what_they_do_here(
    confide: Confide, platform: ConfideClient
) -> None:
    said = statement(
        TEA, by=ALICE, place="restricted:mods@guild", sensitivity="public", kind="event"
    )
    kept = await platform.remember(said)
    assert (kept.memory.kind.value, kept.memory.scope.value) == ("event", "channel_restricted")
    assert kept.memory.expires_at is not None
    heard = audience("human:alice", "restricted:mods@guild")
    there, here = await platform.recall(TEA, heard), await confide.recall(TEA, heard)
    assert there.block() == here.block()
    assert [one.memory.id for one in there.memories] == [kept.id]
    assert (
        await platform.recheck(there, audience("human:bob", "public:general@guild"))
    ).memories == ()
    why = await platform.explain(kept.id, audience("human:bob", "dm"), actor=operator_as(ALICE))
    same = await confide.explain(kept.id, audience("human:bob", "dm"), actor=operator_as(ALICE))
    assert why.decision == same.decision
    (own,) = await platform.memories(ALICE)
    assert (own.text, own.owner, own.origin.place.id) == (TEA, ALICE, "mods@guild")
    shared = await platform.consents.share(
        kept.id, read_access("human:bob"), actor=operator_as(ALICE)
    )
    (given,) = await platform.consents.given_by(ALICE)
    (known,) = await confide.consents.given_by(ALICE)
    assert given == known
    await platform.consents.withdraw(shared.consent_id, actor=operator_as(ALICE))
    gone = await platform.forget(kept.id, actor=operator_as(ALICE))
    assert gone.undo_until
    assert (await platform.recall(TEA, heard)).memories == ()
    await platform.restore(kept.id, actor=operator_as(ALICE))
    assert (await platform.recall(TEA, heard)).memories


async def test_a_personal_key_is_a_place_of_its_own(served: Served) -> None:
    secret = await served.key("personal", entity="human:alice")
    async with ConfideClient.open(served.url, secret) as client:
        assert (await client.whoami()).entity == ALICE
        await client.remember(statement(TEA, by=ALICE, place="dm", sensitivity="public"))
        told = await client.recall(TEA, audience("human:alice", "dm"))
        assert [one.memory.text for one in told.memories] == [TEA]
        with pytest.raises(NotAllowed):
            await client.recall(TEA, audience("human:bob", "dm"))
        with pytest.raises(NotAllowed):
            await client.recall(TEA, audience("human:alice", "public:general@guild"))


async def test_errors_are_those_of_the_library(served: Served, platform: ConfideClient) -> None:
    absent = "5f0c1111-2222-4333-8444-555566667777"
    with pytest.raises(NotFound, match="there is no such memory"):
        await platform.forget(absent, actor=operator_as(ALICE))  # type: ignore[arg-type]
    with pytest.raises(SecretRefused) as refused:
        token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
        await platform.remember(statement(f"token {token}", by=ALICE, place="dm"))
    assert refused.value.field == "text"
    with pytest.raises(InvalidInput) as wrong:
        await platform.consents.share(absent, read_access("human:bob"), actor=operator_as())  # type: ignore[arg-type]
    assert wrong.value.field == "as"
    async with ConfideClient.open(served.url, "cfd_" + "x" * 43) as stranger:
        with pytest.raises(NotRecognized):
            await stranger.whoami()
    seldom = await served.key("personal", entity="human:carol", per_minute=1)
    async with ConfideClient.open(served.url, seldom) as client:
        with pytest.raises(TooMany) as many:
            for _ in range(10):
                await client.memories(Entity("human", "carol"))
    assert many.value.wait > 0


async def test_many_clients_at_once_each_hear_their_own(served: Served) -> None:
    async def live(n: int) -> None:
        who = Entity("human", f"p{n}")
        secret = await served.key("personal", entity=str(who))
        own = f"The code word of today is {n}zulu."
        async with ConfideClient.open(served.url, secret) as client:
            await client.remember(statement(own, by=who, place="dm", sensitivity="public"))
            for _ in range(3):
                told = await client.recall("code word of today?", audience(who, "dm"))
                assert {one.memory.text for one in told.memories} == {own}

    await asyncio.gather(*map(live, range(6)))


@pytest.mark.req("K17")
async def test_nobody_who_listens_is_left_out_on_the_way(platform: ConfideClient) -> None:
    await platform.remember(statement(TEA, by=ALICE, place="dm"))
    alone = audience(ALICE, "dm")
    assert (await platform.recall(TEA, alone)).memories
    for viewers in (
        {ALICE, Anyone()},
        {ALICE, EveryoneIn(atoms.place("general@guild"))},
        {ALICE, read_entity("human:bob")},
        set[Viewer](),
    ):
        heard = replace(alone, viewers=frozenset(viewers))
        with pytest.raises(InvalidInput):
            await platform.recall(TEA, heard)
        with pytest.raises(InvalidInput):
            await platform.tokens.mint(heard)
    bobs = audience("human:bob", "dm").place
    with pytest.raises(InvalidInput, match="place"):
        await platform.recall(TEA, replace(alone, place=bobs))


@pytest.mark.parametrize(
    "url",
    [
        "http://memory.example",
        "ftp://localhost",
        "nonsense",
        "",
        "https://me:secret@memory.example",
    ],
)
def test_a_key_is_not_sent_in_the_clear_nor_to_what_is_no_address(url: str) -> None:
    with pytest.raises(InvalidInput, match="CONFIDE_URL") as refused:
        Door(url, "key")
    assert "secret" not in str(refused.value)


async def test_what_goes_to_this_machine_goes_through_no_proxy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[bytes] = []

    async def overhear(reading: asyncio.StreamReader, writing: asyncio.StreamWriter) -> None:
        seen.append(await reading.readuntil(b"\r\n\r\n"))
        writing.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
        writing.close()

    proxy = await asyncio.start_server(overhear, "127.0.0.1", 0)
    address = proxy.sockets[0].getsockname()
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{address[1]}")
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    door = Door("http://127.0.0.1:9", "key")
    with pytest.raises(StoreUnavailable):
        await door.who()
    await door.close()
    proxy.close()
    assert seen == []


async def test_a_key_is_not_sent_where_a_redirect_points() -> None:
    seen: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request.url.host)
        return httpx.Response(307, headers={"Location": "https://elsewhere.example/v1/whoami"})

    door = Door("https://memory.example", "key", transport=httpx.MockTransport(answer))
    with pytest.raises(StoreError):
        await door.who()
    assert seen == ["memory.example"]


@pytest.mark.parametrize("body", ["<html>", "{}", "[1]"])
@pytest.mark.parametrize("status", [404, 500])
async def test_whatever_a_stranger_answers_is_one_of_our_errors(body: str, status: int) -> None:
    transport = httpx.MockTransport(lambda _: httpx.Response(status, text=body))
    door = Door("https://memory.example", "key", transport=transport)
    with pytest.raises(StoreError, match="CONFIDE_URL"):
        await door.call("GET", "/v1/whoami")


async def test_no_server_is_said_with_its_address() -> None:
    door = Door("http://127.0.0.1:9", "key")
    with pytest.raises(StoreUnavailable, match=r"127\.0\.0\.1:9"):
        await door.who()


@pytest.mark.req("S3", "S20")
async def test_a_server_takes_a_room_of_thousands_however_it_is_said(
    platform: ConfideClient, confide: Confide
) -> None:
    crowd = [Entity("human", f"m{n}") for n in range(2_500)]
    hall = read_place("restricted:hall@guild", crowd[0])
    assert await platform.world.join(hall, *crowd)
    assert [one.members for one in await confide.world.places()] == [2_500]
    assert await platform.world.leave(hall, *crowd[100:])
    assert [one.members for one in await confide.world.places()] == [100]
    await platform.world.sync([Sight(hall, frozenset(crowd))])
    assert [one.members for one in await confide.world.places()] == [2_500]
    assert await platform.world.leave_space("guild", *crowd)
    assert [one.members for one in await confide.world.places()] == [0]
