"""What somebody wants remembered, with every privacy field (K14)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from confide.errors import InvalidInput
from confide.model import Entity, Kind, Namespace, Place, Scope, Sensitivity
from confide.privacy.atoms import Atom


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    text: str
    by: Entity  # whose memory it becomes; the agent itself for what it saw
    place: Place
    source: Entity | None = None  # who told it, if that is not `by`
    about: frozenset[Entity] = frozenset()  # nobody named: it is about whoever told it
    present: frozenset[Entity] = frozenset()
    kind: Kind | None = None
    sensitivity: Sensitivity | None = None
    scope: Scope | None = None  # narrower than the place gives, or `global` where that is allowed
    access: frozenset[Atom] = frozenset()
    consent: frozenset[Entity] = frozenset()
    namespace: Namespace | None = None
    lifetime: timedelta | None = None
    confidence: float = 1.0
    is_portable: bool = False
    is_portable_confirmed: bool = False
    said_at: datetime | None = None
    before: tuple[Statement, ...] = ()  # what was said just before it, oldest first; helps find it

    def __post_init__(self) -> None:
        if not 0 <= self.confidence <= 1:
            raise InvalidInput("confidence", "must be between 0 and 1")
        if self.lifetime is not None and self.lifetime <= timedelta(0):
            raise InvalidInput("lifetime", "must be longer than nothing; for example 2w")
        if self.consent and not self.access:
            raise InvalidInput(
                "consent", "says who agreed to sharing, but nothing is shared; add access"
            )
