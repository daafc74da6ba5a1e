"""Forgetting a memory, a person, a place, a source, everything: gone from every table, verified."""

from __future__ import annotations

import pytest
from tests.conftest import Clock
from tests.learn.speaking import learn, say

from confide import Confide, audience, operator_as, statement
from confide.errors import InvalidInput, NotFound
from confide.model import Entity, Kind, Place, PlaceKind
from confide.privacy.places import parse_place
from confide.store.erasing import Target

from .conftest import BOB, CANARY, GROUP, ROOM, ZED, found_in, live_a_life, told

AS_ZED, AS_BOB, OPERATOR = operator_as(ZED), operator_as(BOB), operator_as()
WORDS = (CANARY, CANARY.capitalize())
#: Where an erased person may still be named, and docs/erasure.md says why.
STILL_NAMED = {
    "place_member",
    "departed",
    "space_member",
    "memory",
    "message",
    "clause_term",
    "label_door",
}


@pytest.mark.req("P10", "B5", "S21")
async def test_nothing_of_a_person_is_left_in_any_table(confide: Confide) -> None:
    await live_a_life(confide)
    assert set(await found_in(confide, *WORDS)) >= {
        "memory", "evidence", "message", "person", "alias", "account", "merge", "relationship",
        "consent", "consent_request", "generalization",
    }  # fmt: skip
    done = await confide.erasure.person(ZED, actor=AS_ZED, now=True)
    assert await found_in(confide, *WORDS) == {}
    assert done.counts["memories"] >= 5
    assert done.found
    assert not any(done.found.values())
    named = await found_in(confide, "human:zed")
    assert set(named) <= STILL_NAMED
    assert await told(confide, "quokkas?") == set()
    assert await told(confide, "figs? what was done an hour ago?", BOB, GROUP) == {
        "I did, an hour ago", "I like figs myself",
    }  # fmt: skip


@pytest.mark.req("P10", "B5")
async def test_the_connections_of_a_person_go_with_them(confide: Confide) -> None:
    laptop = Place(id="human:zed/laptop", kind=PlaceKind.CONNECTION)
    await confide.remember(statement("I keep quokkas", by=ZED, place=laptop))
    assert {"place", "memory"} <= set(await found_in(confide, "human:zed/laptop"))
    await confide.erasure.person(ZED, actor=AS_ZED, now=True)
    assert await found_in(confide, "human:zed/laptop") == {}


@pytest.mark.req("P10", "B5", "P1")
@pytest.mark.parametrize("by_person", [True, False])
async def test_the_name_of_a_workspace_goes_with_the_last_memory_in_it(
    confide: Confide, by_person: bool
) -> None:
    """In a label it is a word of its owner's, not an id."""
    said = [
        await confide.remember(
            statement(text, by=ZED, place="dm", namespace="quokkalab/track:quokka2")
        )
        for text in ("Figs are cheap in May", "The scales are broken")
    ]
    mine = await confide.remember(statement("I like figs", by=BOB, place="dm", namespace="garden"))
    assert {"memory", "clause_term"} <= set(await found_in(confide, CANARY))
    if by_person:
        await confide.erasure.person(ZED, actor=AS_ZED, now=True)
    else:
        await confide.forget(said[0].id, actor=AS_ZED, now=True)
        assert {"memory", "clause_term"} <= set(await found_in(confide, CANARY))
        await confide.forget(said[1].id, actor=AS_ZED, now=True)
    assert await found_in(confide, CANARY) == {}
    in_garden = audience(BOB, "dm", namespace="garden")
    assert list(await confide.still_told([mine.id], in_garden)) == [mine.id]


@pytest.mark.req("P10", "B5")
async def test_a_learned_memory_goes_with_the_message_it_came_from(confide: Confide) -> None:
    await say(confide, "My sister keeps quokkas", by="human:zed")
    await learn(confide)
    assert await told(confide, "who keeps quokkas?") == {"My sister keeps quokkas"}
    (own,) = await confide.memories(ZED)
    done = await confide.forget(own.id, actor=AS_ZED, now=True)
    assert done.verified
    assert not any(done.verified.values())
    assert await found_in(confide, CANARY) == {}


