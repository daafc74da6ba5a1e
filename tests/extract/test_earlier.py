"""What somebody said a moment ago says what they go on about; whose and which words are repeated."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from confide.model import Entity, Fact, Message, Place, PlaceKind
from confide.providers.builtin import BuiltinExtractor

ROOM = Place(id="room", kind=PlaceKind.GROUP)
MODS = Place(id="mods", kind=PlaceKind.RESTRICTED, space="guild")
AT = datetime(2024, 5, 15, 12, tzinfo=UTC)
TOURNAMENT = "Last week I won the regional chess tournament in Porto!"
GOES_ON = "I won it with a strategy of waiting for 40 moves."


def told(*said: tuple[str, str], place: Place = ROOM, minutes: int = 1) -> list[Fact]:
    """The facts of the last message."""
    messages = [
        Message(
            id=f"m{n}",
            place=place,
            speaker=Entity("human", who),
            text=text,
            said_at=AT + timedelta(minutes=minutes * n),
        )
        for n, (who, text) in enumerate(said)
    ]
    last = messages[-1].id
    return [fact for fact in BuiltinExtractor().extract(messages) if fact.message_id == last]


@pytest.mark.req("S13")
@pytest.mark.parametrize("place", [ROOM, MODS], ids=["group", "restricted"])
def test_what_goes_on_is_explained_by_ones_own_words_before_it(place: Place) -> None:
    (fact,) = told(("alice", TOURNAMENT), ("bob", "Nice!"), ("alice", GOES_ON), place=place)
    assert fact.text == (
        f"{GOES_ON} (earlier: “Last week (week of 2024-05-06) I won the regional chess"
        " tournament in Porto!”)"
    )
    assert fact.also_from == ("m0",)
    assert (fact.speaker, fact.confidence) == (Entity("human", "alice"), 0.8)


@pytest.mark.req("A19")
def test_nobody_elses_life_is_borrowed() -> None:
    facts = told(("bob", TOURNAMENT), ("alice", GOES_ON))
    assert all("tournament" not in fact.text for fact in facts)


@pytest.mark.req("S13")
def test_words_of_another_sitting_explain_nothing() -> None:
    facts = told(("alice", TOURNAMENT), ("alice", GOES_ON), minutes=45)
    assert all("tournament" not in fact.text for fact in facts)


@pytest.mark.req("A4", "S13")
def test_what_was_asked_to_be_remembered_stays_as_it_was_asked() -> None:
    asked = "remember just for me that last week I won the regional chess tournament in Porto"
    facts = told(("alice", asked), ("alice", GOES_ON))
    assert all("tournament" not in fact.text for fact in facts)


@pytest.mark.req("A5")
def test_she_is_explained_only_by_words_that_name_somebody() -> None:
    her = "I visited her in Ghent yesterday and she gave me 3 old books."
    (fact,) = told(("alice", "My sister Anna works as a vet."), ("alice", her))
    assert "Anna works as a vet" in fact.text
    assert "Anna" in fact.subjects
    facts = told(("alice", "The garden needs a new fence this summer."), ("alice", her))
    assert all("garden" not in one.text for one in facts)


@pytest.mark.req("S13")
def test_what_says_what_it_is_about_needs_no_other_words() -> None:
    (fact,) = told(("alice", TOURNAMENT), ("alice", "I live in Lyon."))
    assert (fact.text, fact.also_from) == ("I live in Lyon.", ())
