"""The same where somebody decides: on a request, a claim, an insight, a review, a guardian."""

from __future__ import annotations

import uuid
from typing import Final

from tests.imports.claiming import claimed

from confide import Confide, audience, operator_as, statement
from confide.keep.data_requests import Wanted

from .narrowing import (
    ALICE,
    BOB,
    CAROL,
    IN_GROUP,
    SAID_AND_DONE,
    WORDS,
    Case,
    Narrowing,
    in_group,
    shared,
)  # fmt: skip

TEA: Final = "which tea?"


async def take_an_approval_back(confide: Confide) -> Narrowing:
    """It waits for review again."""
    said = statement(WORDS, by=ALICE, place="dm", confidence=0.4)
    held = await confide.remember(said)
    await confide.review.approve(held.id, actor=operator_as(ALICE))
    return Narrowing(
        audience(ALICE, "dm"), lambda: confide.review.take_back(held.id, actor=operator_as(ALICE))
    )


async def a_granted_objection(confide: Confide) -> Narrowing:
    await in_group(confide, BOB)
    asked = await confide.data_requests.ask(Wanted.OBJECT, BOB, actor=operator_as(BOB))
    return Narrowing(
        audience(ALICE, IN_GROUP),
        lambda: confide.data_requests.answer(
            asked.id, grants=True, reason="It is about Bob", actor=operator_as()
        ),
    )


async def a_child_gets_a_guardian(confide: Confide) -> Narrowing:
    """What a child agreed to alone ends."""
    await shared(confide, BOB)
    return Narrowing(
        audience(BOB, "dm"),
        lambda: confide.people.appoint_guardian(ALICE, CAROL, actor=operator_as()),
    )


async def reject_an_insight(confide: Confide) -> Narrowing:
    """Until then it was told where all its sources could be."""
    said = "The castle build of Bob struggled with dark oak"
    kept = await confide.remember(
        statement(said, by=ALICE, place=IN_GROUP, present=[BOB], about=[BOB])
    )
    insight = "Visual fraction models help kids who are concrete thinkers"
    made = await confide.insights.generalize([kept.id], insight, actor=operator_as(ALICE))
    return Narrowing(
        audience(ALICE, "dm"), lambda: confide.insights.reject(made.id, actor=operator_as()), insight,
        "what helps concrete thinkers?",
    )  # fmt: skip


async def refuse_a_claim(confide: Confide) -> Narrowing:
    """Who an importer says somebody is: after a no, what came by the yes ends."""
    claim = uuid.UUID(await claimed(confide, ALICE))
    await confide.learning.learn(is_everything=True)
    await confide.claims.confirm(claim, actor=operator_as(ALICE))
    (words, *_) = [
        one.memory.text for one in (await confide.recall(TEA, audience(ALICE, "dm"))).memories
    ]
    return Narrowing(
        audience(ALICE, "dm"), lambda: confide.claims.refuse(claim, actor=operator_as(ALICE)), words, TEA
    )  # fmt: skip


#: Every one of them.
CASES: Final[list[Case]] = [
    *SAID_AND_DONE, reject_an_insight, refuse_a_claim, a_granted_objection, a_child_gets_a_guardian, take_an_approval_back,
]  # fmt: skip
