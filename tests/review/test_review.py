"""What waits is told to nobody, and is decided on by somebody who may."""

from __future__ import annotations

import uuid
from typing import Any

import pytest

from confide import Confide, audience, statement
from confide.actor import Actor, operator_as
from confide.errors import InvalidInput, NotAllowed, NotFound, OnlyAsked, SecretRefused
from confide.keep.held import Reason
from confide.model import Entity, Message, Namespace, Place, PlaceKind, Scope, Sensitivity, Status
from confide.privacy.acting import CallerKind
from confide.privacy.places import parse_place

ALICE, BOB, CARLA = (Entity("human", name) for name in ("alice", "bob", "carla"))
AS_ALICE, AS_BOB, AS_CARLA, OPERATOR = (
    operator_as(ALICE),
    operator_as(BOB),
    operator_as(CARLA),
    operator_as(),
)
REVIEWED = {"reviewers": "human:bob, human:carla"}


async def doubtful(confide: Confide, text: str = "I keep bees", **fields: Any) -> uuid.UUID:
    given = {"by": "human:alice", "place": "dm", "confidence": 0.3} | fields
    made = await confide.remember(statement(text, **given))
    assert made.status is Status.PENDING
    return made.id


async def heard_by_others(confide: Confide, text: str = "I keep bees", **fields: Any) -> uuid.UUID:
    """It waits, and others than its owner would hear it."""
    return await doubtful(confide, text, place="group:garden", **fields)


async def told(confide: Confide, question: str = "who keeps bees?", place: str = "dm") -> list[str]:
    found = await confide.recall(question, audience("human:alice", place))
    return [one.memory.text for one in found.memories]


@pytest.mark.req("P4", "P6")
async def test_what_waits_is_told_to_nobody_until_it_is_approved(confide: Confide) -> None:
    id = await doubtful(confide)
    assert await told(confide) == []
    (one,) = await confide.review.waiting(actor=AS_ALICE)
    assert (one.id, one.reason, one.text) == (id, Reason.CONFIDENCE, "I keep bees")
    decided = await confide.review.approve(id, actor=AS_ALICE)
    assert decided.status is Status.APPROVED
    assert await told(confide) == ["I keep bees"]
    assert await confide.review.waiting(actor=AS_ALICE) == []


@pytest.mark.req("P6")
async def test_what_is_rejected_is_never_told_and_cannot_be_decided_on_again(
    confide: Confide,
) -> None:
    id = await doubtful(confide)
    assert (await confide.review.reject(id, actor=AS_ALICE)).status is Status.REJECTED
    assert await told(confide) == []
    for decide in (confide.review.approve, confide.review.reject, confide.review.show):
        with pytest.raises(NotFound):
            await decide(id, actor=AS_ALICE)


@pytest.mark.req("P6")
async def test_a_decision_is_taken_back_by_who_made_it(confide: Confide, clock) -> None:
    id = await doubtful(confide)
    with pytest.raises(NotFound):  # nobody decided yet
        await confide.review.take_back(id, actor=AS_ALICE)
    for decide in (confide.review.reject, confide.review.approve):
        await decide(id, actor=AS_ALICE)
        done = await confide.review.take_back(id, actor=AS_ALICE)
        assert done.status is Status.PENDING
        assert await told(confide) == []
        assert [one.id for one in await confide.review.waiting(actor=AS_ALICE)] == [id]
        with pytest.raises(NotFound):  # taken back once
            await confide.review.take_back(id, actor=AS_ALICE)
    await confide.review.approve(id, actor=AS_ALICE)
    clock.advance(hours=25)
    with pytest.raises(NotFound):
        await confide.review.take_back(id, actor=AS_ALICE)


@pytest.mark.req("P6", "B12")
async def test_nobody_takes_anothers_decision_back_and_no_model_takes_any(confide: Confide) -> None:
    id = await doubtful(confide)
    by_key = Actor(ALICE, CallerKind.PERSONAL)
    await confide.review.reject(id, actor=AS_ALICE)
    for actor in (AS_BOB, OPERATOR, by_key, Actor(ALICE, CallerKind.SIGNED_IN)):
        with pytest.raises(NotFound):
            await confide.review.take_back(id, actor=actor)
    await confide.review.take_back(id, actor=AS_ALICE)
    await confide.review.reject(id, actor=by_key)
    with pytest.raises(NotAllowed):
        await confide.review.take_back(id, actor=by_key)


