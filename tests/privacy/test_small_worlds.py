"""Python, SQL, row-level security and the oracle agree on everything that small worlds hold."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import pytest
from tests.privacy import onlookers, oracle
from tests.privacy.facts import Facts
from tests.privacy.small_worlds import Said, audiences, sayings, worlds
from tests.privacy.stored import analyze, store_labels, store_memories, store_world, telling

from confide.privacy import policy
from confide.privacy.consent import apply_consents
from confide.privacy.labels import label
from confide.privacy.policy import Audience, Clause, Label, World
from confide.store.database import Database

LEAST_TRIPLES = 1_000_000


@cache
def distinct() -> dict[Label, Said]:
    """One saying for every label; labels with other owners are others."""
    found: dict[Label, Said] = {}
    for one in sayings():
        found.setdefault(apply_consents(label(one.origin), one.consents, {}), one)
    return found


@cache
def _in_order(clauses: frozenset[Clause], key: Callable[[Clause], Any]) -> list[Clause]:
    return sorted(clauses, key=key)


def in_order(given: Iterable[Any], key: Callable[[Any], Any] | None = None) -> list[Any]:
    """`sorted`, which remembers the order of clauses."""
    if key is None or not isinstance(given, frozenset):
        return sorted(given, key=key)
    return _in_order(given, key)


@contextmanager
def computed_once(audience: Audience, world: World) -> Iterator[None]:
    """What an audience is covered by does not depend on the label, nor the order of a label's clauses
    on the audience: ask the rule for each once."""
    up, setting = policy.up, policy.setting
    where = setting(audience, world)
    with pytest.MonkeyPatch.context() as patch:
        known = cache(lambda viewer: up(viewer, world))
        patch.setattr(policy, "up", lambda viewer, _: known(viewer))
        patch.setattr(policy, "setting", lambda *_: where)
        patch.setattr(policy, "sorted", in_order, raising=False)
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
    said = dict(list(distinct().items())[::11])
    for facts in worlds():
        made = [oracle.demands(one.origin, one.consents, facts) for one in said.values()]
        for audience in list(audiences(facts))[::2]:
            ruled = told_by_rule(list(said), audience, facts.world())
            _agree(said, audience, ruled, told_by_oracle(made, audience, facts))


@pytest.mark.slow
@pytest.mark.req("B1", "B2")
@pytest.mark.parametrize("facts", worlds(), ids=lambda _: "world")
async def test_rule_database_and_oracle_agree_on_a_million_questions(
    database: Database, facts: Facts
) -> None:
    said = distinct()
    labels, triples = list(said), 0
    async with database.keep() as connection:
        ids = await store_labels(connection, database.agent, labels)
        await store_memories(connection, database.agent, ids, facts.now)
        await store_world(connection, database.agent, facts.world())
    await analyze(database)
    made = [oracle.demands(one.origin, one.consents, facts) for one in said.values()]
    async with telling(database, facts.world()) as teller:
        for audience in audiences(facts):
            visible = await teller.visible(audience)
            assert await teller.rows() == visible, audience
            ruled = told_by_rule(labels, audience, facts.world())
            _agree(said, audience, ruled, [id in visible for id in ids])
            _agree(said, audience, ruled, told_by_oracle(made, audience, facts))
            triples += len(labels)
    assert triples * len(worlds()) >= LEAST_TRIPLES


def _agree(
    said: dict[Label, Said], audience: Audience, ruled: list[bool], answers: list[bool]
) -> None:
    wrong = [one for one, a, b in zip(said.values(), ruled, answers, strict=True) if a != b]
    assert not wrong, f"{len(wrong)} labels, first {wrong[0]} for {audience}"
