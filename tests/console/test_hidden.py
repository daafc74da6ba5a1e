"""What a page shows depends only on what its reader may hear; the operator sees no words."""

from __future__ import annotations

import contextlib
import re
import uuid

import httpx
import pytest
import yaml
from tests.console.community import ALICE, BOB, CAROL, DANA, SAID, Community
from tests.console.test_signing_in import entered, token_of, visitor
from tests.http.conftest import Served

from confide import Entity, audience, operator_as
from confide.actor import Actor
from confide.errors import ConfideError, NotAllowed
from confide.model import Place, PlaceKind
from confide.privacy.acting import CallerKind
from confide.recall.audience import audience_in

WORDS = {name: text for name, _, _, text, _ in SAID} | {"name": "UrbanKnight"}
PERSON = ("/rooms", "/view-as", "/memories", "/review", "/consents", "/audit", "/me", "/import")
OPERATOR = (
    "/overview", "/rooms", "/rooms?all=1", "/view-as", "/memories", "/memories?of=human:alice",
    "/review", "/audit", "/audit?verify=1", "/switches",
)  # fmt: skip
QUESTION = "What is new with Alice and the castle?"
ASKED = "/view-as?place={}&asker={}&question=" + QUESTION.replace(" ", "+").replace("?", "%3F")


def twin(path: str) -> str:
    name, mark, query = path.partition("?")
    return f"{name}.json{mark}{query}"


async def everything(client: httpx.AsyncClient, paths: tuple[str, ...]) -> str:
    found: list[str] = []
    for path in paths:
        for one in (path, twin(path)):
            answer = await client.get(one)
            assert answer.status_code == 200, (one, answer.text[:300])
            assert len(answer.content) <= 150_000, one
            found.append(answer.text)
    return "\n".join(found)


@pytest.mark.req("K17", "B11")
async def test_the_operator_sees_nobodys_words_on_any_page(site: Served, town: Community) -> None:
    one = await entered(site, None)
    views = tuple(ASKED.format(*audience) for audience in (
        ("general@castle", "human:bob"), ("picnic", "human:carol"), ("alone", "human:alice"),
    ))  # fmt: skip
    ids = tuple(f"/memories/{id}" for id in town.ids.values())
    seen = await everything(one, (*OPERATOR, *views, *ids))
    for text in WORDS.values():
        assert text not in seen
    assert str(town.ids["job"]) in seen, "labels are there"


@pytest.mark.req("B11", "S22")
@pytest.mark.parametrize("who", [ALICE, BOB, CAROL, DANA])
async def test_a_person_reads_only_what_they_may_hear(
    site: Served, town: Community, who: Entity
) -> None:
    confide = town.confide
    one = await entered(site, who)
    rooms = await confide.rooms.of(who)
    hearings = [
        audience(who, "dm"),
        *(audience(who, f"reply@{space}") for space in ("castle", "harbour")),
    ]
    hearings += [audience_in(Place(id=r.id, kind=r.kind, space=r.space), who,
                             present=r.people if r.kind is PlaceKind.CONTEXT else ()) for r in rooms]  # fmt: skip
    heard = {id for h in hearings for id in await confide.still_told(list(town.ids.values()), h)}
    views = (
        *tuple(ASKED.format(room.id, asker) for room in rooms for asker in room.people),
        ASKED.format("alone", who),
    )
    seen = await everything(one, (*PERSON, *views))
    for name, id in town.ids.items():
        if id not in heard:
            assert WORDS[name] not in seen, name
            assert str(id) not in seen, name
    assert any(WORDS[name] in seen for name, id in town.ids.items() if id in heard)


def without_own(text: str) -> str:
    """Ids that were asked for stand in links to the page itself."""
    return re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}|value=\"\w{64}\"", "", text)


