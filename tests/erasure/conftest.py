"""Something of everything that can be kept of a person, in words that occur nowhere else."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator

import pytest
from tests.conftest import Opened
from tests.learn.speaking import learn, say

from confide import Confide, audience, operator_as, statement
from confide.keep.requesting import Wish
from confide.model import Entity, Place, PlaceKind
from confide.privacy import atoms
from confide.providers.usage import Tokens
from confide.store.consents import About
from confide.store.tables import read_tables

ZED, BOB = Entity.parse("human:zed"), Entity.parse("human:bob")
CANARY = "quokka"  # in every text of Zed's
ROOM, GROUP = "public:general@guild", "group:crew"


@pytest.fixture
async def confide(open_confide: Opened) -> AsyncIterator[Confide]:
    """Nothing is learned beside the test, however slow the machine is."""
    async with open_confide(learn=False) as opened:
        yield opened


async def found_in(confide: Confide, *words: str) -> dict[str, int]:
    """In how many rows of which tables any of the words is, however they are stored."""
    found: dict[str, int] = {}
    async with confide.database.keep() as connection:
        for table in await read_tables(connection):
            rows = await connection.fetch(f"SELECT t::text AS row FROM confide.{table.name} t")
            count = sum(any(word in row["row"] for word in words) for row in rows)
            if count:
                found[table.name] = count
    return found


async def told(
    confide: Confide, question: str, who: Entity | str = ZED, place: str = "dm"
) -> set[str]:
    context = await confide.recall(question, audience(who, place))
    return {one.memory.text for one in context.memories}


async def live_a_life(confide: Confide) -> uuid.UUID:
    """Zed leaves traces wherever that is possible; returns one of Zed's memories."""
    zed, bob = operator_as(ZED), operator_as(BOB)
    kept = await confide.remember(statement("I keep quokkas", by=ZED, place="dm"))
    await confide.remember(statement("My quokkas like figs", by=ZED, place="dm"))
    about = await confide.remember(
        statement("Bob feeds the quokkas", by=ZED, place="dm", about=[BOB])
    )
    await confide.remember(
        statement("Weigh the quokkas", by=ZED, place="dm", namespace="quokkalab/project:quokka1")
    )
    laptop = Place(id="human:zed/quokkas", kind=PlaceKind.CONNECTION)
    await confide.remember(statement("Quokkas sleep by day", by=ZED, place=laptop))
    await confide.remember(statement("The quokka club meets at noon", by=ZED, place=ROOM))
    before = statement("Has anybody fed the quokkas?", by=ZED, place=GROUP)
    await confide.remember(
        statement("I did, an hour ago", by=BOB, place=GROUP, before=(before,), present=[ZED])
    )
    await say(confide, "My favourite animal is the quokka", by="human:zed", place=GROUP)
    await say(confide, "You like quokkas", by="si:me", is_from_agent=True, place=GROUP)
    await say(confide, "I like figs myself", by="human:bob", place=GROUP)
    await learn(confide)
    await say(confide, "One more quokka story", by="human:zed", place=GROUP)
    await told(confide, "quokkas and figs?")
    await told(confide, "figs?", BOB, GROUP)
    await told(confide, "who likes figs?", ZED, GROUP)
    await confide.insights.generalize(
        [kept.id], "Quokka people are calm", note="from quokkas", actor=zed
    )
    await confide.people.name(ZED, "Quokka Zed")
    await confide.people.alias(ZED, "quokkaman", actor=bob)
    await confide.people.alias(BOB, "quokka feeder", actor=zed)
    await confide.people.prove(ZED, "discord:quokka1", actor=operator_as())
    await confide.people.propose_merge(
        ZED, Entity("human", "double"), "both keep quokkas", actor=operator_as()
    )
    await confide.people.relate(BOB, "quokka friend", memory=kept.id, other=ZED, actor=zed)
    await confide.consents.share(kept.id, atoms.entity(BOB), purpose="quokka care", actor=zed)
    agreed = confide.consents.agreement(ZED, atoms.entity(BOB), purpose="quokka talk")
    await confide.consents.give(agreed, About(subject=ZED), actor=zed, reason="quokka talk")
    await confide.consents.ask(
        about.id, Wish(grantee=atoms.entity(BOB), reason="quokkas matter"), actor=zed
    )
    await confide.spending.spend("extract", "none", Tokens(1, 1), person=ZED, place="dm:human:zed")
    return kept.id
