"""People whom only a speaker knows: random ids that nobody sees and no request can name."""

from __future__ import annotations

import random
import re
from typing import TYPE_CHECKING, Any

import pytest
from tests.conftest import Opened
from tests.http.conftest import Served
from tests.learn.speaking import learn, say

from confide import Confide, Entity, operator_as
from confide.errors import InvalidEntity, InvalidInput
from confide.keep.keys import Wanted
from confide.model import register_namespaces
from confide.privacy.places import parse_place
from confide.reading import audience
from confide.store import people
from confide.store.encoding import read_entity
from confide.store.keys import KeyKind
from confide.surfaces.callers import Caller, CallerKind, speaks_for
from confide.testing import temporary

if TYPE_CHECKING:
    from pathlib import Path

ALICE, BOB = Entity.parse("human:alice"), Entity.parse("human:bob")
ROOM = parse_place("group:tea", ALICE)
pytest_plugins = ["tests.http.conftest"]


async def ids(confide: Confide) -> set[Entity]:
    async with confide.database.keep() as connection:
        return set(await people.acquaintances(connection, confide.database.agent))


async def told(confide: Confide, asker: str, place: str) -> bool:
    context = await confide.recall("who is a nurse?", audience(asker, place))
    return any("nurse" in one.memory.text for one in context.memories)


async def gossip(confide: Confide, name: str = "Sarah", **fields: Any) -> None:
    await say(confide, f"{name} is a nurse", place="group:tea", present=["human:bob"], **fields)
    await learn(confide, subjects=(name,))


@pytest.mark.req("A5")
async def test_ids_cannot_be_guessed_and_go_with_their_memory(open_confide: Opened) -> None:
    seen: set[Entity] = set()
    for agent in ("one", "two"):
        async with open_confide(agent=f"guess-{agent}-{random.random()}") as confide:
            await gossip(confide)
            (found,) = await ids(confide)
            assert re.fullmatch(r"someone:[0-9a-f]{32}", str(found))
            seen.add(found)
            await gossip(confide, id="again")
            assert await ids(confide) == {found}, "the same name of the same speaker"
            for memory in await confide.memories(ALICE):
                await confide.forget(memory.id, actor=operator_as(ALICE), now=True)
            assert await ids(confide) == set(), "gone with the last memory"
            await gossip(confide, id="third")
            assert found not in await ids(confide)
    assert len(seen) == 2, "the same name of the same speaker elsewhere"


@pytest.mark.req("A5")
async def test_the_people_of_an_erased_speaker_are_gone(confide: Confide) -> None:
    await gossip(confide)
    await confide.erasure.person(ALICE, actor=operator_as(ALICE), now=True)
    assert await ids(confide) == set()


@pytest.mark.req("A5")
async def test_no_request_can_name_one(confide: Confide) -> None:
    await gossip(confide)
    (found,) = await ids(confide)
    for written in (str(found), "someone:" + "0" * 32, "someone:sarah"):
        with pytest.raises(InvalidEntity):
            Entity.parse(written)
        with pytest.raises(InvalidEntity):
            audience(written, "dm")
    with pytest.raises(InvalidEntity):
        register_namespaces(frozenset({"someone"}))


@pytest.mark.req("A5")
async def test_their_speaker_sees_name_and_relation_and_others_nothing(
    served: Served,
) -> None:
    confide = served.confide
    await say(confide, "My wife Sarah is a nurse", place="group:tea", present=["human:bob"])
    await learn(confide, subjects=("Sarah",))
    known = [one for one in await confide.people.known(ALICE) if one.entity is None]
    assert [(one.name, one.relation) for one in known] == [("Sarah", "wife")]
    assert all(one.name != "Sarah" for one in await confide.people.known(BOB))
    (mine,) = await confide.memories(ALICE)
    assert mine.about == ["Sarah"]
    local = await served.platform()
    asked = {"question": "who is a nurse?", "place": "group:tea", "present": ["human:bob"]}
    answers = [
        await local.get("/v1/people", params={"as": who}) for who in ("human:alice", "human:bob")
    ]
    answers += [await local.post("/v1/recall", json=asked | {"asker": "human:bob"})]
    answers += [await local.get("/v1/memories", params={"as": "human:alice"})]
    answers += [
        await local.get(f"/v1/memories/{mine.id}{what}", params={"as": "human:alice"})
        for what in ("", "/audit", "/history")
    ]
    answers += [
        await local.post(
            "/v1/explain",
            json={
                "memory": str(mine.id),
                "asker": "human:carol",
                "place": "dm",
                "as": "human:alice",
            },
        ),
        await local.get("/v1/privacy/export", params={"as": "human:alice"}),
    ]
    (raw,) = await ids(confide)
    for answer in answers:
        assert raw.id not in answer.text, answer.url
    assert answers[0].json()["people"][-1] == {"entity": None, "name": "Sarah", "relation": "wife"}
    assert "Sarah" not in answers[1].text


WAYS = ("id", "platform id", "alias", "display name", "longer display name")


async def arrive(confide: Confide, name: str, way: str) -> Entity:
    """Somebody comes into the room under a name, in one of the ways to bear one."""
    plain = name.casefold()
    who = {
        "id": Entity("human", plain),
        "platform id": Entity("human", f"discord.{plain}"),
    }.get(way, Entity.parse("human:discord.4711"))
    if way == "alias":
        await confide.people.alias(who, name, actor=operator_as(BOB))
    if "display" in way:
        await confide.people.name(who, name if way == "display name" else f"{name} Miller")
    await confide.world.join(ROOM, who)
    return who