@pytest.mark.req("B11")
async def test_what_is_others_is_answered_like_what_is_absent(
    site: Served, town: Community
) -> None:
    bob = await entered(site, BOB)
    csrf = token_of((await bob.get("/me")).text)
    hidden, absent = town.ids["job"], uuid.uuid4()
    for path in (
        "/memories/{}",
        "/memories/{}.json",
        "/memories/{}/correct",
        "/glass/{}",
        "/glass/{}.json",
    ):
        mine, none = [await bob.get(path.format(id)) for id in (hidden, absent)]
        assert (mine.status_code, without_own(mine.text)) == (
            none.status_code,
            without_own(none.text),
        )
        assert mine.status_code == 404, path
    for path, name in (
        ("/me/forget", "memory"), ("/me/undo", "id"), ("/review/decide", "approve"), ("/review/decide", "reject"),
        ("/consents/withdraw", "consent"), ("/consents/answer", "yes"), ("/memories/{}/share", "x"),
        ("/memories/{}/correct", "x"), ("/memories/{}/protect", "x"), ("/review/edit", "id"),
        ("/review/narrow", "id"), ("/glass/{}", "x"), ("/review/undo", "id"),
    ):  # fmt: skip
        answers = [
            await bob.post(
                path.format(id),
                data={"csrf": csrf, name: str(id), "text": "x", "grantee": "human:bob",
                      "protect": "on", "reason": "curious"},
            )
            for id in (hidden, absent)
        ]  # fmt: skip
        shown = [
            (one.status_code, without_own(one.text), one.headers.get("location")) for one in answers
        ]
        assert shown[0] == shown[1], path
        assert shown[0][0] in (404, 422), (path, shown[0])
    for path in ("/overview", "/switches", "/try", "/overview.json"):
        assert (await bob.get(path)).status_code == 404
    for place in ("care", "lobby@harbour", "nowhere"):  # rooms that Bob is not in
        asked = await bob.get(f"/view-as?place={place}&asker=human:carol&question=pills")
        assert asked.status_code == 404
    picked = await bob.get("/view-as?place=mods@castle&asker=human:dana&question=pills")
    unknown = await bob.get("/view-as?place=mods@castle&asker=human:zoe&question=pills")
    assert (picked.status_code, picked.text) == (unknown.status_code, unknown.text)


async def test_keys_open_the_pages_that_their_kind_may(site: Served) -> None:
    opened = {}
    for kind, fields in (("personal", {"entity": "human:alice"}), ("auditor", {}), ("admin", {})):
        one = visitor(site)
        await one.post("/sign-in", data={"key": await site.key(kind, **fields)})
        paths = sorted({path.partition("?")[0] for path in (*PERSON, *OPERATOR)})
        opened[kind] = {path for path in paths if (await one.get(path)).status_code == 200}
        seen = "".join([(await one.get(path)).text for path in opened[kind]])
        for name, text in WORDS.items():
            if name != "name":  # it follows Alice into her own connections
                assert text not in seen, (kind, name)
    assert opened["personal"] == {"/me", "/memories"}
    assert opened["auditor"] == {"/overview", "/rooms", "/view-as", "/memories", "/audit"}
    assert opened["admin"] == {"/overview", "/rooms"}


@pytest.mark.req("B21", "B3")
async def test_view_as_says_of_each_memory_what_the_rule_says(
    site: Served, town: Community
) -> None:
    """Every audience that Alice can choose, compared with the decision for each memory."""
    confide, one, compared = town.confide, await entered(site, ALICE), 0
    for room in await confide.rooms.of(ALICE):
        for asker in room.people:
            answer = (await one.get(twin(ASKED.format(room.id, asker)))).json()
            place = Place(id=room.id, kind=room.kind, space=room.space)
            others = room.people if room.kind is PlaceKind.CONTEXT else ()
            heard = audience_in(place, asker, present=others)
            for lane, is_told in (("told", True), ("withheld", False)):
                for row in answer[lane]:
                    said = await confide.explain(uuid.UUID(row["memory"]["id"]), heard)
                    assert said.decision.told is is_told, (room.id, asker, row)
                    compared += 1
    assert compared > 10


