"""How much of what is asked later is remembered, and how little else. Reads LoCoMo in place."""

import pytest
from benchmarks.extraction.judging import counted
from benchmarks.extraction.locomo import conversations
from benchmarks.extraction.measures import coverage
from tests.pace import seconds_of_an_idle_core

from confide.providers.builtin import BuiltinExtractor


@pytest.fixture(scope="module")
def everything():
    return conversations()


@pytest.mark.req("S13")
def test_a_third_of_the_turns_holds_three_quarters_of_the_evidence(everything) -> None:
    found = coverage(everything)
    assert found.remembered <= 0.35
    assert found.weighted >= 0.75
    assert found.covered > found.by_length


@pytest.mark.req("S13")
def test_conversations_that_no_rule_was_tuned_on_fare_no_worse(everything) -> None:
    tuned, held_out = coverage(everything[0::2]), coverage(everything[1::2])
    assert held_out.weighted >= tuned.weighted - 0.02


@pytest.mark.req("S13")
def test_the_memories_judged_by_hand_are_those_made_today() -> None:
    """Changed rules change the sample; then it has to be judged again."""
    found = counted()
    assert found.judged >= 190
    assert found.good / found.judged >= 0.85


@pytest.mark.req("S13", "B10")
def test_three_hundred_messages_a_second_are_no_effort(everything) -> None:
    turns = sum(len(one.turns) for one in everything[:2])

    def learn() -> None:
        for one in everything[:2]:
            one.facts(BuiltinExtractor())

    assert turns / seconds_of_an_idle_core(learn) > 300
