"""The numbers of docs/research/extraction.md."""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.extraction.judging import THRESHOLD
from benchmarks.extraction.locomo import Conversation, learned
from confide.model import Entity, Message, Place, PlaceKind
from confide.providers.builtin import BuiltinExtractor

SMALL_TALK = Path(__file__).with_name("small_talk.txt")


@dataclass(frozen=True)
class Coverage:
    """Which part of the turns became memories, and how much evidence they hold."""

    remembered: float  # turns with at least one memory, of all turns
    covered: float  # evidence turns among them, of all evidence turns
    weighted: float  # the same, each evidence turn counted once per question
    by_length: float  # what choosing the same number of turns by length alone covers


def coverage(chosen: list[Conversation]) -> Coverage:
    turns: list[tuple[int, int, bool]] = []  # length, questions, remembered
    for conversation in chosen:
        kept = {fact.message_id for fact in learned(THRESHOLD)[conversation.id]}
        turns += [
            (len(turn.text), conversation.evidence.get(turn.id, 0), turn.id in kept)
            for turn in conversation.turns
        ]
    evidence = [turn for turn in turns if turn[1]]
    remembered = [turn for turn in turns if turn[2]]
    longest = sorted(turns, reverse=True)[: len(remembered)]
    return Coverage(
        remembered=len(remembered) / len(turns),
        covered=sum(1 for turn in remembered if turn[1]) / len(evidence),
        weighted=sum(turn[1] for turn in remembered) / sum(turn[1] for turn in evidence),
        by_length=sum(1 for turn in longest if turn[1]) / len(evidence),
    )


def small_talk() -> tuple[int, int]:
    """Lines of small talk, and memories made of them."""
    lines = [
        line for line in SMALL_TALK.read_text("utf-8").splitlines() if line[:1] not in ("", "#")
    ]
    room = Place(id="room", kind=PlaceKind.GROUP)
    at = datetime(2024, 5, 15, tzinfo=UTC)
    made = 0
    for line in lines:
        message = Message(id="m", place=room, speaker=Entity("human", "a"), text=line, said_at=at)
        made += len(BuiltinExtractor().extract([message]))
    return len(lines), made


def speed(chosen: list[Conversation]) -> float:
    """Messages a second on one core, by processor time."""
    extractor = BuiltinExtractor()
    chosen[0].facts(extractor)
    started = time.process_time()
    for conversation in chosen:
        conversation.facts(extractor)
    return sum(len(one.turns) for one in chosen) / (time.process_time() - started)
