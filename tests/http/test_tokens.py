"""Audience tokens over HTTP: for one audience, for five minutes, whatever a tool call says."""

from __future__ import annotations

import pytest
from tests.conftest import Clock
from tests.http.conftest import Served, recalled, remembered

from confide import operator_as

ASKED = "what do the moderators say about Rex and insults?"
MODS = "restricted:mods@guild"


@pytest.mark.req("K17")
async def test_a_token_is_told_what_its_audience_is_told_and_cannot_be_another(
    served: Served,
) -> None:
    local = await served.platform()
    id = await remembered(
        local, "Moderators say Rex is known for insults", by="human:mia", place=MODS
    )
    mods = await served.token(asker="human:mia", place=MODS)
    general = await served.token(asker="human:mia", place="public:general@guild")
    bob = await served.token(asker="human:bob", place="dm")
    assert await recalled(mods, ASKED) == {id}
    assert await recalled(mods, ASKED, asker="human:mia", place=MODS) == {id}
    assert await recalled(general, ASKED) == set()
    assert await recalled(bob, ASKED) == set()
    for client in (general, bob):
        for other in (
            {"place": MODS},
            {"asker": "human:mia", "place": "dm"},
            {"present": ["human:carol"]},
            {"namespace": "w"},
            {"purpose": "p"},
        ):
            answer = await client.post("/v1/recall", json={"question": ASKED, **other})
            assert answer.status_code == 403, other
            assert "Rex" not in answer.text


async def test_replayed_in_another_place_a_token_still_is_for_its_own(served: Served) -> None:
    local = await served.platform()
    dm = await served.token(asker="human:mia", place="dm")
    id = await remembered(dm, "I am allergic to peanuts", sensitivity="sensitive")
    # Whoever holds the token of the direct chat cannot make it say that it is a channel, nor use it
    # for writing into one.
    answer = await dm.post("/v1/memories", json={"text": "Hi all", "place": "public:general@guild"})
    assert answer.status_code == 403
    assert await recalled(dm, "what am I allergic to, peanuts?") == {id}
    asks = {"asker": "human:mia", "place": "public:general@guild"}
    assert await recalled(local, "what am I allergic to, peanuts?", **asks) == set()


async def test_expired_and_revoked_tokens_are_turned_away(served: Served, clock: Clock) -> None:
    token = await served.token(asker="human:mia", place="dm")
    assert (await token.get("/v1/whoami")).status_code == 200
    minter = (await token.get("/v1/whoami")).json()["key"]
    clock.advance(minutes=5)
    assert (await token.get("/v1/whoami")).status_code == 401
    fresh = await served.token(asker="human:mia", place="dm")
    for key in await served.confide.keys.list():
        await served.confide.keys.revoke(key.id, actor=operator_as())
    assert (await fresh.get("/v1/whoami")).status_code == 401
    assert minter


async def test_only_own_audiences_can_be_minted(served: Served) -> None:
    discord = await served.platform("discord")
    for asking in (
        {"asker": "human:alice", "place": "dm"},
        {"asker": "human:discord.1", "place": "public:general@guild"},
        {"asker": "human:discord.1", "place": "group:discord.g", "present": ["human:alice"]},
        {"asker": str(served.confide.database.agent_entity), "place": "dm"},
    ):
        assert (await discord.post("/v1/tokens", json=asking)).status_code == 403, asking


async def test_a_token_does_not_share_nor_answer_for_anybody(served: Served) -> None:
    token = await served.token(asker="human:mia", place="dm")
    shared = {"text": "I like pears", "access": ["human:bob"], "consent": ["human:mia"]}
    done = (await token.post("/v1/memories", json=shared)).json()
    local = await served.platform()
    asking = {"question": "who likes pears?", "asker": "human:bob", "place": "dm"}
    assert (await local.post("/v1/recall", json=asking)).json()["memories"] == []
    (request,) = done["requests"]
    path = f"/v1/consent-requests/{request}/answer"
    assert (await token.post(path, json={"agrees": True})).status_code == 403
    yes = await local.post(path, json={"agrees": True}, params={"as": "human:mia"})
    assert yes.status_code == 200, yes.text
    told = (await local.post("/v1/recall", json=asking)).json()["memories"]
    assert [one["text"] for one in told] == ["I like pears"]
