"""People: names and aliases open nothing, two identities become one only if both say so."""

from __future__ import annotations

import pytest
from tests.cli.conftest import Ask, Run

from confide import Actor, CallerKind, Confide, Entity, audience, operator_as, statement
from confide.errors import InvalidInput, NotAllowed, NotFound
from confide.model import Account
from confide.privacy import atoms

ALICE, BOB, SARAH, OTHER, KID, MUM = (
    Entity("human", name) for name in ("alice", "bob", "sarah", "discord.77", "kid", "mum")
)
QUESTION = "who keeps bees on the roof?"


async def bees(confide: Confide, by: Entity = SARAH, place: str = "dm", **more: object):
    return await confide.remember(statement("I keep bees on the roof", by=by, place=place, **more))


async def hears(confide: Confide, who: Entity, place: str = "dm") -> bool:
    return bool((await confide.recall(QUESTION, audience(who, place))).memories)


async def merged(confide: Confide, one: Entity = SARAH, other: Entity = OTHER):
    proposed = await confide.people.propose_merge(one, other, "same phone", actor=operator_as())
    for who in (one, other):
        await confide.people.confirm_merge(proposed.id, actor=operator_as(who))
    return proposed.id


@pytest.mark.req("A5")
async def test_two_identities_are_one_when_both_confirmed_it_and_two_again_after_a_split(
    confide: Confide,
) -> None:
    memory = await bees(confide)
    proposed = await confide.people.propose_merge(SARAH, OTHER, "same phone", actor=operator_as())
    assert not await hears(confide, OTHER)
    await confide.people.confirm_merge(proposed.id, actor=operator_as(OTHER))
    assert not await hears(confide, OTHER), "one of two is not enough"
    done = await confide.people.confirm_merge(proposed.id, actor=operator_as(SARAH))
    assert done.is_confirmed
    assert await hears(confide, OTHER)
    found = await confide.explain(memory.id, audience(OTHER, "dm"))
    assert found.decision.told
    assert found.told_by_database
    await confide.people.split(proposed.id, actor=operator_as(SARAH))
    assert not await hears(confide, OTHER)
    assert await hears(confide, SARAH)


@pytest.mark.req("A5", "A6")
async def test_nobody_confirms_or_splits_for_somebody_else(confide: Confide) -> None:
    await bees(confide)
    proposed = await confide.people.propose_merge(
        SARAH, BOB, "I am Sarah, honestly", actor=operator_as(BOB)
    )
    for _ in range(2):
        await confide.people.confirm_merge(proposed.id, actor=operator_as(BOB))
    for stranger in (ALICE, None):
        with pytest.raises(NotFound):
            await confide.people.confirm_merge(proposed.id, actor=operator_as(stranger))
    assert not await hears(confide, BOB)
    with pytest.raises(NotFound):
        await confide.people.split(proposed.id, actor=operator_as(ALICE))
    with pytest.raises(NotAllowed, match="one of the two"):
        await confide.people.propose_merge(SARAH, OTHER, "I saw it", actor=operator_as(ALICE))
    with pytest.raises(InvalidInput, match="already"):
        await confide.people.propose_merge(BOB, SARAH, "again", actor=operator_as(BOB))


@pytest.mark.req("A5")
async def test_being_one_does_not_chain(confide: Confide) -> None:
    await bees(confide)
    await merged(confide)
    await merged(confide, OTHER, BOB)
    assert await hears(confide, OTHER)
    assert not await hears(confide, BOB)


@pytest.mark.req("A5")
async def test_a_childs_accounts_are_confirmed_by_its_guardian(confide: Confide) -> None:
    await confide.people.appoint_guardian(KID, MUM, actor=operator_as())
    proposed = await confide.people.propose_merge(KID, OTHER, "new phone", actor=operator_as(KID))
    with pytest.raises(NotFound):
        await confide.people.confirm_merge(proposed.id, actor=operator_as(KID))
    await confide.people.confirm_merge(proposed.id, actor=operator_as(MUM))
    assert (await confide.people.confirm_merge(proposed.id, actor=operator_as(OTHER))).is_confirmed
    await confide.people.split(proposed.id, actor=operator_as(MUM))


@pytest.mark.req("A5")
async def test_groups_and_the_agent_are_never_merged_with_anybody(
    confide: Confide, agent: str
) -> None:
    for other in (Entity("role", "tutor"), Entity("ctx", "care"), Entity("si", agent), SARAH):
        with pytest.raises(InvalidInput):
            await confide.people.propose_merge(SARAH, other, "why not", actor=operator_as(SARAH))


@pytest.mark.req("A5", "A6")
async def test_an_impostor_by_display_name_hears_nothing(confide: Confide) -> None:
    await confide.people.name(SARAH, "Sarah")
    await bees(confide)
    await confide.people.name(BOB, "Sarah")
    await confide.people.name(OTHER, "human:sarah")
    assert not await hears(confide, BOB)
    assert not await hears(confide, OTHER)


@pytest.mark.req("A5", "A6")
async def test_an_alias_is_its_speakers_own_and_opens_nothing(confide: Confide) -> None:
    memory = await bees(confide)
    for called in ("human:sarah", "Sarah", "*", "me"):
        await confide.people.alias(BOB, called, actor=operator_as(BOB))
    await confide.people.alias(SARAH, "Bob", actor=operator_as(BOB))
    assert not await hears(confide, BOB)
    with pytest.raises(NotFound):
        await confide.consents.share(memory.id, atoms.entity(BOB), actor=operator_as(BOB))
    assert await confide.people.aliases(ALICE) == []
    with pytest.raises(NotFound):
        await confide.people.unalias(SARAH, "Bob", actor=operator_as(ALICE))
    await confide.people.unalias(SARAH, "  BOB ", actor=operator_as(BOB))


