"""The oracle on sharing, merging and opting out, on cases anybody can check by hand."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from tests.leaktest.test_oracle import ANN, BEN, CLEO, is_told, said

from confide.leaktest.rooms import BY_KEY
from confide.leaktest.town import Town


@pytest.fixture
def town() -> Town:
    made = Town(datetime(2026, 3, 1, tzinfo=UTC))
    made.join(BY_KEY["general"], ANN, BEN, CLEO)
    made.join(BY_KEY["park"], BEN, CLEO)
    made.join(BY_KEY["friends"], ANN, BEN)
    return made


@pytest.mark.req("K5", "K11")
def test_what_is_shared_with_a_person_is_told_to_them_alone_until_it_ends(town: Town) -> None:
    canary = said(town, "direct", ANN)
    canary.shared[BEN] = town.now + timedelta(days=90)
    assert is_told(town, canary, BEN, "direct")
    assert not is_told(town, canary, CLEO, "direct")
    assert not is_told(town, canary, BEN, "park")
    assert not is_told(town, canary, ANN, "friends")
    town.now += timedelta(days=90)
    assert not is_told(town, canary, BEN, "direct")


@pytest.mark.req("K5", "K10")
def test_what_is_shared_with_a_room_is_told_in_that_room(town: Town) -> None:
    canary = said(town, "direct", ANN)
    canary.shared["room:park"] = town.now + timedelta(days=90)
    assert is_told(town, canary, BEN, "park")
    assert not is_told(town, canary, BEN, "direct")
    assert not is_told(town, canary, BEN, "friends")


@pytest.mark.req("A5")
def test_two_identities_of_one_person_hear_what_is_each_others(town: Town) -> None:
    canary = said(town, "direct", ANN)
    filed = said(town, "direct", ANN, namespace="lab")
    town.same.add(frozenset({ANN, CLEO}))
    assert is_told(town, canary, CLEO, "direct")
    assert not is_told(town, canary, BEN, "direct")
    assert not is_told(town, filed, CLEO, "direct", "lab")
    town.same.clear()
    assert not is_told(town, canary, CLEO, "direct")


@pytest.mark.req("S21")
def test_who_opted_out_is_not_told_of_and_what_is_about_them_stays_with_its_speaker(
    town: Town,
) -> None:
    own = said(town, "general", ANN)
    about = said(town, "general", BEN, about=frozenset({ANN}))
    assert is_told(town, about, CLEO, "general")
    town.opted_out.add(ANN)
    assert not is_told(town, own, ANN, "direct")
    assert not is_told(town, about, CLEO, "general")
    assert not is_told(town, about, BEN, "general")
    assert is_told(town, about, BEN, "direct")
