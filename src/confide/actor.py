"""Who acts, and how that is proven. Separate from who asks: a bot acts for many askers."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from confide.model import Entity


class Proof(StrEnum):
    PLATFORM = "platform"  # a chat platform vouches for its account
    KEY = "key"  # the entity's own key
    OPERATOR = "operator"  # whoever holds the disk
    AUDITOR = "auditor"  # a key that sees labels without content
    ADMIN = "admin"  # a key for configuration, without content


@dataclass(frozen=True, slots=True)
class Actor:
    entity: Entity | None  # None: the operator, as nobody in particular
    proof: Proof

    def __str__(self) -> str:
        if self.entity is None:
            return self.proof.value
        return f"{self.proof.value} as {self.entity}"


def operator_as(entity: Entity | None = None) -> Actor:
    return Actor(entity, Proof.OPERATOR)
