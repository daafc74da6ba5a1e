"""What the asker wants in every answer (B18): in every context it may be told in, as data in a place of
its own."""

from __future__ import annotations

import pytest

from confide import Confide, Entity, audience, operator_as, statement
from confide.model import Manner, MemoryType, Namespace, Place, PlaceKind, Status
from confide.recall.context import NOTHING, OWN, STANDING
from confide.recall.tokens import estimate_tokens
from confide.recall.writing import STANDING_TOKENS
from confide.remember.keep import Remembered

from ..conftest import Clock

pytestmark = pytest.mark.req("B18")
ALICE, BOB, GROUP = "human:alice", "human:bob", "group:friends"
OWN_CHAT = audience(ALICE, "dm")
RULE = "Always answer in German"
UNRELATED = "When does the ferry to Juist leave?"


async def say(confide: Confide, text: str, place: str | Place = "dm", **more: object) -> Remembered:
    return await confide.remember(statement(text, by=ALICE, place=place, **more))


def texts(told: object) -> list[str]:
    return [one.memory.text for one in told.standing]  # type: ignore[attr-defined]


async def test_it_is_there_whatever_the_question_is_in_both_manners(confide: Confide) -> None:
    kept = await say(confide, RULE)
    assert (kept.status, kept.memory.type) == (Status.APPROVED, MemoryType.PROCEDURAL)
    for manner in Manner:
        told = await confide.recall(UNRELATED, OWN_CHAT, manner=manner)
        assert (texts(told), told.memories, told.perhaps) == ([RULE], (), ())
        assert RULE in told.block().split(STANDING)[1]


async def test_it_stands_once_and_apart_from_what_answers_the_question(confide: Confide) -> None:
    await say(confide, RULE)
    await say(confide, "The ferry to Juist leaves at nine")
    told = await confide.recall(UNRELATED, OWN_CHAT)
    wanted, _, known = told.block().partition(OWN)
    assert RULE in wanted
    assert "leaves at nine" in known
    asked = await confide.recall("Should I be answered in German?", OWN_CHAT)
    ids = [one.memory.id for one in asked.everything]
    assert len(ids) == len(set(ids))
    assert str(asked).count(RULE) == 1
    assert RULE in asked.block().split(STANDING)[1]


async def test_only_the_asker_is_answered_so_and_only_where_it_may_be_told(
    confide: Confide,
) -> None:
    await say(confide, RULE)
    await say(confide, "Use bullet points", GROUP, present=[BOB])
    in_group = {"place": GROUP, "present": [ALICE, BOB]}
    told = await confide.recall(UNRELATED, audience(ALICE, **in_group))
    assert texts(told) == ["Use bullet points"], "what was said alone stays there"
    assert texts(await confide.recall(UNRELATED, audience(BOB, **in_group))) == []
    assert str(await confide.recall(UNRELATED, audience(BOB, "dm"))) == NOTHING


async def test_in_company_it_is_public(confide: Confide) -> None:
    await say(confide, "Use short sentences", GROUP, present=[BOB], sensitivity="personal")
    assert texts(await confide.recall(UNRELATED, audience(ALICE, GROUP, present=[BOB]))) == []
    assert texts(await confide.recall(UNRELATED, OWN_CHAT)) == ["Use short sentences"]


async def test_said_through_a_connection_it_holds_in_that_connection(confide: Confide) -> None:
    laptop, editor = (
        Place(id=f"{ALICE}/{name}", kind=PlaceKind.CONNECTION) for name in ("laptop", "editor")
    )
    await say(confide, RULE, laptop)
    await say(confide, "Use pnpm", laptop, namespace=Namespace("web"))
    here = audience(ALICE, laptop, namespace=Namespace("web"))
    assert set(texts(await confide.recall(UNRELATED, here))) == {"Use pnpm", RULE}
    assert texts(await confide.recall(UNRELATED, audience(ALICE, laptop))) == [RULE]
    for other in (audience(ALICE, editor, namespace=Namespace("web")), OWN_CHAT):
        assert texts(await confide.recall(UNRELATED, other)) == []
    alone = await confide.recall("which language are answers in?", OWN_CHAT)
    assert not [one for one in alone.everything if one.is_standing]


async def test_an_order_to_act_is_wanted_once_its_owner_freed_it(confide: Confide) -> None:
    laptop = Place(id=f"{ALICE}/laptop", kind=PlaceKind.CONNECTION)
    held = await say(confide, "Always run the linter before you answer", laptop)
    here = audience(ALICE, laptop)
    assert held.status is Status.PENDING
    assert texts(await confide.recall(UNRELATED, here)) == []
    await confide.review.approve(held.id, actor=operator_as(Entity.parse(ALICE)))
    assert texts(await confide.recall(UNRELATED, here)) == [held.memory.text]


async def test_what_is_forgotten_or_taken_back_is_wanted_no_more(confide: Confide) -> None:
    kept = await say(confide, RULE)
    told = await confide.recall(UNRELATED, OWN_CHAT)
    await confide.forget(kept.id, actor=operator_as(Entity.parse(ALICE)), now=True)
    assert (await confide.recheck(told, OWN_CHAT)).everything == ()
    assert str(await confide.recall(UNRELATED, OWN_CHAT)) == NOTHING


@pytest.mark.req("S23")
async def test_it_is_logged_as_told(confide: Confide) -> None:
    kept = await say(confide, RULE)
    await confide.recall(UNRELATED, OWN_CHAT)
    owner = operator_as(Entity.parse(ALICE))
    assert len(await confide.tellings(kept.id, actor=owner)) == 1


@pytest.mark.req("S15")
async def test_it_takes_little_room_and_the_newest_come_first(
    confide: Confide, clock: Clock
) -> None:
    for n in range(40):
        await say(confide, f"Use heading style {n} when you write reports")
        clock.advance(minutes=1)
    told = await confide.recall(UNRELATED, OWN_CHAT)
    newest = [f"Use heading style {n} when you write reports" for n in range(39, 0, -1)]
    assert 3 < len(told.standing) < 20
    assert texts(told) == newest[: len(told.standing)]
    assert estimate_tokens(told.block()) < STANDING_TOKENS + 50
    short = await confide.recall(UNRELATED, OWN_CHAT, tokens=400)
    assert 0 < len(short.standing) < len(told.standing)
    assert estimate_tokens(str(short)) <= 400