@pytest.mark.req("B5")
async def test_what_the_agent_said_where_a_memory_was_told_goes_too(confide: Confide) -> None:
    kept = await confide.remember(statement("I keep quokkas", by=ZED, place=GROUP))
    assert await told(confide, "what does Zed keep?", ZED, GROUP) == {"I keep quokkas"}
    await say(confide, "You keep quokkas!", by="si:me", is_from_agent=True, place=GROUP)
    await confide.forget(kept.id, actor=AS_ZED, now=True)
    assert await found_in(confide, CANARY) == {}


@pytest.mark.req("B5", "K12")
@pytest.mark.parametrize("is_approved", [False, True])
async def test_an_insight_goes_with_its_source(confide: Confide, is_approved: bool) -> None:
    source = await confide.remember(statement("My son struggles with math", by=ZED, place="dm"))
    made = await confide.insights.generalize(
        [source.id], "Quokka pictures help with math in 2024", actor=AS_ZED
    )
    if is_approved:
        await confide.insights.review(made.id, approves=True, actor=OPERATOR)
    await confide.forget(source.id, actor=AS_ZED, now=True)
    assert await found_in(confide, "Quokka") == {}


@pytest.mark.req("B5", "S28")
async def test_a_memory_goes_with_the_versions_it_replaced(confide: Confide) -> None:
    await say(confide, "I live in Quokkatown", by="human:zed")
    await learn(confide, kind=Kind.IDENTITY)
    await say(confide, "I live in Paris", by="human:zed")
    await learn(confide, kind=Kind.IDENTITY)
    (own,) = await confide.memories(ZED)
    assert own.text == "I live in Paris"
    await confide.forget(own.id, actor=AS_ZED, now=True)
    assert await found_in(confide, "Quokkatown", "Paris") == {}


@pytest.mark.req("P10")
async def test_whatever_waited_for_review_waits_again_after_it_was_restored(
    confide: Confide,
) -> None:
    doubtful = await confide.remember(
        statement("I may like quokkas", by=ZED, place="dm", confidence=0.3)
    )
    assert doubtful.status == "pending"
    await confide.forget(doubtful.id, actor=AS_ZED)
    await confide.restore(doubtful.id, actor=AS_ZED)
    assert await told(confide, "quokkas?") == set()


@pytest.mark.req("P10", "S21")
async def test_a_person_forgotten_softly_comes_back_whole_within_a_day_and_never_after(
    confide: Confide, clock: Clock
) -> None:
    await live_a_life(confide)
    before = await told(confide, "quokkas?")
    done = await confide.erasure.person(ZED, actor=AS_ZED)
    assert done.undo_until is not None
    assert await told(confide, "quokkas?") == set()
    assert await told(confide, "quokka club?", BOB, ROOM) == set()
    clock.advance(hours=23)
    with pytest.raises(NotFound):
        await confide.erasure.restore(done.id, actor=AS_BOB)
    assert await confide.erasure.restore(done.id, actor=AS_ZED) == done.counts["memories"]
    assert await told(confide, "quokkas?") == before
    again = await confide.erasure.person(ZED, actor=AS_ZED)
    clock.advance(hours=25)
    with pytest.raises(NotFound):
        await confide.erasure.restore(again.id, actor=AS_ZED)
    assert await confide.erasure.finish() == 1
    assert await found_in(confide, *WORDS) == {}
    assert await confide.erasure.finish() == 0


@pytest.mark.req("A6")
async def test_nobody_else_can_forget_a_person_a_place_or_everything(confide: Confide) -> None:
    await live_a_life(confide)
    erasure = confide.erasure
    for refused in (
        lambda: erasure.person(ZED, actor=AS_BOB, now=True),
        lambda: erasure.place(parse_place(GROUP, ZED), actor=AS_BOB, now=True),
        lambda: erasure.place(parse_place("dm", ZED), actor=AS_BOB, now=True),
        lambda: erasure.everything(actor=AS_ZED, now=True),
        lambda: erasure.preview(Target(), actor=AS_ZED),
    ):
        with pytest.raises(InvalidInput, match="actor"):
            await refused()
    assert "I keep quokkas" in await told(confide, "quokkas?")


