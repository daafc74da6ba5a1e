"""Asking for consent: left for those who have a say, answered by them and by nobody else."""

from __future__ import annotations

import pytest
from tests.cli.conftest import Ask, Run

from confide import Confide, Entity, audience, operator_as, statement
from confide.errors import ConsentMissing, InvalidInput, NotFound
from confide.keep.requesting import Wish
from confide.privacy import atoms
from confide.store.consents import About

ALICE, BOB, CAROL, KID, MUM = (
    Entity("human", name) for name in ("alice", "bob", "carol", "kid", "mum")
)
FOR_BOB = Wish(grantee=atoms.entity(BOB), reason="for the trip")


async def bees(confide: Confide, about: Entity = CAROL):
    said = statement("Carol keeps bees on the roof", by=ALICE, place="dm", about=[about])
    return (await confide.remember(said)).id


async def bob_hears(confide: Confide) -> bool:
    asked = audience(BOB, "dm")
    return bool((await confide.recall("who keeps bees on the roof?", asked)).memories)


@pytest.mark.req("K5", "K6")
async def test_access_without_consent_is_refused_and_names_those_to_ask(confide: Confide) -> None:
    said = statement(
        "Carol keeps bees",
        by=ALICE,
        place="dm",
        about=[CAROL],
        access=["human:bob"],
        consent=[ALICE],
    )
    with pytest.raises(ConsentMissing, match="human:carol"):
        await confide.remember(said)


@pytest.mark.req("K5", "K6", "B11")
@pytest.mark.parametrize("consent", [[ALICE], [ALICE, CAROL], [ALICE, MUM]])
async def test_whether_access_is_taken_says_nothing_of_what_others_agreed_to(
    confide: Confide, consent: list[Entity]
) -> None:
    """Not who agreed before, and not who confirms for whom. Who hears it depends on both."""
    said = {"by": ALICE, "place": "dm", "about": [CAROL], "access": [BOB], "consent": consent}
    answers: list[str] = []
    for text in ("Carol keeps bees", "Carol sells honey"):
        try:
            done = await confide.remember(statement(text, **said))
            answers.append(f"{done.status} {done.is_new} {done.waits_because}")
        except ConsentMissing as missing:
            answers.append(str(missing))
        if len(answers) == 1:
            await confide.people.appoint_guardian(CAROL, MUM, actor=operator_as())
            given = confide.consents.agreement(CAROL, atoms.entity(BOB))
            await confide.consents.give(given, About(subject=CAROL), actor=operator_as(MUM))
    assert answers[0] == answers[1]
    assert ("consent of human:carol" in answers[0]) is (CAROL not in consent)


@pytest.mark.req("K5", "K11")
async def test_a_request_changes_nothing_until_everyone_with_a_say_agreed(confide: Confide) -> None:
    id = await bees(confide)
    await confide.consents.share(id, atoms.entity(BOB), actor=operator_as(ALICE))
    (request,) = await confide.consents.ask(id, FOR_BOB, actor=operator_as(ALICE))
    assert request.grantor == CAROL
    assert not await bob_hears(confide)
    (waiting,) = await confide.consents.requests(CAROL)
    assert (waiting.id, waiting.asked_by, waiting.wish.reason) == (
        request.id, "human:alice", "for the trip",
    )  # fmt: skip
    assert await confide.consents.requests(BOB) == []
    await confide.consents.answer(request.id, agrees=True, actor=operator_as(CAROL))
    assert await bob_hears(confide)
    assert await confide.consents.requests(CAROL) == []


@pytest.mark.req("K11")
async def test_a_no_leaves_everything_as_it_was_and_is_final(confide: Confide) -> None:
    id = await bees(confide)
    (request,) = await confide.consents.ask(id, FOR_BOB, actor=operator_as(ALICE))
    assert await confide.consents.answer(request.id, agrees=False, actor=operator_as(CAROL)) is None
    with pytest.raises(NotFound):
        await confide.consents.answer(request.id, agrees=True, actor=operator_as(CAROL))
    assert not await bob_hears(confide)


