"""Judging by hand: draws memories, shows them, and counts the verdicts.

The file of verdicts names memories by conversation, turn, position and a hash of their text, so it
holds nothing of the data set, and a verdict counts only for the very text that was judged.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from benchmarks.extraction.locomo import Conversation, conversations, learned
from confide.model import Fact

FILE = Path(__file__).with_name("judged.jsonl")
SAMPLE = 200
SEED = 31415
THRESHOLD = 0.7  # A16: facts below it are not stored


def drawn() -> list[tuple[str, Conversation, Fact]]:
    """The seeded sample of what would be stored; a small change of rules changes it little."""
    named = [
        (name, conversation, fact)
        for conversation in conversations()
        for name, fact in _named(conversation)
    ]
    return sorted(named, key=_lot)[:SAMPLE]


def _lot(one: tuple[str, Conversation, Fact]) -> str:
    place, _, _ = one[0].partition("#")
    return hashlib.sha256(f"{SEED} {place}".encode()).hexdigest()


def _named(conversation: Conversation) -> Iterator[tuple[str, Fact]]:
    position: Counter[str] = Counter()
    for fact in learned(THRESHOLD)[conversation.id]:
        digest = hashlib.sha256(fact.text.encode()).hexdigest()[:8]
        yield f"{conversation.id}/{fact.message_id}/{position[fact.message_id]}#{digest}", fact
        position[fact.message_id] += 1


def verdicts() -> dict[str, dict]:
    lines = FILE.read_text("utf-8").splitlines() if FILE.exists() else []
    return {row["id"]: row for row in map(json.loads, lines)}


class Verdicts(NamedTuple):
    """How many of the sample were judged, how many are good, and why the others are not."""

    judged: int
    good: int
    outright: float  # good among those of confidence 1.0
    reasons: Counter[str]


def counted() -> Verdicts:
    known = verdicts()
    judged = [(known[name], fact) for name, _, fact in drawn() if name in known]
    sure = [row["verdict"] == "good" for row, fact in judged if fact.confidence == 1.0]
    return Verdicts(
        judged=len(judged),
        good=sum(row["verdict"] == "good" for row, _ in judged),
        outright=sum(sure) / max(len(sure), 1),
        reasons=Counter(row["why"] for row, _ in judged if row["verdict"] == "bad"),
    )


def show() -> None:
    """Print what is to be judged, with the turn before it and the whole turn."""
    known = verdicts()
    for number, (name, conversation, fact) in enumerate(drawn()):
        turns = conversation.turns
        at = next(i for i, turn in enumerate(turns) if turn.id == fact.message_id)
        mark = known.get(name, {}).get("verdict", "to judge")
        print(f"{number:3} {name}  [{mark}]  {turns[at].said_at:%Y-%m-%d}")
        print(f"    before: {turns[at - 1].text[-160:] if at else ''}")
        print(f"    turn:   {turns[at].text}")
        about = f"  about {', '.join(fact.subjects)}" if fact.subjects else ""
        print(
            f"    MEMORY  {fact.speaker.id}: {fact.text}  ({fact.kind}, {fact.confidence}{about})"
        )
