"""Contexts: entered with others, as something, and left; what is said there belongs there."""

from __future__ import annotations

import pytest
from tests.cli.conftest import Ask, Run

from confide import Actor, CallerKind, Confide, Entity, audience, operator_as, statement
from confide.errors import InvalidInput, NotFound
from confide.privacy.places import parse_place

SEAN, VET, EVE = (Entity("human", name) for name in ("sean", "vet", "eve"))
HEALTH = parse_place("ctx:bella_health", SEAN)
GENERAL = parse_place("public:general@town", SEAN)
QUESTION = "how is Bella's heart?"


async def heart(confide: Confide) -> None:
    said = statement(
        "Bella has a weak heart",
        by=SEAN,
        place=HEALTH,
        about=["dog:bella"],
        sensitivity="sensitive",
    )
    await confide.remember(said)


async def hears(confide: Confide, who: Entity, *others: Entity) -> bool:
    asked = audience(who, HEALTH, present=others)
    return bool((await confide.recall(QUESTION, asked)).memories)


@pytest.mark.req("K10", "A8")
async def test_participants_hear_sensitive_facts_there_and_newcomers_do_not(
    confide: Confide,
) -> None:
    await confide.contexts.enter(HEALTH, VET, actor=operator_as(SEAN))
    await heart(confide)
    assert await hears(confide, VET)
    await confide.contexts.enter(HEALTH, EVE, actor=operator_as(SEAN))
    assert not await hears(confide, EVE)
    assert not await hears(confide, VET), "Eve would read along"
    await confide.contexts.leave(HEALTH, EVE, actor=operator_as(EVE))
    assert await hears(confide, VET)


@pytest.mark.req("K10")
async def test_whoever_leaves_hears_nothing_of_it_elsewhere(confide: Confide) -> None:
    await confide.contexts.enter(HEALTH, VET, actor=operator_as(SEAN))
    said = statement(
        "Bella's heart is checked on Monday", by=SEAN, place=HEALTH, sensitivity="public"
    )
    await confide.remember(said)
    alone = audience(VET, "dm")
    assert (await confide.recall("when is Bella's heart checked?", alone)).memories
    await confide.contexts.leave(HEALTH, VET, actor=operator_as(VET))
    assert not (await confide.recall("when is Bella's heart checked?", alone)).memories


@pytest.mark.req("K10", "K17")
async def test_nobody_lets_themselves_into_a_context_of_others(confide: Confide) -> None:
    await confide.contexts.enter(HEALTH, VET, actor=operator_as(SEAN))
    with pytest.raises(NotFound):
        await confide.contexts.enter(HEALTH, actor=Actor(EVE, CallerKind.PERSONAL))
    with pytest.raises(NotFound):
        await confide.contexts.show(HEALTH, actor=Actor(EVE, CallerKind.PERSONAL))
    with pytest.raises(InvalidInput, match="only human:vet"):
        await confide.contexts.leave(HEALTH, VET, actor=Actor(SEAN, CallerKind.PERSONAL))
    await confide.contexts.enter(HEALTH, EVE, actor=Actor(VET, CallerKind.PERSONAL))
    assert EVE in {
        one.entity
        for one in (await confide.contexts.show(HEALTH, actor=operator_as())).participants
    }


@pytest.mark.req("K10")
async def test_only_a_context_is_entered_and_only_by_individuals(confide: Confide) -> None:
    with pytest.raises(InvalidInput, match="no context"):
        await confide.contexts.enter(GENERAL, actor=operator_as(SEAN))
    with pytest.raises(InvalidInput, match="nobody in particular"):
        await confide.contexts.enter(HEALTH, Entity("role", "vet"), actor=operator_as(SEAN))
    await confide.contexts.leave(HEALTH, VET, actor=operator_as(VET))  # nothing to leave
    with pytest.raises(NotFound):
        await confide.contexts.show(HEALTH, actor=operator_as(VET))


@pytest.mark.req("K10")
def test_on_the_command_line(ask: Ask, run: Run, agent: str) -> None:
    me = f"si:{agent}"
    enter = ("context", "enter", "ctx:bella_health", "--with", "human:sean")
    entered = ask(*enter, "--as", me, "--role", "care_agent")
    roles = {one["entity"]: one["role"] for one in entered["participants"]}
    assert roles == {me: "care_agent", "human:sean": None}
    assert ask("context", "list", "--as", "human:sean")["count"] == 1
    assert ask("context", "list", "--as", "human:eve")["count"] == 0
    assert run("context", "show", "ctx:bella_health", "--as", "human:eve").exit_code == 1
    assert "as care_agent" in run("context", "show", "ctx:bella_health").stdout
    ask("context", "leave", "ctx:bella_health", "--as", "human:sean")
    left = ask("context", "show", "ctx:bella_health")["participants"]
    assert [one["entity"] for one in left] == [me]
