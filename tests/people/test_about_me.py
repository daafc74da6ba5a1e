"""What do you know about me (A9–A12), in each kind of room, as the tables of the specification say."""

from __future__ import annotations

import pytest
from tests.conftest import Clock, Opened

from confide import Confide, Entity, audience, operator_as, statement
from confide.model import Message, Sensitivity
from confide.privacy.places import parse_place

ALICE, BOB, MIA = (Entity("human", name) for name in ("alice", "bob", "mia"))
QUESTION = "What do you know about me?"
ABOUT_BOB = "What do you know about bob?"
WORDS = {
    Sensitivity.PUBLIC: "Bob plays the cello",
    Sensitivity.PERSONAL: "Bob is looking for a new job",
    Sensitivity.SENSITIVE: "Bob has anxiety",
}


async def said(confide: Confide, by: Entity, place: str, **more: object) -> None:
    for sensitivity, text in WORDS.items():
        await confide.remember(
            statement(text, by=by, place=place, about=[BOB], sensitivity=sensitivity, **more)
        )


async def told(confide: Confide, who: Entity, place: str, question: str = QUESTION) -> set[str]:
    context = await confide.recall(question, audience(who, place))
    texts = {one.memory.text for one in context.memories}
    return {sensitivity.value for sensitivity, text in WORDS.items() if text in texts}


@pytest.mark.req("A9", "A10")
@pytest.mark.parametrize("by", [BOB, ALICE], ids=["said by Bob", "said before Bob"])
async def test_in_a_group_and_alone_it_is_told_as_the_table_says(
    confide: Confide, by: Entity
) -> None:
    await said(confide, by, "group:friends", present=[ALICE, BOB, MIA])
    assert await told(confide, BOB, "dm") == {"public", "personal", "sensitive"}
    assert await told(confide, BOB, "group:friends") == {"public", "personal"}
    in_company = await told(confide, MIA, "group:friends", ABOUT_BOB)
    assert in_company == {"public"}
    # Mia was there too; what is careful is none of her affair, alone or not.
    assert await told(confide, MIA, "dm", ABOUT_BOB) == {"public"}
    for place in ("group:others", "public:general@guild", "restricted:mods@guild", "ctx:care"):
        assert await told(confide, BOB, place) == set(), place


@pytest.mark.req("A9", "K6")
async def test_what_others_said_without_bob_is_other_peoples_affair(confide: Confide) -> None:
    await said(confide, ALICE, "dm")
    await said(confide, ALICE, "group:friends", present=[ALICE, MIA])
    for place in ("dm", "group:friends", "public:general@guild"):
        assert await told(confide, BOB, place) == set(), place


@pytest.mark.req("A9", "S2")
async def test_what_bob_said_alone_is_told_alone(confide: Confide) -> None:
    await said(confide, BOB, "dm")
    assert await told(confide, BOB, "dm") == {"public", "personal", "sensitive"}
    for place in ("group:friends", "public:general@guild", "restricted:mods@guild"):
        assert await told(confide, BOB, place) == set(), place
    assert await told(confide, ALICE, "dm", ABOUT_BOB) == set()


@pytest.mark.req("A10", "S2")
async def test_in_a_public_channel_only_what_is_public_is_told(confide: Confide) -> None:
    await said(confide, BOB, "public:general@guild")
    assert await told(confide, BOB, "public:general@guild") == {"public", "personal"}
    assert await told(confide, BOB, "public:lounge@guild") == {"public"}
    assert await told(confide, MIA, "public:lounge@guild", ABOUT_BOB) == {"public"}
    assert await told(confide, MIA, "public:general@guild", ABOUT_BOB) == {"public"}
    assert await told(confide, MIA, "public:general@elsewhere", ABOUT_BOB) == set()


@pytest.mark.req("A8", "A10", "K10")
async def test_a_context_that_bob_opened_for_it_hears_even_what_is_sensitive(
    confide: Confide,
) -> None:
    await said(confide, BOB, "ctx:care", present=[BOB, MIA])
    assert await told(confide, BOB, "ctx:care") == {"public", "personal", "sensitive"}
    assert await told(confide, MIA, "ctx:care", ABOUT_BOB) == {"public", "personal", "sensitive"}
    assert await told(confide, MIA, "dm", ABOUT_BOB) == {"public"}


@pytest.mark.req("A11", "A12")
async def test_a_portable_trait_helps_in_bobs_own_chat_and_counts_once(
    confide: Confide, clock: Clock
) -> None:
    there = {"place": "group:friends", "present": [ALICE, BOB], "about": [BOB]}
    loves = await confide.remember(
        statement("Bob loves pizza", by=ALICE, kind="preference", is_portable=True, **there)
    )
    await confide.remember(
        statement("Bob is presenting next", by=ALICE, kind="event", is_portable=True, **there)
    )
    clock.advance(minutes=1)
    await confide.world.leave(parse_place("group:friends", BOB), BOB)
    context = await confide.recall(QUESTION, audience(BOB, "dm"))
    assert [one.memory.id for one in context.memories] == [loves.id]
    elsewhere = await confide.recall(QUESTION, audience(BOB, "public:general@guild"))
    assert elsewhere.memories == ()
    own = await confide.recall("who loves pizza?", audience(ALICE, "dm"))
    assert [one.memory.id for one in own.memories].count(loves.id) == 1


@pytest.mark.req("A5", "A6")
async def test_an_alias_says_whom_its_speaker_means_and_opens_nothing(
    open_confide: Opened, clock: Clock
) -> None:
    sarah = Entity("human", "discord.77")
    async with open_confide(learn=False, silence_minutes=1) as confide:
        await confide.people.alias(sarah, "Sarah", actor=operator_as(ALICE))
        for n, who in enumerate((ALICE, BOB)):
            message = Message(
                id=str(n),
                place=parse_place("dm", who),
                speaker=who,
                text="Sarah loves sailing.",
                said_at=clock.now,
            )
            await confide.observe(message)
        clock.advance(hours=1)
        await confide.learning.learn()
        (mine,) = await confide.memories(ALICE)
        (his,) = await confide.memories(BOB)
        assert mine.subjects == {sarah}
        assert sarah not in his.subjects
        for place in ("dm", "group:friends"):
            heard = await confide.recall("who loves sailing?", audience(sarah, place))
            assert heard.memories == (), place
