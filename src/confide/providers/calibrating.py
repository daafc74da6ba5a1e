"""What the cosines of an embedding model mean, measured on sentences that belong to nobody.

The agent's own memories are not used: a threshold that depended on them would tell something of them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from confide.providers.embedder import Embedder, Vector


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """Cosine of texts that have nothing to do with each other, and from where on they have."""

    unrelated: float
    threshold: float


#: Until a model is measured: what models of this kind usually show.
USUAL = Scale(unrelated=0.35, threshold=0.6)


async def measure(embedder: Embedder) -> Scale:
    """Nearly no strangers are above the threshold."""
    pairs = [line.split("\t") for line in _lines()]
    questions = [await embedder.embed_query(one) for one, _ in pairs]
    answers = await embedder.embed_documents([other for _, other in pairs])
    strangers = sorted(
        _cosine(q, a) for n, q in enumerate(questions) for m, a in enumerate(answers) if n != m
    )
    # A model to which nearly all texts look alike still gets a scale with two ends.
    unrelated = min(sum(strangers) / len(strangers), 0.95)
    rare = strangers[int(0.99 * (len(strangers) - 1))]
    return Scale(
        unrelated=round(unrelated, 4), threshold=round(min(0.98, max(rare, unrelated + 0.02)), 4)
    )


def _lines() -> list[str]:
    text = (files("confide.providers") / "data" / "pairs.tsv").read_text("utf-8")
    return text.splitlines()


def _cosine(a: Vector, b: Vector) -> float:
    product = sum(x * y for x, y in zip(a, b, strict=True))
    return product / (_length(a) * _length(b) or 1.0)


def _length(vector: Sequence[float]) -> float:
    return math.sqrt(sum(x * x for x in vector))