@pytest.mark.req("B21")
async def test_the_matrix_of_rooms_counts_as_the_rule_decides(
    site: Served, town: Community
) -> None:
    confide = town.confide
    matrix = await confide.rooms.matrix(actor=Actor(None, CallerKind.CONSOLE))
    people = (ALICE, BOB, CAROL, DANA)
    where = {name: place for name, _, place, _, _ in SAID}
    rows = {"dm": "direct", "public:general@castle": "general@castle", "group:picnic": "picnic",
            "thread:walls@general@castle": "general@castle", "restricted:mods@castle": "mods@castle",
            "public:lobby@harbour": "lobby@harbour", "ctx:care": "ctx:care"}  # fmt: skip
    async with confide.database.keep() as connection:
        members = await connection.fetch(
            "SELECT place, entity FROM confide.place_member WHERE agent = $1 AND left_epoch IS NULL",
            confide.database.agent,
        )
    for column in matrix.columns:
        told: dict[str, int] = {}
        inside = [Entity.parse(m["entity"]) for m in members if m["place"] == column.id]
        for name, id in town.ids.items():
            hearings = (
                [audience(who, "dm") for who in people]
                if column.id == "direct"
                else [audience_in(Place(id=column.id, kind=column.kind, space=column.space), who,
                                  present=inside if column.kind is PlaceKind.CONTEXT else ()) for who in inside]
            )  # fmt: skip
            if any([(await confide.explain(id, one)).decision.told for one in hearings]):
                told[rows[where[name]]] = told.get(rows[where[name]], 0) + 1
        for row in matrix.rows:
            assert matrix.cells[row.id, column.id].count == told.get(row.id, 0), (row.id, column.id)


@pytest.mark.req("K17", "P9")
async def test_breaking_glass_is_told_to_the_owner_and_logged(
    own_site: Served, fresh: Community
) -> None:
    confide, id = fresh.confide, fresh.ids["job"]
    operator, alice = await entered(own_site, None), await entered(own_site, ALICE)
    csrf = token_of((await operator.get(f"/glass/{id}")).text)
    assert (await operator.post(f"/glass/{id}", data={"csrf": csrf})).status_code == 422
    assert "read one of your memories" not in (await alice.get("/me")).text
    opened = await operator.post(f"/glass/{id}", data={"csrf": csrf, "reason": "A court order"})
    assert WORDS["job"] in opened.text
    for path in ("/me", f"/memories/{id}"):
        assert "A court order" in (await alice.get(path)).text
    entries = await confide.trail.log(actor=operator_as())
    assert ("break_glass", "added", id) in {(e.what, e.action, e.memory_id) for e in entries}
    assert "A court order" not in (await (await entered(own_site, BOB)).get("/me")).text


@pytest.mark.parametrize(
    "kind", [one for one in CallerKind if one not in (CallerKind.OPERATOR, CallerKind.CONSOLE)]
)
async def test_nobody_else_breaks_glass(town: Community, kind: CallerKind) -> None:
    for who in (None, ALICE):
        with pytest.raises((NotAllowed, ConfideError)):
            await town.confide.viewing.break_glass(
                town.ids["job"], "curious", actor=Actor(who, kind)
            )


@pytest.mark.req("B21")
async def test_a_scenario_holds_no_words_runs_again_and_goes_with_its_memories(
    own_site: Served, fresh: Community
) -> None:
    confide, alice = fresh.confide, await entered(own_site, ALICE)
    path = ASKED.format("general@castle", "human:bob")
    csrf = token_of((await alice.get(path)).text)
    form = {"csrf": csrf, "place": "general@castle", "asker": "human:bob", "question": QUESTION}
    assert (await alice.post("/view-as/save", data=form)).status_code == 303
    written = (await alice.get("/view-as/scenarios.yaml")).text
    assert str(fresh.ids["job"]) in written
    async with confide.database.keep() as connection:
        rows = await connection.fetch(
            "SELECT s::text AS row FROM confide.scenario s UNION ALL SELECT m::text FROM confide.scenario_memory m"
        )
    stored = "".join(row["row"] for row in rows)
    for text in (*WORDS.values(), QUESTION):
        assert text not in written
        assert text not in stored
    (row,) = yaml.safe_load(written)
    assert row["audience"] == {"asker": "human:bob", "place": "general@castle", "present": []}
    labels = {one["memory"]: (one["level"], one["scope"]) for one in row["told"] + row["withheld"]}
    assert labels[str(fresh.ids["job"])] == ("personal", "dm")
    assert "same" in (await alice.get("/view-as?run=1")).text
    (saved,) = await confide.viewing.scenarios(actor=Actor(ALICE, CallerKind.SIGNED_IN))
    await confide.forget(saved.told[0], actor=operator_as(ALICE))
    assert "differs" in (await alice.get("/view-as?run=1")).text, "what was told is withheld now"
    for id in (*saved.told, *saved.withheld):
        with contextlib.suppress(ConfideError):
            await confide.forget(id, actor=operator_as(), now=True)
    assert not await confide.viewing.scenarios(actor=Actor(ALICE, CallerKind.SIGNED_IN))
    bob = await entered(own_site, BOB)
    assert "Run all" not in (await bob.get("/view-as")).text