@pytest.mark.req("P6")
async def test_an_approval_that_replaced_a_memory_is_not_taken_back(confide: Confide) -> None:
    await confide.remember(
        statement("I live in Oslo", by="human:alice", place="dm", kind="identity")
    )
    id = await doubtful(confide, "I do not live in Oslo anymore", kind="identity")
    await confide.review.approve(id, actor=AS_ALICE)
    with pytest.raises((InvalidInput, NotFound)):
        await confide.review.take_back(id, actor=AS_ALICE)
    assert len(await told(confide, "where do I live?")) == 1


@pytest.mark.req("P6")
async def test_the_trail_says_who_decided_and_when(confide: Confide, clock) -> None:
    id = await doubtful(confide)
    clock.advance(hours=2)
    await confide.review.approve(id, actor=AS_ALICE)
    entry = (await confide.trail.log(actor=OPERATOR, memory_id=id))[0]
    assert (entry.doing, entry.action, entry.actor, entry.at) == (
        "approve", "approved", "operator as human:alice", clock(),
    )  # fmt: skip


@pytest.mark.req("P6")
async def test_nobody_approves_their_own_words_where_there_are_reviewers(open_confide) -> None:
    async with open_confide(**REVIEWED) as confide:
        hers, his = (
            await heard_by_others(confide),
            await heard_by_others(confide, "I sail", by="human:bob"),
        )
        for actor, id in ((AS_ALICE, hers), (AS_BOB, his), (OPERATOR, hers)):
            with pytest.raises(InvalidInput):
                await confide.review.approve(id, actor=actor)
        assert (await confide.review.approve(hers, actor=AS_BOB)).status is Status.APPROVED
        assert (await confide.review.approve(his, actor=AS_CARLA)).status is Status.APPROVED


@pytest.mark.req("P6")
async def test_whoever_changed_the_words_does_not_approve_them_either(open_confide) -> None:
    async with open_confide(**REVIEWED) as confide:
        id = await heard_by_others(confide)
        await confide.review.edit(id, "I keep a few bees", actor=AS_BOB)
        with pytest.raises(InvalidInput, match="somebody else"):
            await confide.review.approve(id, actor=AS_BOB)
        await confide.review.approve(id, actor=AS_CARLA)
        assert await told(confide) == ["I keep a few bees"]


@pytest.mark.req("P6", "A5")
async def test_nobody_approves_their_own_words_by_another_account(open_confide) -> None:
    async with open_confide(**REVIEWED) as confide:
        id = await heard_by_others(confide)
        changed = await heard_by_others(confide, "I sail", by="human:mia")
        await confide.review.edit(changed, "I sail a lot", actor=AS_CARLA)
        for one, other in ((ALICE, BOB), (CARLA, BOB)):
            merge = await confide.people.propose_merge(one, other, "the same", actor=OPERATOR)
            for who in (one, other):
                await confide.people.confirm_merge(merge.id, actor=operator_as(who))
        for mine in (id, changed):
            with pytest.raises(InvalidInput, match="somebody else"):
                await confide.review.approve(mine, actor=AS_BOB)


@pytest.mark.req("P6")
async def test_an_author_may_withdraw_what_waits_also_where_there_are_reviewers(
    open_confide,
) -> None:
    async with open_confide(**REVIEWED) as confide:
        id = await doubtful(confide)
        assert (await confide.review.reject(id, actor=AS_ALICE)).status is Status.REJECTED


@pytest.mark.req("P6")
async def test_a_stranger_finds_nothing_and_the_operator_sees_no_words(open_confide) -> None:
    async with open_confide() as confide:
        id = await doubtful(confide)
        assert await confide.review.waiting(actor=AS_BOB) == []
        for decide in (confide.review.show, confide.review.approve, confide.review.reject):
            with pytest.raises(NotFound) as hidden:
                await decide(id, actor=AS_BOB)
            with pytest.raises(NotFound) as absent:
                await decide(uuid.uuid4(), actor=AS_BOB)
            assert str(hidden.value) == str(absent.value)
        (listed,) = await confide.review.waiting(actor=OPERATOR)
        assert listed.text is None
        assert (await confide.review.show(id, actor=OPERATOR)).text is None
        with pytest.raises(InvalidInput):
            await confide.review.edit(id, "I keep wasps", actor=OPERATOR)
        stranger = Actor(None, CallerKind.PLATFORM)
        with pytest.raises(NotFound):
            await confide.review.show(id, actor=stranger)


