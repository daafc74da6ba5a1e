"""Forgetting a memory, a person, a place, a source, everything: gone from every table, verified."""

from __future__ import annotations

import pytest

from confide import Confide, operator_as

from .conftest import BOB, CANARY, GROUP, ZED, found_in, live_a_life, told

AS_ZED, AS_BOB, OPERATOR = operator_as(ZED), operator_as(BOB), operator_as()
WORDS = (CANARY, CANARY.capitalize())
#: Where an erased person may still be named, and docs/erasure.md says why.
STILL_NAMED = {"place_member", "space_member", "memory", "clause_term", "label_door"}


@pytest.mark.req("P10", "B5", "S21")
async def test_nothing_of_a_person_is_left_in_any_table(confide: Confide) -> None:
    await live_a_life(confide)
    assert set(await found_in(confide, *WORDS)) >= {
        "memory", "evidence", "message", "person", "alias", "account", "merge", "relationship",
        "consent", "consent_request", "generalization",
    }  # fmt: skip
    done = await confide.erasure.person(ZED, actor=AS_ZED, now=True)
    assert await found_in(confide, *WORDS) == {}
    assert done.counts["memories"] >= 5
    assert done.found
    assert not any(done.found.values())
    named = await found_in(confide, "human:zed")
    assert set(named) <= STILL_NAMED
    assert await told(confide, "quokkas?") == set()
    assert await told(confide, "figs? who fed them?", BOB, GROUP) == {
        "I did, an hour ago", "I like figs myself",
    }  # fmt: skip
