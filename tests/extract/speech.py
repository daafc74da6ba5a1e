"""Factories for messages in tests of extraction."""

from datetime import UTC, datetime

from confide.model import Entity, Message, Place, PlaceKind

ALICE, BOB, AGENT = Entity("human", "alice"), Entity("human", "bob"), Entity("si", "helper")
WEDNESDAY = datetime(2024, 5, 15, 12, tzinfo=UTC)
ROOM = Place(id="room", kind=PlaceKind.GROUP)


def said(text: str, *, by: Entity = ALICE, id: str = "m1") -> Message:
    return Message(
        id=id, place=ROOM, speaker=by, text=text, said_at=WEDNESDAY, is_from_agent=by == AGENT
    )
