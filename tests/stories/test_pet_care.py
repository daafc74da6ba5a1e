"""Pet care: Bella's health is for those who care for her; at the dog park she likes balls (K19)."""

from __future__ import annotations

import pytest
from tests.cli.conftest import Ask

from confide import Confide, Entity, audience, operator_as, statement
from confide.privacy import atoms

SEAN, VET, DORA, SITTER = (Entity("human", name) for name in ("sean", "vet", "dora", "sitter"))
HEALTH, PARK = "ctx:bella_health", "ctx:dog_park"
HEART, BALLS = "Bella has a weak heart and takes pills", "Bella likes to chase tennis balls"
QUESTION = "how is Bella, her heart, and what does Bella like?"


@pytest.mark.req("K19", "K7", "K10", "A8")
async def test_the_story_in_python(confide: Confide) -> None:
    async def told(who: Entity, place: str, *others: Entity) -> set[str]:
        context = await confide.recall(QUESTION, audience(who, place, present=others))
        return {one.memory.text for one in context.memories}

    # Sean and the vet open a context for Bella's health; at the park Sean meets Dora.
    heart = await confide.remember(
        statement(HEART, by=SEAN, place=HEALTH, present=[VET], about=["dog:bella"],
                  sensitivity="sensitive")
    )  # fmt: skip
    await confide.remember(
        statement(BALLS, by=SEAN, place=PARK, present=[DORA], about=["dog:bella"],
                  kind="preference", sensitivity="public")
    )  # fmt: skip
    # In her care team the vet hears of her heart; at the park nobody does, not even if Sean asks.
    assert await told(VET, HEALTH, SEAN) == {HEART}
    assert await told(SEAN, PARK, DORA) == {BALLS}
    assert await told(DORA, PARK, SEAN) == {BALLS}
    # Alone with the agent Sean has both, Dora only what she was there for.
    assert await told(SEAN, "dm") == {HEART, BALLS}
    assert await told(DORA, "dm") == {BALLS}
    # Sean goes away for two weeks. A sitter joins the team and is told what she needs to know.
    assert HEART not in await told(SITTER, HEALTH, SEAN, VET)
    shared = await confide.consents.share(heart.id, atoms.entity(SITTER), actor=operator_as(SEAN))
    assert await told(SITTER, HEALTH, SEAN, VET) == {HEART}
    assert await told(SITTER, PARK, SEAN, DORA) == {BALLS}
    # Sean is back.
    await confide.consents.withdraw(shared.consent_id, actor=operator_as(SEAN))
    assert HEART not in await told(SITTER, HEALTH, SEAN, VET)
    assert await told(SITTER, "dm") == set(), "she was not there when it was said"


@pytest.mark.req("K19", "K14")
def test_the_story_on_the_command_line(ask: Ask) -> None:
    def told(who: str, place: str, *others: str) -> set[str]:
        present = [word for other in others for word in ("--with", other)]
        found = ask("recall", QUESTION, "--as", who, "--in", place, *present)
        return {one["text"] for one in found["memories"]}

    bella = ("--by", "human:sean", "--about", "dog:bella")
    ask("context", "enter", HEALTH, "--as", "human:sean", "--with", "human:vet")
    ask("context", "enter", PARK, "--as", "human:sean", "--with", "human:dora")
    heart = ask("remember", HEART, *bella, "--in", HEALTH, "--sensitivity", "sensitive")["id"]
    ask("remember", BALLS, *bella, "--in", PARK, "--sensitivity", "public")
    assert told("human:vet", HEALTH) == {HEART}
    assert told("human:sean", PARK) == {BALLS}
    ask("context", "enter", HEALTH, "--as", "human:sitter", "--role", "sitter")
    assert told("human:sitter", HEALTH) == set()
    ask("share", heart, "--with", "human:sitter", "--as", "human:sean", "--for", "2w")
    assert told("human:sitter", HEALTH) == {HEART}
    assert told("human:dora", PARK) == {BALLS}
    ask("unshare", heart, "--with", "human:sitter", "--as", "human:sean")
    ask("context", "leave", HEALTH, "--as", "human:sitter")
    assert told("human:sitter", "dm") == set()
    assert told("human:vet", HEALTH) == {HEART}
