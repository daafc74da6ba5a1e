"""Asking about what others said of me: a queue with due dates, decisions and reasons."""

from __future__ import annotations

import uuid
from datetime import timedelta

import pytest
from tests.cli.conftest import Ask, Run
from tests.conftest import Clock

from confide import Confide, Entity, audience, operator_as, statement
from confide.errors import InvalidInput, NotFound, SecretRefused
from confide.keep.data_requests import MOST_OPEN, Wanted
from confide.keep.requesting import Wish
from confide.privacy import atoms
from confide.privacy.places import parse_place
from confide.testing import assert_told, assert_withheld, in_private

ALICE, BOB, MIA, KID = (Entity("human", name) for name in ("alice", "bob", "mia", "kid"))
OPERATOR = operator_as()


async def about_bob(confide: Confide, text: str = "Bob hates olives", place: str = "group:g"):
    await confide.world.join(parse_place("group:g", ALICE), ALICE, BOB, MIA)
    return await confide.remember(statement(text, by=ALICE, place=place, about=[BOB]))


def in_group(who: Entity):
    return audience(who, "group:g")


async def asked(confide: Confide, what: Wanted, who: Entity = BOB, **more: object):
    return await confide.data_requests.ask(what, who, actor=operator_as(who), **more)


@pytest.mark.req("S21", "A6")
async def test_an_objection_that_is_granted_leaves_it_to_whoever_said_it(confide: Confide) -> None:
    said = await about_bob(confide)
    request = await asked(confide, Wanted.OBJECT, memory_id=said.id, wanted="not funny")
    assert request.due_at - request.asked_at == timedelta(days=30)
    await assert_told(confide, said.id, in_group(MIA))
    done = await confide.data_requests.answer(
        request.id, grants=True, reason="he is right", actor=OPERATOR
    )
    assert (done.is_granted, done.reason) == (True, "he is right")
    await assert_withheld(confide, said.id, in_group(MIA))
    await assert_told(confide, said.id, in_private(ALICE))


@pytest.mark.req("S21")
async def test_a_granted_objection_outlives_opting_out_and_in(confide: Confide) -> None:
    said, other = await about_bob(confide), await about_bob(confide, "Bob paints")
    request = await asked(confide, Wanted.OBJECT, memory_id=said.id)
    await confide.data_requests.answer(request.id, grants=True, reason="yes", actor=OPERATOR)
    await confide.rights.opt_out(BOB, actor=operator_as(BOB))
    await confide.rights.opt_in(BOB, actor=operator_as(BOB))
    await assert_withheld(confide, said.id, in_group(MIA))
    await assert_told(confide, other.id, in_group(MIA))


@pytest.mark.req("S21", "S28")
@pytest.mark.parametrize("is_about_one", [True, False])
async def test_a_granted_objection_holds_for_a_corrected_version(
    confide: Confide, clock: Clock, is_about_one: bool
) -> None:
    said = await about_bob(confide)
    request = await asked(confide, Wanted.OBJECT, memory_id=said.id if is_about_one else None)
    await confide.data_requests.answer(request.id, grants=True, reason="yes", actor=OPERATOR)
    clock.advance(hours=1)
    new = await confide.rights.correct(said.id, "Bob hates figs", actor=operator_as(ALICE))
    await confide.rights.opt_out(BOB, actor=operator_as(BOB))
    await confide.rights.opt_in(BOB, actor=operator_as(BOB))
    await assert_withheld(confide, new.id, in_group(MIA))
    await assert_told(confide, new.id, in_private(ALICE))


@pytest.mark.req("S21", "K11")
async def test_no_consent_given_before_relaxes_an_opt_out(confide: Confide) -> None:
    """Both agreed that Dan may hear it; then Bob wanted not to be talked about."""
    dan = Entity("human", "dan")
    said = await about_bob(confide, "Bob paints", "dm")
    await confide.consents.ask(said.id, Wish(grantee=atoms.entity(dan)), actor=operator_as(ALICE))
    for who in (ALICE, BOB):
        await confide.consents.share(said.id, atoms.entity(dan), actor=operator_as(who))
    await assert_told(confide, said.id, in_private(dan))
    await confide.rights.opt_out(BOB, actor=operator_as(BOB))
    await assert_withheld(confide, said.id, in_private(dan))
    await assert_told(confide, said.id, in_private(ALICE))
    await confide.rights.opt_in(BOB, actor=operator_as(BOB))
    await assert_told(confide, said.id, in_private(dan))


