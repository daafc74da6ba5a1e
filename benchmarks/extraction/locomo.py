"""LoCoMo, read in place (its licence allows measuring, not copying), as messages."""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from confide.model import Entity, Fact, Message, Place, PlaceKind
from confide.providers.builtin import BuiltinExtractor

DATA = Path(os.environ.get("CONFIDE_DATA", Path(__file__).parents[3] / "shared" / "data"))
FILE = DATA / "locomo" / "locomo10.json"
ANSWERABLE = (1, 2, 3, 4)  # category 5 asks for what was never said
_ROOM = Place(id="locomo", kind=PlaceKind.GROUP)
_TURN = re.compile(r"D\d+:\d+")


@dataclass(frozen=True)
class Conversation:
    """One conversation: its sessions, and how many questions each turn is evidence for."""

    id: str
    sessions: list[list[Message]]
    evidence: dict[str, int]

    @property
    def turns(self) -> list[Message]:
        return [message for session in self.sessions for message in session]

    def facts(self, extractor: BuiltinExtractor) -> list[Fact]:
        return [fact for session in self.sessions for fact in extractor.extract(session)]


@cache
def learned(threshold: float) -> dict[str, list[Fact]]:
    """What would be stored of each conversation."""
    extractor = BuiltinExtractor()
    return {
        one.id: [fact for fact in one.facts(extractor) if fact.confidence >= threshold]
        for one in conversations()
    }


@cache
def conversations() -> list[Conversation]:
    """All ten. Image captions are left out: nobody said them."""
    return [_conversation(raw) for raw in json.loads(FILE.read_text("utf-8"))]


def _conversation(raw: dict) -> Conversation:
    talk = raw["conversation"]
    sessions = []
    for number in range(1, 100):
        if turns := talk.get(f"session_{number}"):
            said_at = datetime.strptime(
                talk[f"session_{number}_date_time"], "%I:%M %p on %d %B, %Y"
            )
            sessions.append([_message(turn, said_at.replace(tzinfo=UTC)) for turn in turns])
    known = {message.id for session in sessions for message in session}
    evidence: dict[str, int] = {}
    for question in raw["qa"]:
        if question["category"] in ANSWERABLE:
            for turn in _TURN.findall(" ".join(question.get("evidence", []))):
                if turn in known:
                    evidence[turn] = evidence.get(turn, 0) + 1
    return Conversation(raw["sample_id"], sessions, evidence)


def _message(turn: dict, said_at: datetime) -> Message:
    return Message(
        id=turn["dia_id"],
        place=_ROOM,
        speaker=Entity("human", turn["speaker"].lower()),
        text=turn["text"],
        said_at=said_at,
    )
