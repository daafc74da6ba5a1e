"""Step 4 of recalling: what may be told, as a block of text for a model."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime

from confide.privacy.policy import Audience
from confide.recall.words import age_in_words, confidence_in_words
from confide.store.memory import Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A memory that this audience hears."""

    memory: Memory
    relevance: float

    @property
    def confidence_in_words(self) -> str:
        return confidence_in_words(self.memory.confidence)


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """The answer to a recall. Nothing found is an answer too."""

    question: str
    audience: Audience
    now: datetime
    memories: tuple[Told, ...] = ()

    def __str__(self) -> str:
        return self.markdown()

    def markdown(self) -> str:
        return "\n".join(_line(told, self.now) for told in self.memories)


def _line(told: Told, now: datetime) -> str:
    m = told.memory
    text = json.dumps(m.text, ensure_ascii=False)
    return (
        f"- {text} ({m.kind.value}, of {m.owner}, {age_in_words(m.said_at, now)}, "
        f"{told.confidence_in_words}, relevance {told.relevance:.2f}, id {m.id})"
    )