@pytest.mark.req("S21", "P10")
async def test_what_is_granted_to_be_erased_is_gone(confide: Confide) -> None:
    said, private = await about_bob(confide), await about_bob(confide, "Bob snores", "dm")
    own = await confide.remember(statement("I paint", by=BOB, place="dm"))
    request = await asked(confide, Wanted.ERASE)
    await confide.data_requests.answer(request.id, grants=True, reason="yes", actor=OPERATOR)
    for one in (said, private):
        with pytest.raises(NotFound):
            await confide.explain(one.id, in_private(ALICE))
    await assert_told(confide, own.id, in_private(BOB))


@pytest.mark.req("S21", "A13")
async def test_a_granted_correction_takes_the_place_of_what_was_said(confide: Confide) -> None:
    said = await about_bob(confide)
    request = await asked(confide, Wanted.CORRECT, memory_id=said.id, wanted="Bob loves olives")
    await confide.data_requests.answer(request.id, grants=True, reason="yes", actor=OPERATOR)
    await assert_withheld(confide, said.id, in_group(MIA))
    await assert_told(confide, "does bob like olives?", in_group(MIA), text="loves")


@pytest.mark.req("S21")
async def test_what_is_refused_changes_nothing_and_says_why(confide: Confide) -> None:
    said = await about_bob(confide)
    for what, wanted in ((Wanted.OBJECT, None), (Wanted.ERASE, None), (Wanted.CORRECT, "x y z")):
        request = await asked(confide, what, memory_id=said.id, wanted=wanted)
        await confide.data_requests.answer(
            request.id, grants=False, reason="it is needed", actor=OPERATOR
        )
        with pytest.raises(NotFound):
            await confide.data_requests.answer(
                request.id, grants=True, reason="again", actor=OPERATOR
            )
    await assert_told(confide, said.id, in_group(MIA))
    mine = await confide.data_requests.list(BOB, actor=operator_as(BOB), with_answered=True)
    assert {one.reason for one in mine} == {"it is needed"}
    assert await confide.data_requests.list(BOB, actor=operator_as(BOB)) == []


@pytest.mark.req("S21", "K15")
async def test_a_request_tells_no_more_than_the_audit_of_access(confide: Confide) -> None:
    """About a memory of others that is not about Bob, and about one that does not exist."""
    hidden = await confide.remember(statement("Mia is pregnant", by=ALICE, place="dm", about=[MIA]))
    own = await confide.remember(statement("I paint", by=BOB, place="dm"))
    for id in (hidden.id, uuid.uuid4(), own.id):
        request = await asked(confide, Wanted.ERASE, memory_id=id)
        assert request.memory_id == id
        await confide.data_requests.answer(request.id, grants=True, reason="yes", actor=OPERATOR)
    await assert_told(confide, hidden.id, in_private(ALICE))
    await assert_told(confide, own.id, in_private(BOB))
    with_something = await asked(confide, Wanted.ACCESS)
    with_nothing = await asked(confide, Wanted.ACCESS, Entity("human", "unknown"))
    fields = ("what", "memory_id", "wanted", "asked_at", "due_at", "is_granted", "reason")
    assert all(getattr(with_something, f) == getattr(with_nothing, f) for f in fields)


@pytest.mark.req("S21")
async def test_granting_access_tells_only_what_the_answer_says(confide: Confide) -> None:
    hidden = await about_bob(confide, "Bob snores canary", "dm")
    request = await asked(confide, Wanted.ACCESS)
    await confide.data_requests.answer(
        request.id, grants=True, reason="Somebody mentioned your sleep", actor=OPERATOR
    )
    await assert_withheld(confide, hidden.id, in_private(BOB))
    export = await confide.rights.export(BOB, actor=operator_as(BOB))
    everything = b"".join(export.files.values()).decode()
    assert "your sleep" in everything
    assert "canary" not in everything


