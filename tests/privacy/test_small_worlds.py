"""Python, SQL, row-level security and the oracle agree on everything that small worlds hold."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

import pytest
from tests.privacy import onlookers, oracle
from tests.privacy.facts import Facts
from tests.privacy.small_worlds import Said, audiences, sayings, worlds
from tests.privacy.stored import analyze, store_labels, store_memories, store_world, telling

from confide.privacy import policy
from confide.privacy.consent import apply_consents
from confide.privacy.labels import label
from confide.privacy.policy import Audience, Label, World
from confide.store.database import Database

LEAST_TRIPLES = 1_000_000


_ORDER: dict[object, object] = {}


def distinct(said: Iterator[Said]) -> dict[Label, Said]:
    """One saying for every label; labels with other owners are others."""
    found: dict[Label, Said] = {}
    for one in said:
        found.setdefault(apply_consents(label(one.origin), one.consents, {}), one)
    return found


@contextmanager
def computed_once(audience: Audience, world: World) -> Iterator[None]:
    """What an audience is covered by does not depend on the label: ask the rule for it once."""
    up, setting, order = policy.up, policy.setting, policy._reading_order
    where = setting(audience, world)
    with pytest.MonkeyPatch.context() as patch:
        known = cache(lambda viewer: up(viewer, world))
        patch.setattr(policy, "up", lambda viewer, _: known(viewer))
        patch.setattr(policy, "setting", lambda *_: where)
        patch.setattr(policy, "_reading_order", _ORDER.setdefault(order, cache(order)))
        yield


def told_by_rule(labels: list[Label], audience: Audience, world: World) -> list[bool]:
    with computed_once(audience, world):
        return [policy.decide(one, audience, world).told for one in labels]


def told_by_oracle(made: list[list[oracle.Demand]], audience: Audience, facts: Facts) -> list[bool]:
    occasion = onlookers.occasion(audience, facts)
    return [oracle.told(demands, occasion) for demands in made]


@pytest.mark.req("B2")
def test_the_rule_agrees_with_an_oracle_that_asks_each_person() -> None:
    """A sample of every kind, fast enough for each change; the database test below takes all."""
    said = dict(list(distinct(sayings()).items())[::11])
    for facts in worlds():
        made = [oracle.demands(one.origin, one.consents, facts) for one in said.values()]
        for audience in list(audiences(facts))[::2]:
            ruled = told_by_rule(list(said), audience, facts.world())
            _agree(said, audience, ruled, told_by_oracle(made, audience, facts))


@pytest.mark.slow
@pytest.mark.req("B1", "B2")
async def test_rule_database_and_oracle_agree_on_a_million_questions(database: Database) -> None:
    said = distinct(sayings())
    labels, triples = list(said), 0
    async with database.keep() as connection:
        ids = await store_labels(connection, database.agent, labels)
        await store_memories(connection, database.agent, ids, worlds()[0].now)
    await analyze(database)
    for facts in worlds():
        made = [oracle.demands(one.origin, one.consents, facts) for one in said.values()]
        async with database.keep() as connection:
            await store_world(connection, database.agent, facts.world())
        async with telling(database, facts.world()) as teller:
            for audience in audiences(facts):
                visible = await teller.visible(audience)
                assert await teller.rows() == visible, audience
                ruled = told_by_rule(labels, audience, facts.world())
                _agree(said, audience, ruled, [id in visible for id in ids])
                _agree(said, audience, ruled, told_by_oracle(made, audience, facts))
                triples += len(labels)
    assert triples >= LEAST_TRIPLES


def _agree(
    said: dict[Label, Said], audience: Audience, ruled: list[bool], answers: list[bool]
) -> None:
    wrong = [one for one, a, b in zip(said.values(), ruled, answers, strict=True) if a != b]
    assert not wrong, f"{len(wrong)} labels, first {wrong[0]} for {audience}"