@pytest.mark.req("A6", "B5")
async def test_what_others_told_in_confidence_is_neither_counted_nor_touched(
    confide: Confide,
) -> None:
    secret = statement("We plan a party for Zed", by=BOB, place="dm", about=[ZED])
    await confide.remember(secret)
    shared = statement("Zed loves figs", by=BOB, place=GROUP, about=[ZED], present=[ZED])
    await confide.remember(shared)
    target = await confide.erasure.of_person(ZED, AS_ZED)
    assert (await confide.erasure.preview(target, actor=AS_ZED))["memories"] == 1
    done = await confide.erasure.person(ZED, actor=AS_ZED, now=True)
    assert done.counts["memories"] == 1
    assert await told(confide, "what party do we plan?", BOB) == {"We plan a party for Zed"}
    done = await confide.erasure.person(ZED, actor=OPERATOR, now=True)
    assert await told(confide, "what party do we plan?", BOB) == set()
    assert await found_in(confide, "party") == {}


@pytest.mark.req("B5")
async def test_of_two_who_contributed_only_the_others_words_stay(confide: Confide) -> None:
    from confide.providers.builtin import BuiltinExtractor

    for text, who in (
        ("What's the name of your quokka?", "human:zed"),
        ("Her name is Coco", "human:bob"),
        ("My quokka is called Coco", "human:bob"),
    ):
        await say(confide, text, by=who, place=GROUP, present=["human:zed", "human:bob"])
    await confide.learning.make_due()
    await confide.learning.worker(extractor=BuiltinExtractor()).drain()
    await confide.erasure.person(ZED, actor=AS_ZED, now=True)
    await confide.learning.make_due()
    await confide.learning.worker(extractor=BuiltinExtractor()).drain()
    own = {one.text for one in await confide.memories(BOB)}
    assert own
    assert "human:zed" not in str(await _evidence(confide))


async def _evidence(confide: Confide) -> list[str]:
    async with confide.database.keep() as connection:
        rows = await connection.fetch(
            "SELECT speaker || ': ' || text AS said FROM confide.evidence"
        )
    return [row["said"] for row in rows]


@pytest.mark.req("B5")
async def test_a_place_is_emptied_with_its_threads_and_others_are_left_alone(
    confide: Confide,
) -> None:
    await confide.remember(statement("Quokka one", by=ZED, place=ROOM))
    await confide.remember(statement("Quokka two", by=BOB, place="thread:t1@general@guild"))
    await confide.remember(statement("Quokka three", by=ZED, place="public:other@guild"))
    await say(confide, "Quokka four", by="human:zed", place=ROOM)
    done = await confide.erasure.place(parse_place(ROOM, ZED), actor=OPERATOR, now=True)
    assert done.counts["memories"] == 2
    assert await found_in(confide, "Quokka one", "Quokka two", "Quokka four") == {}
    assert set(await found_in(confide, "Quokka three")) == {"memory"}


@pytest.mark.req("B5")
async def test_what_came_from_a_source_goes_and_a_person_erases_only_their_own(
    confide: Confide,
) -> None:
    for who, platform in (("zed", "discord"), ("bob", "discord"), ("zed", "slack")):
        await say(confide, f"My quokka says {platform} {who}", by=f"human:{who}", platform=platform)
    await learn(confide)
    await confide.erasure.source("discord", actor=AS_ZED, now=True)
    assert await found_in(confide, "discord zed") == {}
    assert "memory" in await found_in(confide, "discord bob")
    await confide.erasure.source("discord", actor=OPERATOR, now=True)
    assert await found_in(confide, "discord bob") == {}
    assert "memory" in await found_in(confide, "slack zed")


@pytest.mark.req("B5")
async def test_everything_goes_but_peoples_wishes(confide: Confide) -> None:
    await live_a_life(confide)
    await confide.rights.opt_out(Entity("human", "eve"), actor=operator_as(Entity("human", "eve")))
    done = await confide.erasure.everything(actor=OPERATOR, now=True)
    assert done.counts
    assert await found_in(confide, *WORDS, "human:zed", "human:bob") == {}
    assert (await confide.rights.state(Entity("human", "eve"))).is_opted_out
    with pytest.raises(InvalidInput, match="opted out"):
        await confide.remember(statement("I like tea", by="human:eve", place="dm"))
