"""Rooms open and close, people come and go, consents end: while what was said is being learned."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from confide import Confide, audience
from confide.actor import operator_as
from confide.model import Entity
from confide.privacy import atoms
from confide.privacy.consent import Consent
from confide.privacy.places import parse_place
from confide.store.consents import About

from .speaking import Verbatim, learn, say

ALICE, BOB = Entity.parse("human:alice"), Entity.parse("human:bob")
STEPS = ["read", "extracted", "journaled", "embedded", "fence checked", "memory added", "applied"]
PATIENCE = 1.0  # for a change that has to wait until what is being written is written


async def learn_while(
    confide: Confide,
    open_confide: Any,
    step: str,
    change: Callable[[Confide], Coroutine],
) -> None:
    """Learn, and let another process's connection change the world at that step."""

    async def elsewhere() -> None:
        async with open_confide(learn=False) as other:
            await change(other)

    changing = threading.Thread(target=lambda: asyncio.run(elsewhere()))

    def watch(name: str) -> None:
        if name == step and changing.ident is None:
            changing.start()
            changing.join(PATIENCE)

    await confide.learning.make_due()
    await confide.learning.worker(extractor=Verbatim(), step=watch).drain()
    await asyncio.to_thread(changing.join)
    await confide.learning.worker(extractor=Verbatim()).drain()


async def told(confide: Confide, question: str, asker: str, place: str) -> list[str]:
    context = await confide.recall(question, audience(asker, place))
    return [one.memory.text for one in context.memories]


@pytest.mark.req("S11", "S20")
@pytest.mark.parametrize("step", STEPS)
async def test_a_place_that_closes_while_it_is_learned_keeps_it_in(open_confide, step) -> None:
    async with open_confide(learn=False) as confide:
        await say(confide, "The vault opens at noon", place="public:lobby@guild")
        closed = parse_place("restricted:lobby@guild", ALICE)
        await learn_while(confide, open_confide, step, lambda other: other.world.attest(closed))
        asked = "when does the vault open?"
        assert await told(confide, asked, "human:bob", "public:other@guild") == []
        assert await told(confide, asked, "human:alice", "public:other@guild") == []
        assert await told(confide, asked, "human:alice", "restricted:lobby@guild") != []


@pytest.mark.req("S11", "S20")
@pytest.mark.parametrize("step", STEPS)
async def test_a_place_that_opens_while_it_is_learned_takes_nothing_along(
    open_confide, step
) -> None:
    async with open_confide(learn=False) as confide:
        await say(confide, "We watch Carl for toxicity", place="restricted:mods@guild")
        opened = parse_place("public:mods@guild", ALICE)
        await learn_while(confide, open_confide, step, lambda other: other.world.attest(opened))
        for place in ("public:mods@guild", "public:general@guild"):
            assert await told(confide, "who is watched?", "human:bob", place) == []


@pytest.mark.req("S11")
@pytest.mark.parametrize("step", STEPS)
async def test_whoever_leaves_while_it_is_learned_hears_it_no_more(open_confide, step) -> None:
    async with open_confide(learn=False) as confide:
        room = parse_place("group:tea", ALICE)
        await confide.world.join(room, ALICE, BOB)
        await say(confide, "The tea is hidden in the attic", place="group:tea")
        await learn_while(confide, open_confide, step, lambda other: other.world.leave(room, BOB))
        assert await told(confide, "where is the tea?", "human:bob", "dm") == []
        assert await told(confide, "where is the tea?", "human:alice", "dm") != []


@pytest.mark.req("K11")
@pytest.mark.parametrize("step", STEPS)
async def test_a_consent_withdrawn_while_something_is_learned_does_not_count_for_it(
    open_confide, step
) -> None:
    async with open_confide(learn=False) as confide:
        agreed = Consent(grantor=ALICE, grantee=atoms.entity(BOB))
        me = operator_as(ALICE)
        given = await confide.consents.give(agreed, About(subject=ALICE), actor=me)
        await say(confide, "The spare key is under the blue pot")
        await learn_while(
            confide,
            open_confide,
            step,
            lambda other: other.consents.withdraw(given.consent_id, actor=me),
        )
        assert await told(confide, "where is the spare key?", "human:bob", "dm") == []
        assert await told(confide, "where is the spare key?", "human:alice", "dm") != []


@pytest.mark.req("K11")
async def test_a_standing_consent_that_stays_counts_for_what_is_learned(open_confide) -> None:
    """The control: without it the test above would pass for any reason."""
    async with open_confide(learn=False) as confide:
        agreed = Consent(grantor=ALICE, grantee=atoms.entity(BOB))
        await confide.consents.give(agreed, About(subject=ALICE), actor=operator_as(ALICE))
        await say(confide, "The spare key is under the blue pot")
        await learn(confide)
        assert await told(confide, "where is the spare key?", "human:bob", "dm") != []
