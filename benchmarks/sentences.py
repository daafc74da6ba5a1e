"""Sentences made of a few words, so that hidden and told ones share them; and a question to them."""

from __future__ import annotations

import random
from datetime import UTC, datetime
from typing import Final

NOW: Final = datetime(2026, 3, 1, 12, tzinfo=UTC)
THINGS: Final = [
    "train",
    "boat",
    "cat",
    "garden",
    "winter",
    "coffee",
    "paint",
    "violin",
    "lisbon",
    "market",
    "anvil",
    "kettle",
]
QUESTION: Final = "Who painted the garden near the market in winter?"


def sentence(chance: random.Random, n: int) -> str:
    return f"{' '.join(chance.choices(THINGS, k=chance.randrange(2, 7)))} {n}"
