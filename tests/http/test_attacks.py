"""Ways in that were tried: a stale token, a replayed request, questions that are not questions."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from tests.conftest import Clock
from tests.http.conftest import Served, recalled, remembered

from confide.store.usage import Used, add

ALICE, BOB = "human:alice", "human:bob"
BAND, SONG = "group:band", "What is the new song called?"


@pytest.mark.req("K17")
async def test_who_left_a_room_does_not_come_back_by_an_old_token(served: Served) -> None:
    local = await served.platform()
    await local.post("/v1/places/join", json={"place": BAND, "who": [ALICE, BOB]})
    id = await remembered(local, "The new song is called Lighthouse", by=ALICE, place=BAND)
    token = await served.token(asker=BOB, place=BAND)
    assert await recalled(token, SONG) == {id}
    await local.post("/v1/places/leave", json={"place": BAND, "who": [BOB]})
    for path, body in (("/v1/recall", {"question": SONG}), ("/v1/memories", {"text": "I sing"})):
        assert (await token.post(path, json=body)).status_code == 401, path
    assert await recalled(local, SONG, asker=BOB, place="dm") == set(), "he is still out"


@pytest.mark.req("K17")
async def test_a_room_that_closed_is_not_opened_by_an_old_token(served: Served) -> None:
    local = await served.platform()
    token = await served.token(asker=ALICE, place="public:lab@guild")
    assert (await token.get("/v1/whoami")).status_code == 200
    await local.put("/v1/places", json={"place": "restricted:lab@guild"})
    assert (await token.post("/v1/memories", json={"text": "It works"})).status_code == 401
    (lab,) = [one for one in await served.confide.world.places() if "lab" in one.place.id]
    assert lab.place.kind.value == "restricted"


async def test_a_token_for_a_thread_of_nowhere_is_told_nothing(served: Served) -> None:
    local = await served.platform()
    await remembered(local, "I like pears", by=ALICE, place="dm", kind="preference")
    token = await served.token(asker=ALICE, place="thread:t@nowhere")
    assert await recalled(token, "Do I like pears?") == set()


async def test_a_token_for_a_room_that_opened_anew_speaks_in_that_room(served: Served) -> None:
    local, lab = await served.platform(), "public:lab@guild"
    await remembered(local, "We work in secret", by=ALICE, place="restricted:lab@guild")
    await local.put("/v1/places", json={"place": lab})
    token = await served.token(asker=ALICE, place=lab)
    id = await remembered(token, "We work in the open", place=lab)
    asked = "Do we work in the open or in secret?"
    assert await recalled(token, asked, place=lab) == {id}
    assert await recalled(local, asked, asker=BOB, place=lab) == {id}


async def test_an_idempotency_key_answers_only_the_very_same_request(served: Served) -> None:
    local = await served.platform()
    id = await remembered(local, "I like pears", by=ALICE, place="dm")
    once: dict[str, Any] = {"headers": {"Idempotency-Key": "k-1"}}
    for grantee in (BOB, "human:carol"):
        shared = await local.post(
            f"/v1/memories/{id}/shares", json={"grantee": grantee}, params={"as": ALICE}
        )
        assert shared.status_code == 201
    path, first = f"/v1/memories/{id}/shares", {"as": ALICE, "grantee": BOB}
    assert (await local.delete(path, params=first, **once)).status_code == 200
    for other in ({"grantee": "human:carol"}, {"as": BOB}):
        answer = await local.delete(path, params=first | other, **once)
        assert answer.status_code == 409, "another request is not answered like the first"
    answers: list[int] = []
    for place in ("group:one", "group:two"):
        minted = await local.post("/v1/tokens", json={"asker": ALICE, "place": place})
        token = served.client(minted.json()["token"])
        again: dict[str, Any] = {"headers": {"Idempotency-Key": "k-2"}}
        said = await token.post("/v1/memories", json={"text": "I play the drums"}, **again)
        answers.append(said.status_code)
    assert answers == [201, 409], "one key of one asker, from two places"


async def test_what_is_kept_of_a_request_names_nobody_and_quotes_nobody(served: Served) -> None:
    local, alice = await served.platform(), await served.personal(ALICE)
    id = await remembered(alice, "I like pears")
    once: dict[str, Any] = {"headers": {"Idempotency-Key": "k-3"}}
    wish = {"grantee": BOB, "of": [ALICE], "reason": "the quokka needs it"}
    await alice.post(f"/v1/memories/{id}/consent-requests", json=wish, **once)
    await alice.delete(f"/v1/memories/{id}", headers={"Idempotency-Key": "k-4"})
    entering = {"with": [BOB], "role": "quokka keeper"}
    await local.post("/v1/contexts/zoo/enter", json=entering, params={"as": ALICE}, **once)
    async with served.confide.database.keep() as connection:
        rows = await connection.fetch("SELECT a::text AS row FROM confide.asked_once a")
    assert rows
    for word in ("quokka", "alice", "bob"):
        assert not any(word in row["row"] for row in rows), word


@pytest.mark.req("S24")
async def test_a_closed_key_cannot_try_out_texts_against_what_it_does_not_hear(
    served: Served,
) -> None:
    local, alice = await served.platform(), await served.personal(ALICE)
    id = await remembered(local, "Rex bit the postman on Elm Street", by=ALICE, place="dm")
    answers = {
        (await alice.post("/v1/insights", json={"sources": [id], "text": text})).status_code
        for text in ("Dogs bite postmen", "Dogs bite on Elm Street", "Cats sleep")
    }
    assert answers == {403}


@pytest.mark.req("P9")
async def test_the_trail_says_by_which_kind_of_key_something_was_remembered(
    served: Served,
) -> None:
    local, alice = await served.platform(), await served.personal(ALICE)
    token = await served.token(asker=ALICE, place="dm")
    agent = str(served.confide.database.agent_entity)
    ids = [
        await remembered(local, "I like pears", by=ALICE, place="dm"),
        await remembered(alice, "I like plums"),
        await remembered(token, "I like figs"),
        await remembered(local, "They like fruit", by=agent, place="group:g"),
    ]
    auditor = served.client(await served.key("auditor"))
    entries = (await auditor.get("/v1/trail", params={"limit": 100})).json()["entries"]
    said = {one["memory"]: one["actor"] for one in entries if one["what"] == "memory"}
    assert [said[id] for id in ids] == [
        f"platform as {ALICE}", f"personal as {ALICE}", f"token as {ALICE}", "platform",
    ]  # fmt: skip


async def test_usage_says_in_which_space(served: Served) -> None:
    used = Used(
        person=ALICE, place="general@guild", space="guild", operation="extract", model="m",
        uses=1, tokens_read=1, tokens_written=1, dollars=0.1,
    )  # fmt: skip
    database, now = served.confide.database, served.confide.means.clock()
    async with database.keep() as connection:
        await add(connection, database.agent, now, used)
    admin = served.client(await served.key("admin"))
    (one,) = (await admin.get("/v1/usage")).json()["used"]
    assert (one["place"], one["space"]) == ("general@guild", "guild")


async def test_odd_questions_are_no_failures(served: Served) -> None:
    local = await served.platform()
    asking = {"asker": ALICE, "place": "dm"}
    for question in ("\x00", "\ud800", "\x01", "   ", "\u200b", "'\";--", "%_\\", "🐕" * 8000):
        body = {"question": question, **asking}
        answer = await local.post("/v1/recall", content=_written(body), headers=JSON)
        assert answer.status_code in (200, 422), repr(question[:4])


JSON = {"Content-Type": "application/json"}


def _written(body: object) -> bytes:
    return json.dumps(body).encode()


@pytest.mark.req("K17")
async def test_with_whom_one_shares_is_not_said_in_company(served: Served) -> None:
    local = await served.platform()
    await local.post(
        "/v1/consents",
        json={"grantee": "human:doctor", "about": ALICE, "reason": "about the test results"},
        params={"as": ALICE},
    )
    group = await served.token(asker=ALICE, place="group:band", present=[BOB])
    for path in ("/v1/consents", "/v1/consent-requests"):
        answer = await group.get(path)
        assert answer.status_code == 403
        assert "doctor" not in answer.text
    direct = await served.token(asker=ALICE, place="dm")
    (one,) = (await direct.get("/v1/consents")).json()["consents"]
    assert one["reason"] == "about the test results"


@pytest.mark.req("S24")
async def test_a_closed_key_reads_no_words_that_were_written_elsewhere(served: Served) -> None:
    local, alice, as_ = await served.platform(), await served.personal(ALICE), {"as": ALICE}
    id = await remembered(local, "Sean has a limp", by="human:sean", place="dm", about=[ALICE])
    why = {"grantee": "human:doctor", "about": ALICE, "reason": "quokka bite"}
    assert (await local.post("/v1/consents", json=why, params=as_)).status_code == 201
    wish = {"grantee": "human:vet", "of": [ALICE], "reason": "quokka care"}
    path = f"/v1/memories/{id}/consent-requests"
    assert (await local.post(path, json=wish, params={"as": "human:sean"})).status_code == 201
    wrong = {"what": "correct", "memory": id, "text": "The quokka has a limp"}
    assert (await local.post("/v1/requests", json=wrong, params=as_)).status_code == 201
    for path in ("/v1/consents", "/v1/consent-requests", "/v1/requests"):
        closed, own = await alice.get(path), await local.get(path, params=as_)
        assert "quokka" in own.text, path
        assert closed.status_code == 200
        # What one agreed to elsewhere is for one's own eyes; what waits for one's answer is not.
        assert len(next(iter(closed.json().values()))) == (path != "/v1/consents")
        assert "quokka" not in closed.text, path


@pytest.mark.req("A5")
async def test_nobody_else_finds_out_which_accounts_are_one(served: Served) -> None:
    alice, eve = await served.personal(ALICE), await served.personal("human:eve")
    pair = {"one": ALICE, "other": "human:nightowl", "because": "same phone"}
    assert (await alice.post("/v1/merges", json=pair)).status_code == 201
    known, unknown = [
        await eve.post("/v1/merges", json=pair | {"other": other})
        for other in ("human:nightowl", "human:earlybird")
    ]
    assert known.status_code == 403
    assert (known.status_code, known.content) == (unknown.status_code, unknown.content)


async def test_a_platform_names_its_people_and_not_the_agent(served: Served) -> None:
    agent = str(served.confide.database.agent_entity)
    for platform in ("local", "discord"):
        client = await served.platform(platform)
        answer = await client.put(f"/v1/people/{agent}/name", json={"name": "Mallory"})
        assert answer.status_code == 403


async def test_a_key_that_renews_itself_does_not_live_longer(served: Served, clock: Clock) -> None:
    secret = await served.key("personal", entity=ALICE, lasts=timedelta(days=1))
    clock.advance(hours=23)
    renewed = (await served.client(secret).post("/v1/keys/mine/rotate")).json()
    assert (await served.client(secret).get("/v1/whoami")).status_code == 401
    own = served.client(renewed["secret"])
    assert (await own.get("/v1/whoami")).status_code == 200
    clock.advance(hours=1)
    assert (await own.get("/v1/whoami")).status_code == 401


async def test_methods_that_somebody_made_up_are_not_counted_one_by_one(served: Served) -> None:
    client = served.client()
    for method in ("QUOKKA", "PROPFIND"):
        await client.request(method, "/v1/memories")
    admin = served.client(await served.key("admin"))
    assert "QUOKKA" not in (await admin.get("/metrics")).text


@pytest.mark.req("B6")
async def test_what_one_says_that_another_said_is_not_their_own_word(served: Served) -> None:
    local = await served.platform()
    id = await remembered(local, "I stole it", by=ALICE, source=BOB, place="group:band")
    own = await remembered(local, "I found it", by=BOB, place="group:band")
    async with served.confide.database.keep() as connection:
        rows = await connection.fetch("SELECT id, trust FROM confide.memory")
    assert {str(row["id"]): row["trust"] for row in rows} == {id: "hearsay", own: "said"}


@pytest.mark.req("P2")
async def test_a_list_is_of_the_namespace_that_was_asked_for(served: Served) -> None:
    local = await served.platform()
    mine = await remembered(local, "I keep bees", by=ALICE, place="dm", namespace="farm")
    await remembered(local, "I like pears", by=ALICE, place="dm", namespace="kitchen")
    for namespace, right in (("farm", {mine}), ("barn", set[str]())):
        listed = await local.get("/v1/memories", params={"as": ALICE, "namespace": namespace})
        assert {one["id"] for one in listed.json()["memories"]} == right
