"""The oracle itself, on cases anybody can check by hand."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from random import Random

import pytest

from confide.leaktest.canaries import AGENT, Canary, Nursery
from confide.leaktest.oracle import why_withheld
from confide.leaktest.rooms import BY_KEY, THOUGHT
from confide.leaktest.town import Question, Town
from confide.model import Kind, PlaceKind, Sensitivity

ANN, BEN, CLEO = "human:ann", "human:ben", "human:cleo"


@pytest.fixture
def town() -> Town:
    made = Town(datetime(2026, 3, 1, tzinfo=UTC))
    made.join(BY_KEY["mods"], ANN, BEN)
    made.join(BY_KEY["general"], ANN, BEN, CLEO)
    made.join(BY_KEY["friends"], ANN, BEN)
    made.join(BY_KEY["care"], ANN, BEN)
    return made


def said(town: Town, room: str, by: str, **more: object) -> Canary:
    canary = Nursery(Random(1)).canary(room, by, **more)
    town.say(canary, BY_KEY[room])
    return canary


def is_told(
    town: Town, canary: Canary, asker: str, room: str, namespace: str | None = None
) -> bool:
    return why_withheld(canary, Question(asker, BY_KEY[room], namespace), town) is None


@pytest.mark.req("S2")
def test_what_is_said_alone_is_told_alone(town: Town) -> None:
    canary = said(town, "direct", ANN)
    assert is_told(town, canary, ANN, "direct")
    assert not is_told(town, canary, BEN, "direct")
    assert not is_told(town, canary, ANN, "general")
    assert not is_told(town, canary, ANN, "laptop")


@pytest.mark.req("S2")
def test_an_ex_moderator_hears_nothing_of_the_moderators_room(town: Town) -> None:
    canary = said(town, "mods", ANN)
    assert is_told(town, canary, ANN, "mods")
    assert is_told(town, canary, ANN, "case")
    assert is_told(town, canary, ANN, "direct")
    assert not is_told(town, canary, BEN, "mods")
    town.leave(BY_KEY["mods"], ANN)
    assert not is_told(town, canary, ANN, "direct")


@pytest.mark.req("S2", "S20")
def test_public_words_stay_in_their_space_and_narrow_when_the_room_closes(town: Town) -> None:
    canary = said(town, "general", ANN)
    assert is_told(town, canary, CLEO, "lounge")
    assert not is_told(town, canary, CLEO, "o-general")
    town.close(BY_KEY["general"], PlaceKind.RESTRICTED)
    assert not is_told(town, canary, CLEO, "lounge")
    assert is_told(town, canary, ANN, "general")


@pytest.mark.req("A8")
def test_the_surprise_party_stays_one(town: Town) -> None:
    canary = said(town, "friends", ANN, about=frozenset({CLEO}))
    assert is_told(town, canary, BEN, "friends")
    town.join(BY_KEY["friends"], CLEO)
    assert not is_told(town, canary, BEN, "friends")
    assert is_told(town, canary, BEN, "direct")
    assert not is_told(town, canary, CLEO, "direct")


@pytest.mark.req("A8", "A10")
def test_careful_facts_are_for_insiders_and_their_care_context(town: Town) -> None:
    in_company = said(town, "friends", ANN, sensitivity=Sensitivity.SENSITIVE)
    assert is_told(town, in_company, ANN, "direct")
    assert not is_told(town, in_company, ANN, "friends")
    personal = said(town, "friends", ANN, sensitivity=Sensitivity.PERSONAL)
    assert is_told(town, personal, ANN, "friends")
    assert not is_told(town, personal, BEN, "friends")
    cared = said(town, "care", ANN, sensitivity=Sensitivity.SENSITIVE)
    assert is_told(town, cared, BEN, "care")
    town.join(BY_KEY["care"], CLEO)
    assert not is_told(town, cared, BEN, "care")


@pytest.mark.req("K5", "K6")
def test_a_grant_lasts_as_long_as_its_consents(town: Town) -> None:
    canary = said(town, "direct", ANN, access=(BEN,), consent=frozenset({ANN}))
    assert is_told(town, canary, BEN, "direct")
    assert not is_told(town, canary, CLEO, "direct")
    town.now += timedelta(days=90)
    assert not is_told(town, canary, BEN, "direct")


@pytest.mark.req("P2")
def test_a_workspace_is_seen_from_itself_and_from_within(town: Town) -> None:
    canary = said(town, "direct", ANN, namespace="lab")
    assert is_told(town, canary, ANN, "direct", "lab")
    assert is_told(town, canary, ANN, "direct", "lab/track:1")
    assert not is_told(town, canary, ANN, "direct")
    assert not is_told(town, canary, ANN, "direct", "attic")
    assert not is_told(town, canary, BEN, "direct", "lab")


@pytest.mark.req("S3", "K18", "A1")
def test_nothing_is_told_where_nobody_can_say_who_reads(town: Town) -> None:
    canary = said(town, "fog", ANN, kind=Kind.OBSERVATION)
    assert is_told(town, canary, ANN, "direct")
    assert not is_told(town, canary, ANN, "fog")
    assert why_withheld(canary, Question(AGENT, THOUGHT), town) is None
    town.now += timedelta(days=3)
    assert not is_told(town, canary, ANN, "direct")