async def test_a_reviewer_reads_one_at_a_time_and_the_trail_says_so(open_confide) -> None:
    async with open_confide(**REVIEWED) as confide:
        id = await heard_by_others(confide)
        (listed,) = await confide.review.waiting(actor=AS_BOB)
        assert listed.text is None
        assert (await confide.review.show(id, actor=AS_BOB)).text == "I keep bees"
        entry = (await confide.trail.log(actor=OPERATOR, memory_id=id))[0]
        assert (entry.action, entry.actor) == ("read by a reviewer", "operator as human:bob")
        await confide.review.show(id, actor=AS_ALICE)
        assert (await confide.trail.log(actor=OPERATOR, memory_id=id))[0] == entry


async def test_what_somebody_objected_to_is_shown_to_no_reviewer(open_confide) -> None:
    async with open_confide(**REVIEWED) as confide:
        about = await doubtful(confide, "Dana sings", about=["human:dana"])
        own = await doubtful(confide, "I sing", by="human:eve")
        for who in ("dana", "eve"):
            dana = Entity("human", who)
            await confide.rights.opt_out(dana, actor=operator_as(dana))
        assert (await confide.review.show(about, actor=AS_BOB)).text is None
        with pytest.raises(NotFound):
            await confide.review.show(own, actor=AS_BOB)


@pytest.mark.req("P6")
async def test_changed_words_are_screened_and_wait_again(confide: Confide) -> None:
    id = await doubtful(confide, "I keep bees", place="group:friends")
    with pytest.raises(SecretRefused):
        await confide.review.edit(id, "my password is hunter2hunter2", actor=AS_ALICE)
    edited = await confide.review.edit(id, "I was diagnosed with depression", actor=AS_ALICE)
    assert (edited.status, edited.waits_because is not None) == (Status.PENDING, True)
    (one,) = await confide.review.waiting(actor=AS_ALICE)
    assert (one.sensitivity, one.text) == (Sensitivity.SENSITIVE, "I was diagnosed with depression")
    assert await told(confide, "bees diagnosed depression") == []
    await confide.review.approve(id, actor=AS_ALICE)
    assert await told(confide, "am I diagnosed with depression?") == [one.text]
    assert await told(confide, "depression", "group:friends") == []
    assert await told(confide, "who keeps bees?") == []


async def test_editing_never_makes_a_memory_less_careful(confide: Confide) -> None:
    id = await doubtful(confide, "I was diagnosed with depression", place="group:friends")
    await confide.review.edit(id, "I keep bees", actor=AS_ALICE)
    await confide.review.approve(id, actor=AS_ALICE)
    assert await told(confide, "who keeps bees?", "group:friends") == []


async def test_words_that_a_reviewer_took_out_are_not_shown_as_evidence(
    confide: Confide, clock
) -> None:
    await confide.observe(
        Message(
            id="m1",
            place=Place(id="dm:human:alice", kind=PlaceKind.DIRECT),
            speaker=ALICE,
            text="Remember that my passport number is X1234567 and I keep bees.",
            said_at=clock(),
        )
    )
    await confide.learning.learn(is_everything=True)
    for one in await confide.review.waiting(actor=AS_ALICE):
        await confide.review.edit(one.id, "I keep bees", actor=AS_ALICE)
        await confide.review.approve(one.id, actor=AS_ALICE)
    found = await confide.recall("who keeps bees?", audience("human:alice", "dm"))
    assert found.memories
    assert "X1234567" not in str(found)


@pytest.mark.req("P6")
async def test_editing_into_what_is_known_leaves_one(confide: Confide) -> None:
    await confide.remember(statement("I keep bees", by="human:alice", place="dm"))
    id = await doubtful(confide, "I maybe keep bees")
    edited = await confide.review.edit(id, "I keep bees", actor=AS_ALICE)
    assert edited.status is Status.SUPERSEDED
    assert await told(confide) == ["I keep bees"]


@pytest.mark.req("P4", "P6")
async def test_what_is_approved_replaces_what_it_contradicts(confide: Confide, clock) -> None:
    old = await confide.remember(statement("I live in Paris", by="human:alice", place="dm"))
    clock.advance(days=1)
    new = await doubtful(confide, "I live in Rome")
    assert await told(confide, "where do I live?") == ["I live in Paris"]
    await confide.review.approve(new, actor=AS_ALICE)
    assert await told(confide, "where do I live?") == ["I live in Rome"]
    entries = await confide.trail.log(actor=OPERATOR, memory_id=old.id)
    assert "superseded" in {one.action for one in entries}


async def test_what_is_approved_late_does_not_replace_what_was_said_since(
    confide: Confide, clock
) -> None:
    old = await doubtful(confide, "I live in Paris")
    clock.advance(days=1)
    await confide.remember(statement("I live in Rome", by="human:alice", place="dm"))
    assert (await confide.review.approve(old, actor=AS_ALICE)).status is Status.SUPERSEDED
    assert await told(confide, "where do I live?") == ["I live in Rome"]


