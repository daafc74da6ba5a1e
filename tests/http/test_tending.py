"""What an admin sets going and decides, without ever reading a word; and what platforms sync."""

from __future__ import annotations

from uuid import UUID

import pytest
from tests.http.conftest import Served, recalled, remembered

from confide import Entity, operator_as
from confide.keep.data_requests import Wanted

ABSENT = "6f1c2d9e-0b57-4a52-9d1f-3f2a6f6f0c11"
CANARY = "zanzibarquokka"


async def test_an_admin_decides_on_requests_without_reading_them(served: Served) -> None:
    local, admin = await served.platform(), served.client(await served.key("admin"))
    bob = Entity.parse("human:bob")
    said = await remembered(
        local, f"Bob owns a {CANARY}", by="human:alice", place="group:art", about=["human:bob"]
    )
    for what, text in ((Wanted.CORRECT, f"Bob sold his {CANARY}"), (Wanted.OBJECT, CANARY)):
        await served.confide.data_requests.ask(
            what, bob, actor=operator_as(bob), memory_id=UUID(said), wanted=text
        )
    queue = await admin.get("/v1/requests")
    assert CANARY not in queue.text
    asked = {one["what"]: one["id"] for one in queue.json()["requests"]}
    yes = {"grants": True, "reason": "as you wish"}
    words = await admin.post(f"/v1/requests/{asked['correct']}/answer", json=yes)
    assert words.status_code == 403, "a correction is words"
    done = await admin.post(f"/v1/requests/{asked['object']}/answer", json=yes)
    assert done.status_code == 200
    assert CANARY not in done.text
    heard = await recalled(local, f"{CANARY}?", asker="human:carol", place="group:art")
    assert heard == set(), "it is told to nobody but whoever said it"
    absent = await admin.post(f"/v1/requests/{ABSENT}/answer", json=yes)
    again = await admin.post(f"/v1/requests/{asked['object']}/answer", json=yes)
    assert (absent.status_code, absent.content) == (again.status_code, again.content)


async def test_an_admin_keeps_insights_back_and_lets_none_go(served: Served) -> None:
    local, admin = await served.platform(), served.client(await served.key("admin"))
    id = await remembered(local, f"I own a {CANARY}", by="human:alice", place="dm")
    body = {"sources": [id], "text": "Pets helped in 2024", "note": f"from a {CANARY}"}
    made = (await local.post("/v1/insights", json=body, params={"as": "human:alice"})).json()
    listed = await admin.get("/v1/insights")
    assert [one["id"] for one in listed.json()["insights"]] == [made["id"]]
    assert CANARY not in listed.text
    assert (await admin.post(f"/v1/insights/{made['id']}/approve")).status_code == 404
    assert (await admin.post(f"/v1/insights/{made['id']}/reject")).status_code == 200
    assert (await admin.get("/v1/insights")).json()["insights"] == []
    assert (await admin.post(f"/v1/insights/{ABSENT}/reject")).status_code == 404


async def test_reports_and_previews_are_numbers(served: Served) -> None:
    local, admin = await served.platform(), served.client(await served.key("admin"))
    await remembered(local, f"I own a {CANARY}", by="human:alice", place="dm")
    report = await admin.get("/v1/report")
    assert sum(one["memories"] for one in report.json()["made"]) == 1
    assert "alice" not in report.text
    mine = await local.get("/v1/mine/report", params={"as": "human:alice"})
    assert [one["memories"] for one in mine.json()["levels"]] == [1]
    others = await local.get("/v1/mine/report", params={"as": "human:bob"})
    assert others.json() == {"levels": [], "count": 0}
    target = {"json": {"person": "human:alice"}}
    would = await admin.post("/v1/erasures/preview", **target)
    assert would.json()["counts"]["memories"] == 1
    assert len(await served.confide.memories(Entity.parse("human:alice"))) == 1
    stranger = await local.post("/v1/erasures/preview", params={"as": "human:bob"}, **target)
    assert stranger.status_code == 422
    verified = await admin.get("/v1/trail/verify")
    assert verified.json()["problems"] == []
    assert CANARY not in report.text + would.text + verified.text


