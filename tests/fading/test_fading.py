"""What happened fades and ends; what lasts or is protected stays; nothing is written to make it so."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cli.conftest import Ask, Run
from tests.conftest import Clock

from confide import Confide, audience, statement
from confide.actor import operator_as
from confide.config import read_settings
from confide.errors import InvalidInput, NotFound
from confide.model import Entity, Kind, Message, Place, PlaceKind
from confide.store.strength import HALF_LIFE, strength

ALICE, BOB = Entity("human", "alice"), Entity("human", "bob")
AS_ALICE, AS_BOB = operator_as(ALICE), operator_as(BOB)
NOW = datetime(2026, 3, 1, tzinfo=UTC)
MOMENTS = st.datetimes(datetime(1990, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC))


async def kept(confide: Confide, text: str = "I keep bees", **fields: Any) -> uuid.UUID:
    given = {"by": "human:alice", "place": "dm"} | fields
    return (await confide.remember(statement(text, **given))).id


async def told(confide: Confide, question: str = "who keeps bees?") -> list[str]:
    found = await confide.recall(question, audience("human:alice", "dm"))
    return [one.memory.text for one in found.memories]


@pytest.mark.req("S26")
@given(st.floats(0, 1), MOMENTS, MOMENTS)
def test_strength_falls_with_time_and_never_rises_or_ends(
    base: float, heard: datetime, now: datetime
) -> None:
    found = strength(base, heard, now)
    assert 0 <= found <= base
    assert strength(base, heard, now + timedelta(days=1)) <= found
    assert strength(base, heard, now, fades=False) == base
    if now <= heard:
        assert found == base, "a clock that was ahead weakens nothing"


@pytest.mark.req("S26")
def test_a_half_life_is_ninety_days() -> None:
    assert strength(0.8, NOW - HALF_LIFE, NOW) == pytest.approx(0.4)
    assert timedelta(days=90) == HALF_LIFE


@pytest.mark.req("S26")
async def test_the_database_computes_the_same_strength(confide: Confide) -> None:
    async with confide.database.keep() as connection:
        for days in (-400, 0, 0.001, 1, 90, 1000, 40_000):
            for fades in (True, False):
                heard = NOW - timedelta(days=days)
                found = await connection.fetchval(
                    "SELECT confide.strength(0.7, $1, $2, $3)", heard, NOW, fades
                )
                assert found == pytest.approx(strength(0.7, heard, NOW, fades=fades))


@pytest.mark.req("S26")
async def test_of_two_equal_memories_the_stronger_is_told_first(
    confide: Confide, clock: Clock
) -> None:
    days: dict[str, Any] = {"kind": "event", "lifetime": timedelta(days=900)}
    old = await kept(confide, "I saw a heron at the lake", **days)
    clock.advance(days=200)
    await kept(confide, "I saw a heron at the pond", **days)
    assert (await told(confide, "where was the heron?"))[0].endswith("pond")
    await confide.fading.protect(old, actor=AS_ALICE)
    found = await confide.recall("where was the heron?", audience("human:alice", "dm"))
    weights = {one.memory.text[-4:]: one.memory.is_protected for one in found.memories}
    assert weights == {"lake": True, "pond": False}


@pytest.mark.req("A1")
@pytest.mark.parametrize(
    ("kind", "days"), [("context", 7), ("event", 30), ("task", 14), ("observation", 3)]
)
async def test_a_kind_ends_after_its_days_whether_or_not_anybody_cleaned_up(
    confide: Confide, clock: Clock, kind: str, days: int
) -> None:
    await kept(confide, kind=kind)
    clock.advance(days=days, seconds=-1)
    assert await told(confide) == ["I keep bees"]
    clock.advance(seconds=1)
    assert await told(confide) == []


@pytest.mark.req("A1")
@pytest.mark.parametrize("kind", ["preference", "identity", "relationship", "knowledge"])
async def test_what_lasts_is_told_after_years(confide: Confide, clock: Clock, kind: str) -> None:
    await kept(confide, kind=kind)
    clock.advance(days=3650)
    await confide.upkeep.gc()
    assert await told(confide) == ["I keep bees"]


@pytest.mark.req("A1", "A16")
async def test_a_kinds_days_are_a_setting_and_may_be_never(open_confide: Any, clock: Clock) -> None:
    async with open_confide(days_event="never", days_task=1) as confide:
        await kept(confide, kind="event")
        await kept(confide, "I must feed the bees", kind="task")
        clock.advance(days=2)
        assert await told(confide) == ["I keep bees"]
        clock.advance(days=5000)
        assert await told(confide) == ["I keep bees"]
    for wrong in ("0", "-1", "soon"):
        with pytest.raises(InvalidInput, match="CONFIDE_DAYS_EVENT"):
            read_settings(days_event=wrong)
    assert read_settings(days_event="Never").lifetime(Kind.EVENT) is None


@pytest.mark.req("A1")
async def test_saying_it_again_renews_it(confide: Confide, clock: Clock) -> None:
    first = await kept(confide, kind="event")
    clock.advance(days=20)
    assert await kept(confide, kind="event") == first
    clock.advance(days=20)
    assert await told(confide) == ["I keep bees"]
    clock.advance(days=10)
    assert await told(confide) == []


@pytest.mark.req("A1")
async def test_saying_it_again_in_other_words_renews_it(confide: Confide, clock: Clock) -> None:
    place = Place(id="dm:human:alice", kind=PlaceKind.DIRECT)
    for n, words in enumerate(("I saw a heron at the lake.", "I really saw a heron at the lake.")):
        said = Message(id=f"m{n}", place=place, speaker=ALICE, text=words, said_at=clock())
        await confide.observe(said)
        await confide.learning.learn(is_everything=True)
        clock.advance(days=20)
    assert len(await told(confide, "who saw a heron?")) == 1


@pytest.mark.req("S26")
async def test_only_its_owner_protects_a_memory(confide: Confide) -> None:
    id = await kept(confide, place="group:friends")
    for act in (confide.fading.protect, confide.fading.unprotect, confide.fading.restore):
        for actor in (AS_BOB, operator_as()):
            with pytest.raises(NotFound, match="no such memory"):
                await act(id, actor=actor)
        with pytest.raises(NotFound, match="no such memory"):
            await act(uuid.uuid4(), actor=AS_ALICE)


@pytest.mark.req("S26")
async def test_what_is_protected_neither_fades_nor_ends(confide: Confide, clock: Clock) -> None:
    id = await kept(confide, kind="observation")
    await confide.fading.protect(id, actor=AS_ALICE)
    clock.advance(days=1000)
    await confide.upkeep.gc()
    assert await told(confide) == ["I keep bees"]
    await confide.fading.unprotect(id, actor=AS_ALICE)
    clock.advance(days=2)
    assert await told(confide) == ["I keep bees"]
    clock.advance(days=2)
    assert await told(confide) == []


@pytest.mark.req("S26")
async def test_reading_a_memory_a_hundred_times_does_not_weaken_it(
    confide: Confide, clock: Clock
) -> None:
    """Strength is computed when read: nothing multiplies."""
    await kept(confide, kind="event", lifetime=timedelta(days=500), place="group:friends")
    clock.advance(days=90)

    async def weight() -> float:
        found = await confide.recall("who keeps bees?", audience("human:bob", "group:friends"))
        return strength(1.0, found.memories[0].memory.reinforced_at, clock())

    first = await weight()
    assert first == pytest.approx(0.5)
    for _ in range(5):
        await confide.upkeep.gc()
        assert await weight() == first


def test_memories_are_protected_from_the_command_line(run: Run, ask: Ask) -> None:
    id = ask("remember", "I keep bees", "--by", "human:alice", "--in", "dm")["id"]
    assert ask("protect", id, "--as", "human:alice") == {"done": True}
    assert ask("unprotect", id, "--as", "human:alice") == {"done": True}
    assert run("protect", id, "--as", "human:bob").exit_code == 1