@pytest.mark.req("P6")
async def test_moving_only_narrows(confide: Confide) -> None:
    id = await doubtful(confide, place="public:general@guild")
    for scope in (Scope.GLOBAL, Scope.PUBLIC, Scope.GUILD_PUBLIC, Scope.GROUP):
        with pytest.raises(InvalidInput, match="scope"):
            await confide.review.move(id, actor=AS_ALICE, scope=scope)
    with pytest.raises(InvalidInput):
        await confide.review.move(id, actor=AS_ALICE)
    moved = await confide.review.move(id, actor=AS_ALICE, scope=Scope.DM)
    assert moved.status is Status.PENDING
    await confide.review.approve(id, actor=AS_ALICE)
    assert await told(confide, place="public:general@guild") == []
    assert await told(confide) == ["I keep bees"]


@pytest.mark.req("P6")
async def test_a_memory_moves_into_a_namespace_and_is_told_there(confide: Confide) -> None:
    id = await doubtful(confide)
    await confide.review.move(id, actor=AS_ALICE, namespace=Namespace("thesis"))
    await confide.review.approve(id, actor=AS_ALICE)
    assert await told(confide) == []
    inside = await confide.recall(
        "who keeps bees?", audience("human:alice", "dm", namespace="thesis")
    )
    assert len(inside.memories) == 1


async def test_only_its_owner_moves_a_memory_out_of_a_namespace(open_confide) -> None:
    async with open_confide(**REVIEWED) as confide:
        id = await doubtful(confide, namespace="thesis")
        deeper, elsewhere = Namespace("thesis", "paper:1"), Namespace("work")
        await confide.review.move(id, actor=AS_BOB, namespace=deeper)
        with pytest.raises(InvalidInput, match="namespace"):
            await confide.review.move(id, actor=AS_BOB, namespace=elsewhere)
        await confide.review.move(id, actor=AS_ALICE, namespace=elsewhere)


@pytest.mark.req("P6")
async def test_many_are_decided_on_at_once_and_one_refusal_stops_no_other(confide: Confide) -> None:
    ids = [await doubtful(confide, f"I own {n} bees") for n in range(5)]
    gone = uuid.uuid4()
    results = await confide.review.each(
        [*ids[:3], gone, *ids[3:]], lambda id: confide.review.approve(id, actor=AS_ALICE)
    )
    assert [isinstance(one, NotFound) for one in results] == [False] * 3 + [True] + [False] * 2
    assert await confide.review.waiting(actor=AS_ALICE) == []


async def test_what_expired_while_it_waited_is_no_longer_asked_about(
    confide: Confide, clock
) -> None:
    id = await doubtful(confide, "I am at the lake", kind="observation")
    clock.advance(days=4)
    assert await confide.review.waiting(actor=AS_ALICE) == []
    with pytest.raises(NotFound):
        await confide.review.approve(id, actor=AS_ALICE)


@pytest.mark.req("S5", "P6")
async def test_with_confirm_a_fact_is_told_here_and_waits_for_everywhere(
    open_confide, clock
) -> None:
    async with open_confide(promotion="confirm", **REVIEWED) as confide:
        place = Place(id="general@guild", kind=PlaceKind.PUBLIC, space="guild")
        await confide.observe(
            Message(
                id="m1",
                place=place,
                speaker=ALICE,
                text="My in-game name is UrbanKnight.",
                said_at=clock(),
            )
        )
        await confide.learning.learn(is_everything=True)
        assert await told(confide, "what is my in-game name?", "public:general@guild")
        (one,) = await confide.review.waiting(actor=AS_ALICE)
        assert (one.reason, one.scope) == (Reason.EVERYWHERE, Scope.GLOBAL)
        for actor in (AS_BOB, OPERATOR):
            with pytest.raises(InvalidInput, match="human:alice"):
                await confide.review.approve(one.id, actor=actor)
        elsewhere = audience("human:alice", "public:other@club")
        assert not (await confide.recall("what is my in-game name?", elsewhere)).memories
        await confide.review.approve(one.id, actor=AS_ALICE)
        assert (await confide.recall("what is my in-game name?", elsewhere)).memories
        assert await confide.learning.deleted("m1")
        assert not (await confide.recall("what is my in-game name?", elsewhere)).memories


