"""What somebody wants remembered, with every privacy field (K14)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from confide.errors import InvalidInput
from confide.language.confidence import asks_for_confidence
from confide.model import Entity, Kind, Namespace, Place, Scope, Sensitivity
from confide.privacy.atoms import Atom
from confide.privacy.places import direct, is_elsewhere

#: What is said for everyone is not said in confidence.
WIDE: Final = (Scope.GLOBAL, Scope.PUBLIC)


def require_statement(given: object) -> None:
    """A bare text says neither who said it nor where, and nothing is remembered without."""
    if not isinstance(given, Statement):
        raise not_a_statement(given)


def not_a_statement(given: object) -> InvalidInput:
    return InvalidInput(
        "statement",
        f"is {type(given).__name__} instead of a Statement; make one with"
        ' confide.statement("…", by="human:alice", place="dm")',
    )


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
    is_confidential: bool = False  # between those who are there, and nobody else
    only_for: frozenset[Entity] = frozenset()  # people and roles there who may know, if not all
    through: Place | None = None  # the connection that carries the words into a context
    before: tuple[Statement, ...] = ()  # what was said just before it, oldest first; helps find it

    def __post_init__(self) -> None:
        if is_elsewhere(self.place.kind):
            # Who else reads there is unknown, so it is kept for its speaker alone (B17).
            object.__setattr__(self, "place", direct(self.by))
        if not 0 <= self.confidence <= 1:
            raise InvalidInput("confidence", "must be between 0 and 1")
        if self.lifetime is not None and self.lifetime <= timedelta(0):
            raise InvalidInput("lifetime", "must be longer than nothing; for example 2w")
        asks = isinstance(self.text, str) and asks_for_confidence(self.text)  # pyright: ignore[reportUnnecessaryIsInstance]
        if asks and not (self.access or self.scope in WIDE):
            object.__setattr__(self, "is_confidential", True)
        for field, is_close in (
            ("confidential", self.is_confidential),
            ("only_for", self.only_for),
        ):
            if is_close and (self.access or self.scope in WIDE):
                raise InvalidInput(
                    field, "what is said in confidence is not shared; leave out access and scope"
                )
        if self.consent and not self.access:
            raise InvalidInput(
                "consent", "says who agreed to sharing, but nothing is shared; add access"
            )