@pytest.mark.req("K11")
async def test_nobody_answers_for_somebody_else_and_the_request_stays(confide: Confide) -> None:
    id = await bees(confide)
    (request,) = await confide.consents.ask(id, FOR_BOB, actor=operator_as(ALICE))
    for stranger in (BOB, ALICE, None):
        with pytest.raises(NotFound):
            await confide.consents.answer(request.id, agrees=True, actor=operator_as(stranger))
    assert len(await confide.consents.requests(CAROL)) == 1


@pytest.mark.req("K11", "A5")
async def test_a_childs_request_is_answered_by_its_guardian(confide: Confide) -> None:
    await confide.people.appoint_guardian(KID, MUM, actor=operator_as())
    id = await bees(confide, about=KID)
    await confide.consents.share(id, atoms.entity(BOB), actor=operator_as(ALICE))
    (request,) = await confide.consents.ask(id, FOR_BOB, actor=operator_as(ALICE))
    assert [one.id for one in await confide.consents.requests(MUM)] == [request.id]
    with pytest.raises(NotFound):
        await confide.consents.answer(request.id, agrees=True, actor=operator_as(KID))
    await confide.consents.answer(request.id, agrees=True, actor=operator_as(MUM))
    assert await bob_hears(confide)


@pytest.mark.req("K15")
async def test_asking_about_a_memory_one_knows_nothing_of_finds_nothing(confide: Confide) -> None:
    id = await bees(confide)
    for who in (BOB, CAROL):  # Carol has a say, but who told it is not for her to find out
        with pytest.raises(NotFound):
            await confide.consents.ask(id, FOR_BOB, actor=operator_as(who))
    with pytest.raises(InvalidInput, match="human:bob"):
        await confide.consents.ask(id, FOR_BOB, actor=operator_as(ALICE), of=frozenset({BOB}))


@pytest.mark.req("K5", "K6", "K11", "K15")
def test_the_whole_way_on_the_command_line(ask: Ask, run: Run) -> None:
    said = ("Carol keeps bees", "--by", "human:alice", "--in", "dm", "--about", "human:carol")
    refused = run("remember", *said, "--access", "human:bob", "--consent", "human:alice")
    assert refused.exit_code == 2
    assert "human:carol" in refused.stderr
    id = ask("remember", *said)["id"]
    bob_asks = ("recall", "who keeps bees?", "--as", "human:bob", "--in", "dm")
    shared = ask("share", id, "--with", "human:bob", "--as", "human:alice", "--for", "2w")
    asked = ask("consent", "ask", id, "--with", "human:bob", "--as", "human:alice")
    assert [one["grantor"] for one in asked["requests"]] == ["human:carol"]
    assert not ask(*bob_asks)["memories"]
    (waiting,) = ask("consent", "requests", "--as", "human:carol")["requests"]
    ask("consent", "answer", waiting["id"], "--yes", "--as", "human:carol")
    assert ask(*bob_asks)["memories"]
    (given,) = ask("consent", "list", "--as", "human:carol")["consents"]
    assert (given["grantee"], given["about"]) == ("human:bob", f"memory {id}")
    ask("consent", "withdraw", given["id"], "--as", "human:carol")
    assert not ask(*bob_asks)["memories"]
    assert ask("consent", "list", "--as", "human:carol")["consents"][0]["revoked_at"]
    assert ask("unshare", id, "--with", "human:bob", "--as", "human:alice")["withdrawn"] == [
        shared["consent"]
    ]


@pytest.mark.req("S21")
def test_opting_out_and_in_on_the_command_line(ask: Ask, run: Run) -> None:
    ask("remember", "I keep bees", "--by", "human:alice", "--in", "dm")
    assert ask("privacy", "status", "--as", "human:alice")["opted_out"] is False
    assert ask("privacy", "opt-out", "--as", "human:alice")["opted_out"] is True
    assert ask("memories", "--as", "human:alice")["count"] == 0
    assert run("remember", "I keep cats", "--by", "human:alice", "--in", "dm").exit_code == 2
    assert ask("privacy", "opt-out", "--global", "--as", "human:alice")["global_only"] is True
    assert ask("memories", "--as", "human:alice")["count"] == 1
    assert ask("privacy", "opt-in", "--as", "human:alice")["opted_out"] is False