@pytest.mark.req("A5")
async def test_two_speakers_sarahs_are_two_people(confide: Confide) -> None:
    await confide.people.alias(SARAH, "Sarah", actor=operator_as(ALICE))
    await confide.people.alias(OTHER, "Sarah", actor=operator_as(BOB))
    (alices,), (bobs,) = [await confide.people.aliases(who) for who in (ALICE, BOB)]
    assert (alices.entity, bobs.entity) == (SARAH, OTHER)


@pytest.mark.req("A5")
async def test_an_account_proves_one_person_and_only_a_platform_says_so(confide: Confide) -> None:
    await confide.people.prove(SARAH, "discord:77", actor=Actor(None, CallerKind.PLATFORM))
    with pytest.raises(InvalidInput, match="somebody else"):
        await confide.people.prove(BOB, "discord:77", actor=operator_as())
    with pytest.raises(NotAllowed):
        await confide.people.prove(BOB, "discord:78", actor=Actor(BOB, CallerKind.PERSONAL))
    assert (await confide.people.show(SARAH, asker=SARAH)).accounts == (Account("discord", "77"),)


@pytest.mark.req("A5")
async def test_a_person_is_seen_only_through_memories_one_may_hear(confide: Confide) -> None:
    await confide.people.name(SARAH, "Sarah")
    memory = await bees(confide, about=["dog:rex"])
    rex = Entity("dog", "rex")
    await confide.people.relate(rex, "dog of", SARAH, memory.id, actor=operator_as(SARAH))
    assert {one.entity for one in await confide.people.known(SARAH)} == {SARAH, rex}
    assert await confide.people.known(BOB) == []
    with pytest.raises(NotFound):
        await confide.people.show(rex, asker=BOB)
    with pytest.raises(NotFound):
        await confide.people.relate(rex, "dog of", BOB, memory.id, actor=operator_as(BOB))
    (related,) = (await confide.people.show(rex, asker=SARAH)).relationships
    assert (related.relation, related.other, related.said_by) == ("dog of", SARAH, SARAH)
    await confide.people.alias(rex, "that dog", actor=operator_as(BOB))
    assert (await confide.people.show(rex, asker=BOB)).relationships == ()


@pytest.mark.req("A5", "A12")
async def test_nothing_of_a_child_is_told_everywhere_or_travels(confide: Confide) -> None:
    await confide.people.appoint_guardian(KID, MUM, actor=operator_as())
    with pytest.raises(InvalidInput, match="child"):
        await confide.remember(
            statement(
                "My in-game name is StoneFox", by=KID, place="dm", kind="identity", scope="global"
            )
        )
    kept = await confide.remember(
        statement(
            "Kid loves pizza", by=ALICE, place="group:chat", present=[KID], about=[KID],
            kind="preference", sensitivity="public", is_portable=True,
        )
    )  # fmt: skip
    assert not kept.memory.origin.is_portable


@pytest.mark.req("A5", "K11")
async def test_what_was_told_everywhere_stays_home_once_a_guardian_is_registered(
    confide: Confide,
) -> None:
    name = await confide.remember(
        statement(
            "My in-game name is StoneFox", by=KID, place="dm", kind="identity", scope="global"
        )
    )
    memory = await bees(confide, by=KID)
    await confide.consents.share(memory.id, atoms.entity(BOB), actor=operator_as(KID))
    in_public = audience(KID, "public:general@town")
    assert (await confide.explain(name.id, in_public)).decision.told
    assert await hears(confide, BOB)
    await confide.people.appoint_guardian(KID, MUM, actor=operator_as())
    assert not (await confide.explain(name.id, in_public)).decision.told
    assert (await confide.explain(name.id, audience(KID, "dm"))).decision.told
    assert not await hears(confide, BOB)


@pytest.mark.req("A5", "A6")
def test_on_the_command_line(ask: Ask, run: Run) -> None:
    id = ask(
        "remember", "Bella is my dog", "--by", "human:sean", "--in", "dm", "--about", "dog:bella"
    )["id"]
    ask("people", "name", "human:sean", "Sean")
    ask("people", "link", "dog:bella", "--alias", "Bell", "--as", "human:sean")
    related = ("--relation", "dog of", "--to", "human:sean", "--memory", id, "--as", "human:sean")
    ask("people", "link", "dog:bella", *related)
    ask("people", "link", "human:sean", "--account", "discord:77")
    shown = ask("people", "show", "dog:bella", "--as", "human:sean")
    assert (shown["aliases"], shown["relationships"][0]["relation"]) == (["bell"], "dog of")
    assert ask("people", "list", "--as", "human:sean")["people"][1]["name"] == "Sean"
    assert ask("people", "show", "human:sean", "--as", "human:sean")["accounts"] == ["discord:77"]
    assert run("people", "show", "dog:bella", "--as", "human:eve").exit_code == 1
    two = ("human:sean", "human:sean2", "--because", "same phone")
    (proposed,) = ask("people", "merge", *two)["merges"]
    for who in ("human:sean", "human:sean2"):
        ask("people", "merge", "--confirm", proposed["id"], "--as", who)
    assert ask("people", "merge", "--list")["merges"][0]["is_confirmed"] is True
    assert ask("people", "list", "--as", "human:sean2")["count"] == 2
    ask("people", "split", proposed["id"], "--as", "human:sean2")
    assert ask("people", "list", "--as", "human:sean2")["count"] == 0
    assert ask("people", "guardian", "human:kid", "human:sean")["done"]
    assert ask("people", "guardian", "human:kid", "human:sean", "--end")["done"]
