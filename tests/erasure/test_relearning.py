"""What was forgotten is not learned again, unless its owner asks for it outright."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

import pytest
from tests.conftest import Opened
from tests.learn.speaking import Verbatim, learn, say

from confide import Confide, operator_as, statement
from confide.model import Fact, Message
from confide.privacy import atoms
from confide.privacy.places import parse_place
from confide.store.ledger import gist

from .conftest import BOB, GROUP, ZED, found_in, told

AS_ZED = operator_as(ZED)
FACT = "I have two quokkas"


async def forgotten(confide: Confide) -> None:
    kept = await confide.remember(statement(FACT, by=ZED, place="dm"))
    await confide.forget(kept.id, actor=AS_ZED, now=True)


@pytest.mark.req("B5")
@pytest.mark.parametrize("said", [FACT, "I really have two quokkas", "Quokkas, I have two"])
async def test_a_forgotten_fact_is_not_learned_again_however_it_is_put(
    confide: Confide, said: str
) -> None:
    await forgotten(confide)
    await say(confide, said, by="human:zed")
    await say(confide, "I like figs", by="human:zed")
    await learn(confide)
    assert {one.text for one in await confide.memories(ZED)} == {"I like figs"}


@pytest.mark.req("B5")
async def test_the_opposite_of_a_forgotten_fact_and_other_peoples_are_learned(
    confide: Confide,
) -> None:
    await forgotten(confide)
    await say(confide, "I do not have two quokkas", by="human:zed")
    await say(confide, FACT, by="human:bob")
    await learn(confide)
    assert {one.text for one in await confide.memories(ZED)} == {"I do not have two quokkas"}
    assert {one.text for one in await confide.memories(BOB)} == {FACT}


@pytest.mark.req("B5")
async def test_remembering_outright_lifts_it(confide: Confide) -> None:
    await forgotten(confide)
    again = await confide.remember(statement(FACT, by=ZED, place="dm"))
    assert again.is_new
    await say(confide, "Quokkas, I have two", by="human:zed", place=GROUP)
    await learn(confide)
    assert await told(confide, "quokkas?", ZED, GROUP)


@pytest.mark.req("B5")
async def test_asking_in_a_message_to_remember_it_lifts_it(confide: Confide) -> None:
    await forgotten(confide)
    await say(confide, "Remember that I have two quokkas", by="human:zed")
    await learn(confide)
    assert await told(confide, "quokkas?")


@pytest.mark.req("B5")
async def test_somebody_elses_remembering_lifts_only_their_own(confide: Confide) -> None:
    await forgotten(confide)
    await confide.remember(statement(FACT, by=BOB, place="dm"))
    await say(confide, FACT, by="human:zed")
    await learn(confide)
    assert await told(confide, "quokkas?") == set()


@pytest.mark.req("B5", "A6")
async def test_what_its_subject_forgot_is_not_learned_again_from_others(confide: Confide) -> None:
    about = statement("Zed has two quokkas", by=BOB, place=GROUP, about=[ZED], present=[ZED])
    kept = await confide.remember(about)
    await confide.forget(kept.id, actor=AS_ZED, now=True)
    fields = {"by": "human:bob", "place": GROUP, "present": ["human:zed"]}
    await say(confide, "Zed has two quokkas", **fields)
    await learn(confide, subjects=("Zed",))
    assert await found_in(confide, "Zed has") == {"message": 1}


@pytest.mark.req("B5")
async def test_a_message_that_was_erased_is_not_taken_again(confide: Confide) -> None:
    await say(confide, FACT, by="human:zed", id="m-1")
    await confide.erasure.person(ZED, actor=AS_ZED, now=True)
    again = await say(confide, FACT, by="human:zed", id="m-1")
    assert not again.is_kept


@pytest.mark.req("B5")
async def test_undoing_a_soft_delete_lets_it_be_learned_again(confide: Confide) -> None:
    kept = await confide.remember(statement(FACT, by=ZED, place="dm"))
    await confide.forget(kept.id, actor=AS_ZED)
    await say(confide, FACT, by="human:zed", place=GROUP)
    await learn(confide)
    assert await told(confide, "quokkas?", ZED, GROUP) == set()
    await confide.restore(kept.id, actor=AS_ZED)
    await say(confide, FACT, by="human:zed", place=GROUP)
    await learn(confide)
    assert await told(confide, "quokkas?", ZED, GROUP) == {FACT}


def test_the_gist_of_a_fact_is_its_content_words_and_whether_they_are_denied() -> None:
    assert gist("I have two quokkas") == gist("Quokkas: I have TWO!")
    assert gist("I like tea") != gist("I don't like tea")
    assert gist("I like tea") != gist("I like coffee")
    assert gist("a") != gist("the")


class Slow:
    """An extractor during whose work somebody wants to be forgotten."""

    version = "slow-1"

    def __init__(self, meanwhile: Callable[[], Awaitable[object]]) -> None:
        self._meanwhile = meanwhile

    async def extract(self, messages: Sequence[Message]) -> list[Fact]:
        await self._meanwhile()
        return Verbatim().extract(messages)


@pytest.mark.req("B5")
@pytest.mark.parametrize("by", ["the person", "the room", "everything"])
async def test_what_is_being_learned_while_it_is_erased_is_not_kept(
    confide: Confide, by: str
) -> None:
    for who in ("human:zed", "human:bob"):
        await say(confide, FACT, by=who, place=GROUP)

    async def forget() -> None:
        erasure = confide.erasure
        if by == "the person":
            await erasure.person(ZED, actor=AS_ZED, now=True)
        elif by == "the room":
            await erasure.place(parse_place(GROUP, ZED), actor=operator_as(), now=True)
        else:
            await erasure.everything(actor=operator_as(), now=True)

    await confide.learning.make_due()
    await confide.learning.worker(extractor=Slow(forget)).drain()
    await learn(confide)
    left = {one.text for one in await confide.memories(BOB)}
    assert await confide.memories(ZED) == ()
    assert left == ({FACT} if by == "the person" else set())


@pytest.mark.req("B5", "K9")
async def test_a_stack_of_another_agent_does_not_bring_it_back(
    open_confide: Opened, agent: str
) -> None:
    async with open_confide() as giver, open_confide(agent=f"{agent}b") as taker:
        to = taker.database.agent_entity
        kept = await giver.remember(statement(FACT, by=ZED, place="dm"))
        await giver.consents.share(kept.id, atoms.entity(to), actor=AS_ZED)
        for expected in (1, 0):
            written, _ = await giver.stacks.export(to, actor=operator_as())
            assert (await taker.stacks.load(written, actor=operator_as())).kept == expected
            await taker.erasure.person(ZED, actor=operator_as(), now=True)
            assert await found_in(taker, "quokkas") == {}