async def test_learning_and_clearing_can_be_set_going(served: Served) -> None:
    local, admin = await served.platform(), served.client(await served.key("admin"))
    said = {"id": "a/b/c", "in": "dm", "by": "human:alice", "text": f"I own a {CANARY}."}
    assert (await local.post("/v1/messages", json=said)).status_code == 200
    learned = await admin.post("/v1/jobs/learn", json={"is_everything": True})
    assert learned.json() == {"messages": 1}
    assert len(await served.confide.memories(Entity.parse("human:alice"))) == 1
    gone = await local.delete("/v1/messages/a%2Fb%2Fc")
    assert gone.json() == {"was_kept": True}, "an id may hold slashes"
    assert not await served.confide.memories(Entity.parse("human:alice"))
    assert (await local.put("/v1/messages/a/b/c", json={"text": "x"})).status_code == 200
    cleared = (await admin.post("/v1/gc", json={"preview": True})).json()
    assert set(cleared.values()) == {0}
    elsewhere = await admin.post("/v1/vectors/reembed", json={"model": "voyage-3-large"})
    assert (elsewhere.status_code, elsewhere.json()["field"]) == (422, "model")


async def test_a_platform_syncs_its_own_places_only(served: Served) -> None:
    local, discord = await served.platform(), await served.platform("discord")
    id = await remembered(local, f"The {CANARY} naps", by="human:alice", place="public:zoo@guild")
    asks = {"asker": "human:bob", "place": "public:lobby@guild"}
    assert await recalled(local, f"{CANARY}?", **asks) == {id}
    closed = {"places": [{"place": "restricted:zoo@guild", "members": ["human:alice"]}]}
    would = (await local.post("/v1/places/sync", json={**closed, "preview": True})).json()
    assert [one["became"] for one in would["changes"]] == ["narrowed"]
    assert await recalled(local, f"{CANARY}?", **asks) == {id}, "a preview changes nothing"
    for wrong in (
        closed,
        {"places": [], "all_of": "guild"},
        {"places": [{"place": "restricted:discord.x@discord.g", "members": ["human:alice"]}]},
    ):
        assert (await discord.post("/v1/places/sync", json=wrong)).status_code == 403, wrong
    for wrong in ({"space": "guild"}, {"places": ["zoo@guild"]}, {"places": ["discord.x@guild"]}):
        answer = await discord.post("/v1/places/reclassify", json={"to": "restricted", **wrong})
        assert answer.status_code == 403, wrong
    assert await recalled(local, f"{CANARY}?", **asks) == {id}
    assert (await local.post("/v1/places/sync", json=closed)).status_code == 200
    assert await recalled(local, f"{CANARY}?", **asks) == set()
    twice = {"places": [closed["places"][0]] * 2}
    direct = {"places": [{"place": "dm"}]}
    for wrong in (twice, direct):
        assert (await local.post("/v1/places/sync", json=wrong)).status_code == 422


@pytest.mark.req("S20")
async def test_a_place_that_opens_is_flagged_until_somebody_looked(served: Served) -> None:
    local, admin = await served.platform(), served.client(await served.key("admin"))
    await local.post(
        "/v1/places/sync", json={"places": [{"place": "restricted:mods@guild", "members": []}]}
    )
    opened = {"to": "public", "places": ["mods@guild"]}
    assert (await local.post("/v1/places/reclassify", json=opened)).json()["changes"]

    async def flagged() -> list[bool]:
        return [one["needs_review"] for one in (await admin.get("/v1/places")).json()["places"]]

    assert await flagged() == [True]
    assert (await admin.post("/v1/places/reviewed", json={"place": "mods@guild"})).is_success
    assert await flagged() == [False]
