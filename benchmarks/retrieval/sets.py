"""The conversations and questions that retrieval is measured on, in one shape."""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from pathlib import Path

import yaml

DATA = Path(os.environ.get("CONFIDE_DATA", Path(__file__).parents[3] / "shared" / "data"))
HERE = Path(__file__).parent


@dataclass(frozen=True)
class Turn:
    speaker: str
    text: str
    is_new: bool = False  # nothing was said just before


@dataclass(frozen=True)
class Question:
    text: str
    evidence: frozenset[int]  # turns by position
    category: str


@dataclass(frozen=True)
class Conversation:
    number: int
    turns: list[Turn]
    questions: list[Question]
    asker: str = ""  # who asks "what did I say?"


def locomo() -> list[Conversation]:
    """Ten long conversations of two friends; categories 1-4 can be answered."""
    raw = json.loads((DATA / "locomo" / "locomo10.json").read_text())
    return [_locomo_one(number, one) for number, one in enumerate(raw)]


def _locomo_one(number: int, raw: dict) -> Conversation:
    talk = raw["conversation"]
    sessions = sorted(int(key[8:]) for key in talk if re.fullmatch(r"session_\d+", key))
    said = [turn for session in sessions for turn in talk[f"session_{session}"]]
    position = {turn["dia_id"]: i for i, turn in enumerate(said)}
    questions = []
    for asked in raw["qa"]:
        # Some evidence is written "D8:6; D9:17" or "D:11:26"; two ids name no turn.
        ids = re.findall(r"D:?(\d+):(\d+)", " ".join(asked["evidence"]))
        names = [f"D{int(session)}:{int(turn)}" for session, turn in ids]
        evidence = frozenset(position[name] for name in names if name in position)
        if asked["category"] != 5 and evidence:
            questions.append(Question(asked["question"], evidence, str(asked["category"])))
    return Conversation(number, [Turn(t["speaker"], t["text"]) for t in said], questions)


def assistant_chats() -> Conversation:
    """One person's chats with an assistant, written for this project."""
    raw = yaml.safe_load((HERE / "assistant_chats.yaml").read_text())
    turns: list[Turn] = []
    position: dict[str, int] = {}
    for chat in raw["chats"]:
        for i, line in enumerate(chat["turns"]):
            ((speaker, text),) = line.items()
            position[f"{chat['id']}:{i + 1}"] = len(turns)
            turns.append(Turn({"u": raw["asker"], "a": "Assistant"}[speaker], text, i == 0))
    questions = [
        Question(q["ask"], frozenset(position[e] for e in q["evidence"]), q["kind"])
        for q in raw["questions"]
    ]
    return Conversation(0, turns, questions, raw["asker"])


def unknown() -> dict[str, list[str]]:
    """Questions nothing stored can answer."""
    return yaml.safe_load((HERE / "unknown.yaml").read_text())
