"""The access log: what an answer was based on, and when a memory was told."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.conftest import Clock

from confide import Confide, Entity, audience, operator_as, statement
from confide.errors import NotFound
from confide.model import Place, PlaceKind
from confide.privacy.places import direct, parse_place
from confide.recall.audience import audience_in
from confide.store.memories import log_tellings

ALICE, BOB = Entity("human", "alice"), Entity("human", "bob")
ROOM = "group:friends"
QUESTION = "who keeps bees on the roof?"


async def bees(confide: Confide):
    return await confide.remember(
        statement("Alice keeps bees on the roof", by=ALICE, place=ROOM, present=[BOB])
    )


@pytest.mark.req("S23", "S27")
async def test_the_agent_can_say_what_its_last_answer_was_based_on(confide: Confide) -> None:
    memory = await bees(confide)
    asked = audience(BOB, ROOM)
    assert (await confide.why(asked)).memories == ()
    await confide.recall(QUESTION, asked)
    assert [m.id for m in (await confide.why(asked)).memories] == [memory.id]
    assert (await confide.why(audience(ALICE, ROOM))).memories == ()


@pytest.mark.req("S23", "B7")
async def test_why_tells_nothing_that_may_no_longer_be_told(confide: Confide) -> None:
    memory = await bees(confide)
    asked = audience(BOB, ROOM)
    await confide.recall(QUESTION, asked)
    await confide.forget(memory.id, actor=operator_as(ALICE))
    basis = await confide.why(asked)
    assert (basis.memories, basis.told_at) == ((), None)


@pytest.mark.req("S23", "S27")
async def test_an_answer_that_told_nothing_was_based_on_nothing(confide: Confide) -> None:
    memory = await bees(confide)
    asked = audience(BOB, ROOM)
    await confide.recall(QUESTION, asked)
    await confide.recall("what is the capital of mongolia?", asked)
    assert (await confide.why(asked)).memories == ()
    await confide.recall(QUESTION, asked)
    # Neither somebody else's question nor one in another place is the last one here.
    await confide.recall("what is the capital of mongolia?", audience(ALICE, ROOM))
    await confide.recall("what is the capital of mongolia?", audience(BOB, "dm"))
    assert [m.id for m in (await confide.why(asked)).memories] == [memory.id]
    assert (await confide.why(audience(BOB, "dm"))).memories == ()


@pytest.mark.req("S32", "S27")
async def test_why_names_owners_as_they_are_called_now(confide: Confide) -> None:
    await bees(confide)
    await confide.people.name(ALICE, "Alice A.")
    asked = audience(BOB, ROOM)
    await confide.recall(QUESTION, asked)
    basis = await confide.why(asked)
    assert [basis.owner_name(one) for one in basis.memories] == ["Alice A."]


async def noted(confide: Confide) -> list[Any]:
    """What is kept of who asked where."""
    async with confide.database.keep() as connection:
        rows = await connection.fetch("SELECT asker, place FROM confide.asked ORDER BY seq")
    return [tuple(row) for row in rows]


@pytest.mark.req("S23", "B8")
async def test_off_the_record_no_question_is_kept_and_why_knows_nothing(confide: Confide) -> None:
    await bees(confide)
    asked = audience(BOB, ROOM)
    await confide.recall(QUESTION, asked)
    await confide.learning.off_the_record(BOB, parse_place(ROOM, BOB))
    before = await noted(confide)
    await confide.recall("what is the capital of mongolia?", asked)
    assert await noted(confide) == before == [("human:bob", "friends")]
    assert (await confide.why(asked)).memories == ()


@pytest.mark.req("S23", "P10")
async def test_who_asked_where_is_erased_with_the_person(confide: Confide) -> None:
    memory = await bees(confide)
    reply = audience_in(Place(id=f"reply:{BOB}", kind=PlaceKind.EPHEMERAL), BOB)
    for where in (audience(BOB, ROOM), audience(BOB, "dm"), reply):
        await confide.recall(QUESTION, where)
        await confide.recall("what is the capital of mongolia?", where)
    assert len({place for _, place in await noted(confide)}) == 3
    await confide.erasure.person(BOB, actor=operator_as(BOB), now=True)
    assert set(await noted(confide)) == {(None, None)}
    async with confide.database.keep() as connection:
        rows = await connection.fetch("SELECT t::text AS row FROM confide.telling t")
    assert len(rows) == 3
    assert not [row for row in rows if "bob" in row["row"]]
    told = await confide.tellings(memory.id, actor=operator_as(ALICE))
    assert {one.place for one in told} == {"friends", None}


@pytest.mark.req("S23", "A15")
async def test_questions_are_kept_as_long_as_the_access_log(confide: Confide, clock: Clock) -> None:
    await confide.recall("what is the capital of mongolia?", audience(BOB, ROOM))
    clock.advance(days=91)
    await confide.recall("what is the capital of mongolia?", audience(ALICE, ROOM))
    await confide.upkeep.gc()
    assert await noted(confide) == [("human:alice", "friends")]


@pytest.mark.req("S23")
async def test_an_owner_sees_when_and_where_it_was_told_but_not_to_whom(confide: Confide) -> None:
    memory = await bees(confide)
    await confide.recall(QUESTION, audience(BOB, ROOM))
    (told,) = await confide.tellings(memory.id, actor=operator_as(ALICE))
    assert (told.place_kind, told.place) == ("group", "friends")
    assert "bob" not in repr(told)
    with pytest.raises(NotFound):
        await confide.tellings(memory.id, actor=operator_as(BOB))


@pytest.mark.req("S23")
@pytest.mark.parametrize(
    "place",
    [
        direct(BOB),
        Place(id=f"reply:{BOB}", kind=PlaceKind.EPHEMERAL),
        Place(id=f"{BOB}/laptop", kind=PlaceKind.CONNECTION),
        Place(id=f"7@{direct(BOB).id}", kind=PlaceKind.THREAD, parent=direct(BOB).id),
    ],
    ids=lambda place: place.kind.value,
)
async def test_a_place_that_is_called_after_who_asked_is_not_shown(
    confide: Confide, place: Place
) -> None:
    memory = await bees(confide)
    heard = audience_in(place, BOB)
    await log_tellings(confide.database, [memory.id], heard, confide.means.clock(), prompted=[])
    (told,) = await confide.tellings(memory.id, actor=operator_as(ALICE))
    assert (told.place_kind, told.place) == (place.kind.value, None)
    files = (await confide.rights.export(ALICE, actor=operator_as(ALICE))).files
    exported = json.loads(files["export.json"])["tellings"]
    assert len(exported) == 1
    assert "bob" not in repr(told) + json.dumps(exported)


@pytest.mark.req("S14", "S23")
async def test_only_the_owners_questions_keep_a_memory_alive(confide: Confide, clock) -> None:
    memory = await bees(confide)
    clock.advance(days=2)
    await confide.recall(QUESTION, audience(BOB, ROOM))
    (kept,) = await confide.memories(ALICE)
    assert kept.last_accessed_at is None
    await confide.recall(QUESTION, audience(ALICE, ROOM))
    (kept,) = await confide.memories(ALICE)
    assert kept.last_accessed_at == kept.reinforced_at == clock.now
    assert kept.id == memory.id
