"""School: a tutor learns a child's data; who else may know is for the parent to say (K19)."""

from __future__ import annotations

import pytest
from tests.cli.conftest import Ask, Run

from confide import Confide, Entity, audience, operator_as, statement
from confide.errors import InvalidInput
from confide.privacy import atoms
from confide.store.consents import About

KIM, SEAN, SPECIALIST = (Entity("human", name) for name in ("kid_123", "sean", "specialist"))
MATHS = Entity("si", "math_tutor")
PLAN = "ctx:student_123_academic"
QUESTION = "which letters does the child mix up when reading?"


@pytest.mark.req("K19", "K5", "K7", "K10", "K11")
async def test_the_story_in_python(confide: Confide) -> None:
    async def hears(who: Entity, place: str = PLAN) -> bool:
        others = [KIM, SEAN] if place == PLAN else []
        asked = audience(who, place, present=others)
        return bool((await confide.recall(QUESTION, asked)).memories)

    # Sean is Kim's father, and the school says so.
    await confide.people.appoint_guardian(KIM, SEAN, actor=operator_as())
    # In Kim's learning plan, with her father there, Kim tells the tutor where reading is hard.
    hard = statement(
        "I mix up the letters b and d when reading",
        by=KIM, place=PLAN, present=[SEAN], sensitivity="personal",
    )  # fmt: skip
    memory = await confide.remember(hard)
    assert await hears(KIM)
    # It does not leave the plan: not among other SIs, not in a chat with one, not to a stranger.
    assert not await hears(MATHS, "group:tutors")
    assert not await hears(MATHS, "dm")
    assert not await hears(SPECIALIST, "dm")
    # A reading specialist joins the plan. Being there is not enough.
    assert not await hears(SPECIALIST)
    # Kim would agree, but she is a child; her father has to.
    agreed = confide.consents.agreement(KIM, atoms.entity(SPECIALIST), where=atoms.place(PLAN))
    with pytest.raises(InvalidInput, match="guardian"):
        await confide.consents.give(agreed, About(origin=PLAN), actor=operator_as(KIM))
    given = await confide.consents.give(agreed, About(origin=PLAN), actor=operator_as(SEAN))
    assert await hears(SPECIALIST)
    # The consent was for the specialist in the plan, for nobody and nowhere else.
    assert not await hears(SPECIALIST, "group:tutors")
    assert not await hears(MATHS, "group:tutors")
    # Sean can see who knows, and take it back.
    known = await confide.access.audit(memory.id, actor=operator_as(KIM))
    assert {one.grantor for one in (c.consent for c in known.consents)} == {KIM}
    await confide.consents.withdraw(given.consent_id, actor=operator_as(SEAN))
    assert not await hears(SPECIALIST)


@pytest.mark.req("K19", "K14")
def test_the_story_on_the_command_line(ask: Ask, run: Run) -> None:
    kim, sean, specialist = "human:kid_123", "human:sean", "human:specialist"

    def hears(who: str, place: str = PLAN) -> bool:
        others = ("--with", kim, "--with", sean) if place == PLAN else ()
        return bool(ask("recall", QUESTION, "--as", who, "--in", place, *others)["memories"])

    ask("people", "guardian", kim, sean)
    ask("context", "enter", PLAN, "--as", kim, "--with", sean)
    ask("remember", "I mix up the letters b and d when reading", "--by", kim, "--in", PLAN,
        "--sensitivity", "personal")  # fmt: skip
    ask("context", "enter", PLAN, "--as", specialist, "--role", "reading_specialist")
    assert not hears(specialist)
    assert not hears("si:math_tutor", "group:tutors")
    consent = ("--said-in", PLAN, "--with", specialist, "--in", PLAN, "--of", kim)
    refused = run("consent", "give", *consent, "--as", kim)
    assert "guardian" in refused.stderr
    given = ask("consent", "give", *consent, "--as", sean, "--reason", "she helps with reading")
    assert hears(specialist)
    assert not hears("si:math_tutor", "group:tutors")
    ask("consent", "withdraw", given["consent"], "--as", sean)
    assert not hears(specialist)
