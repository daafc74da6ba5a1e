"""What turns text into vectors. Questions and memories are embedded differently by some models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

Vector = Sequence[float]


class Embedder(Protocol):
    """Two kinds exist: the built-in one and those of providers."""

    @property
    def model(self) -> str: ...

    async def embed_documents(self, texts: Sequence[str]) -> list[Vector]: ...

    async def embed_query(self, text: str) -> Vector: ...
