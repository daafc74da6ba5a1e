"""Who can hear a memory: the audit says what the rule says, to those who may know, and quickly."""

from __future__ import annotations

import pytest
from tests.cli.conftest import Ask, Run

from confide import Confide, Entity, audience, operator_as, statement
from confide.errors import InvalidInput, NotFound
from confide.keep.requesting import Wish
from confide.privacy import atoms
from confide.privacy.places import parse_place
from confide.store import places

ALICE, BOB, CAROL, DAN, EVE = (
    Entity("human", name) for name in ("alice", "bob", "carol", "dan", "eve")
)
ROOMS = ("group:chat", "group:other", "restricted:mods@town", "public:general@town", "ctx:care")


async def town(confide: Confide) -> None:
    for written, people in zip(
        ROOMS, ([ALICE, BOB], [BOB, CAROL], [ALICE, DAN], [BOB, DAN], [ALICE, CAROL]), strict=True
    ):
        await confide.world.join(parse_place(written, ALICE), *people)
    await confide.world.assign(Entity("role", "tutor"), DAN)


@pytest.mark.req("K15", "K1", "A8", "A9")
@pytest.mark.parametrize("place", ["dm", *ROOMS])
@pytest.mark.parametrize("sensitivity", ["public", "personal", "sensitive"])
async def test_the_audit_says_of_everyone_and_every_room_what_the_rule_says(
    confide: Confide, place: str, sensitivity: str
) -> None:
    await town(confide)
    said = statement(
        "Carol keeps bees", by=ALICE, place=place, about=[CAROL], sensitivity=sensitivity
    )
    id = (await confide.remember(said)).id
    await confide.consents.ask(id, Wish(grantee=atoms.entity(EVE)), actor=operator_as(ALICE))
    for grantor in (ALICE, CAROL):
        await confide.consents.share(
            id, atoms.entity(Entity("role", "tutor")), actor=operator_as(grantor)
        )
        await confide.consents.share(
            id, atoms.entity(EVE), actor=operator_as(grantor), purpose="allergy"
        )
    found = await confide.access.audit(id, actor=operator_as())
    assert {one.who for one in found.people} == {ALICE, BOB, CAROL, DAN, EVE}
    for one in found.people:
        alone = await confide.explain(id, audience(one.who, "dm"))
        assert (one.told, one.because) == (alone.decision.told, alone.decision.because), one.who
        for purpose in one.purposes:
            asked = audience(one.who, "dm", purpose=purpose)
            assert (await confide.explain(id, asked)).told_by_database
    assert {room.place.id for room in found.rooms} == {parse_place(r, ALICE).id for r in ROOMS}
    for room in found.rooms:
        for who in await members(confide, room.place.id):
            asked = await confide.explain(id, audience(who, room.place))
            assert (who in room.told_to) is asked.told_by_database, (room.place.id, who)


async def members(confide: Confide, place_id: str) -> frozenset[Entity]:
    async with confide.database.keep() as connection:
        return await places.members(connection, confide.database.agent, place_id)


@pytest.mark.req("K15", "K17")
async def test_it_is_answered_to_the_owner_the_subject_and_the_operator_only(
    confide: Confide,
) -> None:
    said = statement("Carol keeps bees", by=ALICE, place="dm", about=[CAROL])
    id = (await confide.remember(said)).id
    own = await confide.access.audit(id, actor=operator_as(ALICE))
    assert {one.owner for one in own.conditions} == {ALICE}
    assert not own.is_complete, "Carol has a say"
    assert not own.people, "who else is known is nobody's to know"
    assert not own.rooms
    assert (await confide.access.audit(id, actor=operator_as())).people
    for stranger in (BOB, CAROL, EVE):
        with pytest.raises(NotFound):
            await confide.access.audit(id, actor=operator_as(stranger))