async def test_an_insight_is_listed_and_decided_on_elsewhere(confide: Confide) -> None:
    source = (
        await confide.remember(
            statement("I quit my job on 3 May 2024", by="human:alice", place="dm")
        )
    ).id
    made = await confide.insights.generalize(
        [source], "Some people quit on 3 May 2024", actor=AS_ALICE
    )
    waiting = await confide.review.waiting(actor=OPERATOR)
    assert [one.id for one in waiting if one.is_insight] == [made.id]
    with pytest.raises(InvalidInput, match="insight"):
        await confide.review.approve(made.id, actor=OPERATOR)


@pytest.mark.req("P6")
async def test_a_correction_waits_where_there_are_reviewers(open_confide) -> None:
    async with open_confide(**REVIEWED) as confide:
        id = (await confide.remember(statement("I keep bees", by="human:alice", place="dm"))).id
        made = await confide.rights.correct(id, "I keep wasps", actor=AS_ALICE)
        assert made.status is Status.PENDING
        assert await told(confide, "what do I keep?") == []
        await confide.review.approve(made.id, actor=AS_ALICE)
        assert await told(confide, "what do I keep?") == ["I keep wasps"]


async def test_a_reviewer_who_is_nobody_is_an_error_at_start(open_confide) -> None:
    with pytest.raises(InvalidInput, match="CONFIDE_REVIEWERS"):
        async with open_confide(reviewers="bob"):
            pass


@pytest.mark.req("P6", "B6")
async def test_what_only_its_owner_would_hear_its_owner_frees_and_no_reviewer_reads(
    open_confide,
) -> None:
    async with open_confide(**REVIEWED) as confide:
        id = await doubtful(confide)
        assert (await confide.review.show(id, actor=AS_BOB)).text is None
        with pytest.raises(InvalidInput):
            await confide.review.approve(id, actor=AS_BOB)
        through_key = Actor(ALICE, CallerKind.PERSONAL)
        with pytest.raises(OnlyAsked) as asked:
            await confide.review.approve(id, actor=through_key)
        assert await told(confide) == []
        await confide.consents.answer(asked.value.request, agrees=True, actor=AS_ALICE)
        assert await told(confide) == ["I keep bees"]


@pytest.mark.req("P6", "A6")
async def test_who_runs_the_chat_and_would_hear_it_frees_what_waits_there(confide: Confide) -> None:
    room = parse_place("group:garden", BOB)
    await confide.world.join(room, ALICE, BOB, CARLA)
    id = await heard_by_others(confide)
    for outsider in (AS_BOB, OPERATOR, AS_ALICE):
        with pytest.raises((InvalidInput, NotFound)):
            await confide.review.approve(id, actor=outsider)
    await confide.world.assign(Entity("role", "garden/admin"), BOB)
    with pytest.raises(NotFound):
        await confide.review.approve(id, actor=Actor(BOB, CallerKind.PERSONAL))
    assert (await confide.review.show(id, actor=AS_BOB)).text == "I keep bees"
    entry = (await confide.trail.log(actor=AS_ALICE, memory_id=id))[0]
    assert entry.action == "read by a reviewer", "its owner sees that somebody read it"
    await confide.review.approve(id, actor=AS_BOB)
    assert await told(confide, place="group:garden") == ["I keep bees"]


@pytest.mark.req("P6")
async def test_without_anybody_else_its_owner_narrows_it_and_frees_it(confide: Confide) -> None:
    id = await heard_by_others(confide)
    with pytest.raises(InvalidInput, match="move it to dm"):
        await confide.review.approve(id, actor=AS_ALICE)
    await confide.review.move(id, actor=AS_ALICE, scope=Scope.DM)
    await confide.review.approve(id, actor=AS_ALICE)
    assert await told(confide) == ["I keep bees"]


@pytest.mark.req("K6", "B6")
async def test_a_memory_for_everyone_waits_unless_the_command_line_made_it(open_confide) -> None:
    for_all: dict[str, Any] = {
        "by": "human:alice", "place": "dm", "access": ["*"], "consent": ["human:alice"],
    }  # fmt: skip
    async with open_confide(broadcast="review", **REVIEWED) as confide:
        held = await confide.remember(statement("Bees swarm in May", **for_all))
        assert held.status is Status.PENDING
        on_platform = Actor(ALICE, CallerKind.PLATFORM)
        also = await confide.remember(
            statement("Bees sleep at night", **for_all), actor=on_platform
        )
        assert also.status is Status.PENDING
        at_once = await confide.remember(statement("Bees dance", **for_all), actor=AS_ALICE)
        assert at_once.status is Status.APPROVED
        await confide.review.approve(held.id, actor=AS_BOB)
    async with open_confide(broadcast="allow") as confide:
        told_now = await confide.remember(statement("Bees drink", **for_all))
        assert told_now.status is Status.APPROVED