@pytest.mark.req("S21", "K17")
async def test_people_ask_for_themselves_and_only_the_operator_answers(confide: Confide) -> None:
    said = await about_bob(confide)
    with pytest.raises(InvalidInput):
        await confide.data_requests.ask(
            Wanted.ERASE, BOB, actor=operator_as(ALICE), memory_id=said.id
        )
    request = await asked(confide, Wanted.ERASE, memory_id=said.id)
    for actor in (operator_as(BOB), operator_as(ALICE)):
        with pytest.raises(InvalidInput):
            await confide.data_requests.answer(request.id, grants=True, reason="mine", actor=actor)
    with pytest.raises(InvalidInput):
        await confide.data_requests.list(BOB, actor=operator_as(ALICE))
    with pytest.raises(InvalidInput):
        await confide.data_requests.list(actor=operator_as(ALICE))
    await assert_told(confide, said.id, in_group(MIA))


@pytest.mark.req("S21", "A5")
async def test_a_childs_guardian_asks_for_it(confide: Confide) -> None:
    said = await confide.remember(statement("Kid can read", by=ALICE, place="dm", about=[KID]))
    await confide.people.appoint_guardian(KID, MIA, actor=OPERATOR)
    with pytest.raises(InvalidInput, match="guardian"):
        await asked(confide, Wanted.ERASE, KID, memory_id=said.id)
    request = await confide.data_requests.ask(
        Wanted.ERASE, KID, actor=operator_as(MIA), memory_id=said.id
    )
    await confide.data_requests.answer(request.id, grants=True, reason="yes", actor=OPERATOR)
    await assert_withheld(confide, said.id, in_private(ALICE))


@pytest.mark.req("S21")
async def test_the_same_request_is_one_and_nobody_floods_the_queue(confide: Confide) -> None:
    first, second = await asked(confide, Wanted.ACCESS), await asked(confide, Wanted.ACCESS)
    assert first.id == second.id
    for n in range(MOST_OPEN - 1):
        await asked(confide, Wanted.ACCESS, wanted=f"reason {n}")
    with pytest.raises(InvalidInput, match="wait already"):
        await asked(confide, Wanted.ACCESS, wanted="one more")
    assert await asked(confide, Wanted.ACCESS, MIA)


@pytest.mark.req("S21", "A14")
async def test_bad_requests_change_nothing(confide: Confide) -> None:
    said = await about_bob(confide)
    with pytest.raises(InvalidInput):
        await asked(confide, Wanted.CORRECT, memory_id=said.id)
    with pytest.raises(InvalidInput):
        await asked(confide, Wanted.CORRECT, wanted="x")
    with pytest.raises(SecretRefused):
        await asked(confide, Wanted.ACCESS, wanted="my key AKIAIOSFODNN7EXAMPLQ")
    assert await confide.data_requests.list(actor=OPERATOR, with_answered=True) == []


@pytest.mark.req("S21")
async def test_what_is_overdue_is_listed_first(confide: Confide, clock: Clock) -> None:
    late = await asked(confide, Wanted.ACCESS)
    clock.advance(days=31)
    await asked(confide, Wanted.ACCESS, MIA)
    queue = await confide.data_requests.list(actor=OPERATOR)
    assert [one.is_overdue(clock.now) for one in queue] == [True, False]
    assert queue[0].id == late.id


@pytest.mark.req("S21")
def test_the_command_line_asks_lists_and_answers(ask: Ask, run: Run) -> None:
    place = ["--in", "group:g", "--with", "human:bob"]
    said = ask(
        "remember", "Bob hates olives", "--by", "human:alice", "--about", "human:bob", *place
    )
    asked = ask("request", "erase", "--as", "human:bob", "--memory", said["id"])
    assert [one["id"] for one in ask("request", "list")["requests"]] == [asked["id"]]
    done = ask("request", "answer", asked["id"], "--grant", "--reason", "he is right")
    assert (done["granted"], done["reason"]) == (True, "he is right")
    again = run("request", "answer", asked["id"], "--grant", "--reason", "again")
    assert again.exit_code == 1
    listed = ask("request", "list", "--as", "human:bob", "--all")
    assert listed["requests"][0]["reason"] == "he is right"
    assert run("request", "access", "--as", "human:bob").exit_code == 0
    assert run("request", "object", "--as", "human:bob").exit_code == 0
    shown = run("request", "list").stdout
    assert "all that others" in shown