@pytest.mark.req("K15", "A9", "B11")
async def test_a_subject_sees_and_counts_only_what_they_may_hear(confide: Confide) -> None:
    hidden = statement("Carol keeps bees", by=ALICE, place="dm", about=[CAROL])
    heard = statement("Carol sings", by=ALICE, place="group:chat", about=[CAROL], present=[CAROL])
    own = statement("I keep hens", by=CAROL, place="dm")
    ids = [(await confide.remember(one)).id for one in (hidden, heard, own)]
    found = {one.id: one for one in await confide.access.existing(CAROL, actor=operator_as(CAROL))}
    assert set(found) == set(ids[1:])
    assert found[ids[2]].text == "I keep hens"
    everything = await confide.access.existing(CAROL, actor=operator_as())
    assert {one.id for one in everything} == set(ids)
    assert {one.text for one in everything} == {None}
    with pytest.raises(InvalidInput, match="guardian"):
        await confide.access.existing(CAROL, actor=operator_as(BOB))


@pytest.mark.req("K15", "P2")
async def test_ones_own_words_of_every_workspace_are_listed_and_nobody_elses(
    confide: Confide,
) -> None:
    said = {
        (who, where): statement(f"I wrote {who.id} {where}", by=who, place="dm", namespace=where)
        for who in (ALICE, CAROL)
        for where in ("thesis", "thesis/track:1", "/paper:7", None)
    }
    for one in said.values():
        await confide.remember(one)
    found = await confide.access.existing(ALICE, actor=operator_as(ALICE))
    own = {one.text for (who, _), one in said.items() if who == ALICE}
    assert {one.text for one in found} == own


@pytest.mark.req("K15", "K11")
async def test_grants_and_revocations_are_shown_with_time_and_reason(
    confide: Confide, clock
) -> None:
    id = (await confide.remember(statement("I keep bees", by=ALICE, place="dm"))).id
    effect = await confide.consents.share(id, atoms.entity(BOB), actor=operator_as(ALICE))
    clock.advance(hours=1)
    await confide.consents.withdraw(effect.consent_id, actor=operator_as(ALICE))
    (shown,) = (await confide.access.audit(id, actor=operator_as(ALICE))).consents
    assert shown.revoked_at is not None
    assert (shown.revoked_at - shown.granted_at).total_seconds() == 3600


@pytest.mark.req("K15", "B10")
async def test_a_thousand_people_and_a_hundred_rooms_are_all_judged(confide: Confide) -> None:
    people = [Entity("human", f"p{n}") for n in range(1000)]
    for n in range(100):
        place = parse_place(f"group:room{n}" if n % 2 else f"public:room{n}@town", ALICE)
        await confide.world.join(place, *people[n * 10 : n * 10 + 50])
    said = statement("Carol keeps bees", by=people[0], place="group:room1", about=[CAROL])
    id = (await confide.remember(said)).id
    found = await confide.access.audit(id, actor=operator_as())
    assert len(found.people) == 1001
    assert len(found.rooms) == 100


@pytest.mark.req("K15")
def test_on_the_command_line(ask: Ask, run: Run) -> None:
    said = ("Carol keeps bees", "--by", "human:alice", "--in", "group:chat", "--with", "human:bob")
    id = ask("remember", *said, "--about", "human:carol", "--sensitivity", "public")["id"]
    found = ask("audit", id)
    told = {one["entity"] for one in found["people"] if one["told"]}
    assert told == {"human:alice", "human:bob"}
    assert found["rooms"][0]["told_to"] == ["human:alice", "human:bob"]
    own = ask("audit", id, "--as", "human:alice")
    assert {one["owner"] for one in own["conditions"]} == {"human:alice"}
    assert not own["people"]
    assert not own["complete"]
    assert "Somebody else's condition" in run("audit", id, "--as", "human:alice").stdout
    assert run("audit", id, "--as", "human:eve").exit_code == 1
    assert "bees" not in run("audit", id).stdout
    assert ask("about-me", "--as", "human:carol")["memories"] == []
    assert "bees" in run("about-me", "--as", "human:alice").stdout
