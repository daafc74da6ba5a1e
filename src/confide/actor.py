"""Who acts, and how they are known. Separate from who asks: a bot acts for many askers."""

from __future__ import annotations

from dataclasses import dataclass

from confide.model import Entity
from confide.privacy.acting import CallerKind


@dataclass(frozen=True, slots=True)
class Actor:
    entity: Entity | None  # None: nobody in particular
    kind: CallerKind

    def __str__(self) -> str:
        if self.entity is None:
            return self.kind.value
        return f"{self.kind.value} as {self.entity}"


def operator_as(entity: Entity | None = None) -> Actor:
    return Actor(entity, CallerKind.OPERATOR)