@pytest.mark.req("B21")
async def test_those_who_are_in_a_room_can_be_named_as_there_and_nobody_else(
    site: Served, town: Community
) -> None:
    lake = str(town.ids["lake"])
    asked = "/view-as.json?place=picnic&asker=human:alice&question=where+is+the+picnic"
    for who in (None, ALICE):
        one = await entered(site, who)
        told = (await one.get(f"{asked}&present=human:bob")).json()["told"]
        assert lake in {row.get("id") or row["memory"]["id"] for row in told}
        assert all(row["because"] for row in told)
        for outside in ("human:dana", "human:nobody"):
            assert (await one.get(f"{asked}&present={outside}")).status_code == 404


@pytest.mark.req("S23")
async def test_an_owner_sees_where_a_memory_was_told_and_which_of_it_to_them(
    own_site: Served, fresh: Community
) -> None:
    confide, id = fresh.confide, fresh.ids["granite"]
    for who in (ALICE, BOB):
        await confide.recall("What is the castle built of?", audience(who, "public:general@castle"))
    alice = await entered(own_site, ALICE)
    page = (await alice.get(f"/memories/{id}")).text
    assert len(re.findall(r"Told in #general [^<,]+, to you<", page)) == 1
    assert len(re.findall(r"Told in #general [^<,]+<", page)) == 1
    told = (await alice.get(f"/memories/{id}.json")).json()["tellings"]
    assert "human:bob" not in str(told)


@pytest.mark.req("B21", "K17")
async def test_a_cell_opens_words_for_those_who_may_hear_them_and_labels_for_the_operator(
    site: Served, town: Community
) -> None:
    cell = "/rooms{}?here=picnic&there=picnic"
    alice = await entered(site, ALICE)
    words = (await alice.get(cell.format(".json"))).json()["words"]
    assert {one["id"] for one in words} == {str(town.ids[n]) for n in ("lake", "walls", "salad")}
    assert WORDS["lake"] in (await alice.get(cell.format(""))).text
    operator = await entered(site, None)
    labels = (await operator.get(cell.format(".json") + "&labels=1")).json()["labels"]
    assert {(one["id"], one["is_told"]) for one in labels} == {
        (str(town.ids[n]), True) for n in ("lake", "walls", "salad")
    }
    away = await operator.get(
        cell.format(".json").replace("there=picnic", "there=general@castle") + "&labels=1"
    )
    assert not any(one["is_told"] for one in away.json()["labels"])
    admin = visitor(site)
    await admin.post("/sign-in", data={"key": await site.key("admin")})
    assert (await admin.get(cell.format("") + "&labels=1")).status_code == 403


@pytest.mark.req("B13")
async def test_looking_through_somebodys_eyes_brings_nobody_into_a_room(
    own_site: Served, fresh: Community
) -> None:
    """Asking in a room shows that one is there; looking at what would be told must not."""
    operator, alice = await entered(own_site, None), await entered(own_site, ALICE)
    before = {one.place.id: one.members for one in await fresh.confide.world.places()}
    for place, asker in (
        ("mods@castle", "human:dana"),
        ("picnic", "human:dana"),
        ("ctx:care", "human:bob"),
    ):
        for one in (operator, alice):
            asked = await one.get(f"/view-as?place={place}&asker={asker}&question=castle")
            assert asked.status_code == 404
    assert (
        await operator.get("/view-as?place=mods@castle&asker=human:bob&question=fence")
    ).status_code == 200
    assert {one.place.id: one.members for one in await fresh.confide.world.places()} == before