@pytest.mark.req("A5", "A9")
@pytest.mark.parametrize(
    ("way", "order"),
    [
        *((way, "learned first") for way in WAYS),
        *((way, "joined first") for way in ("alias", "longer display name")),
        ("display name", "named last"),
    ],
)
async def test_who_joins_under_the_name_counts_as_its_late_subject(
    confide: Confide, way: str, order: str
) -> None:
    name = random.Random(way + order).choice(["Sarah", "Zoë", "Priya", "Ike"])
    await say(confide, f"{name} is a nurse", place="group:tea", present=["human:bob"])
    if order != "joined first":
        await learn(confide, subjects=(name,))
        assert await told(confide, "human:bob", "group:tea")
    if order == "named last":
        who = Entity.parse("human:discord.4711")
        await confide.world.join(ROOM, who)
        await confide.people.name(who, name)
    else:
        who = await arrive(confide, name, way)
    if order == "joined first":
        await learn(confide, subjects=(name,))
    assert not await told(confide, "human:bob", "group:tea"), "its late subject reads there"
    assert not await told(confide, str(who), "dm")
    assert await told(confide, "human:bob", "dm"), "Bob was there"


@pytest.mark.req("A5")
async def test_somebody_of_another_name_changes_nothing(confide: Confide) -> None:
    await gossip(confide)
    await confide.people.name(Entity.parse("human:discord.5"), "Thomas")
    await confide.world.join(ROOM, Entity.parse("human:discord.5"))
    assert await told(confide, "human:bob", "group:tea")


async def test_the_test_of_late_subjects_notices_when_names_are_not_compared(
    confide: Confide, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(people, "is_named_alike", lambda *_: False)
    await gossip(confide)
    await arrive(confide, "Sarah", "alias")
    assert await told(confide, "human:bob", "group:tea"), "so the test above would fail"


OLD = [
    ("UPDATE confide.memory SET subjects = ARRAY[$2], inherited = replace(inherited::text, $3, $2)"
     "::jsonb, clauses = replace(clauses::text, $3, $2)::jsonb WHERE agent = $1"),
]  # fmt: skip


async def grow_old(confide: Confide) -> str:
    """The store as an earlier version left it: an id made from speaker and name."""
    (new,) = await ids(confide)
    agent, old = confide.database.agent, "human:local.0123456789abcdef0123"
    async with confide.database.keep() as connection:
        for statement in OLD:
            await connection.execute(statement, agent, old, str(new))
        await connection.execute("DELETE FROM confide.someone WHERE agent = $1", agent)
        await people.name(connection, agent, read_entity(old), "Sarah", confide.means.clock())
    return old


async def everything(confide: Confide) -> str:
    async with confide.database.keep() as connection:
        rows = await connection.fetch(
            "SELECT to_jsonb(m)::text AS row FROM confide.memory m UNION ALL"
            " SELECT to_jsonb(p)::text FROM confide.person p UNION ALL"
            " SELECT t.atom FROM confide.label_door t"
            " JOIN confide.memory m ON m.agent = t.agent AND m.label_id = t.label_id"
        )
    return "\n".join(row["row"] for row in rows)


@pytest.mark.req("A5")
async def test_old_ids_are_replaced_when_a_store_is_opened(open_confide: Opened) -> None:
    async with open_confide() as confide:
        await gossip(confide)
        old = await grow_old(confide)
        assert old in await everything(confide)
    async with open_confide() as confide:
        assert old not in await everything(confide)
        (mine,) = await confide.memories(ALICE)
        assert mine.about == ["Sarah"]
        assert await told(confide, "human:bob", "group:tea")
        await arrive(confide, "Sarah", "display name")
        assert not await told(confide, "human:bob", "group:tea")


@pytest.mark.req("A5")
async def test_old_ids_of_a_restored_backup_are_replaced(tmp_path: Path) -> None:
    async with temporary(learn=False) as confide:  # of its own: a backup has everything of a server
        await gossip(confide)
        old = await grow_old(confide)
        await confide.backups.make(tmp_path / "old.backup", actor=operator_as())
        await confide.backups.restore(tmp_path / "old.backup", actor=operator_as(), replaces=True)
        assert old not in await everything(confide)
        (mine,) = await confide.memories(ALICE)
        assert mine.about == ["Sarah"]


def test_a_word_before_a_dot_is_a_platform_only_if_registered() -> None:
    def local(*registered: str) -> Caller:
        return Caller(
            kind=CallerKind.PLATFORM,
            agent=Entity("si", "x"),
            platform="local",
            registered=frozenset(registered),
        )

    assert speaks_for(local(), "alice")
    assert speaks_for(local(), "john.doe")
    assert not speaks_for(local("john"), "john.doe")
    for known in ("discord", "slack", "telegram", "matrix", "whatsapp", "teams"):
        assert not speaks_for(local(), f"{known}.1"), "known names are never local"


async def test_a_platform_cannot_be_registered_over_local_ids(confide: Confide) -> None:
    await say(confide, "I like tea", by="human:john.doe")
    for name, is_free in (("john", False), ("joh", True), ("slack", True), ("local", True)):
        wanted = Wanted(kind=KeyKind.PLATFORM, platform=name)
        if is_free:
            await confide.keys.create(wanted, actor=operator_as())
        else:
            with pytest.raises(InvalidInput, match="platform"):
                await confide.keys.create(wanted, actor=operator_as())
