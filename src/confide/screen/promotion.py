"""Promotion to `global`: only harmless typed attributes, if every condition holds (S5, S7)."""

import math
from dataclasses import dataclass
from functools import cache

from confide.language.attributes import Attribute
from confide.language.words import Terms, plain, words
from confide.model import Kind, Sensitivity
from confide.screen.findings import Screening
from confide.screen.lists import table
from confide.screen.never_global import name_tells_something

LEAST_CONFIDENCE = 0.9
HANDLES = frozenset({"in_game_name", "user_name"})
LASTING = frozenset({Kind.PREFERENCE, Kind.IDENTITY, Kind.KNOWLEDGE})


@dataclass(frozen=True, slots=True, kw_only=True)
class Promotion:
    """Whether a memory may become `global`: the attribute to keep, or the reasons against it."""

    attribute: Attribute | None
    reasons: tuple[str, ...]

    @property
    def is_allowed(self) -> bool:
        return self.attribute is not None


def may_be_global(
    screening: Screening, *, kind: Kind, confidence: float | None, global_safe: bool | None
) -> Promotion:
    """Whether a memory may be told to its owner anywhere. What is missing counts against it."""
    reasons = tuple(_reasons(screening, kind, confidence, global_safe))
    return Promotion(attribute=None if reasons else screening.attribute, reasons=reasons)


def _reasons(
    screening: Screening, kind: Kind, confidence: float | None, global_safe: bool | None
) -> list[str]:
    checks = (
        (screening.attribute is not None, "it is not one of the harmless attributes"),
        (not _tells(screening.attribute), "the name itself says something about its owner"),
        (global_safe is True, "the extractor did not mark it as safe everywhere"),
        (kind in LASTING, "it is not a lasting fact about its owner alone"),
        (_is_sure(confidence), f"its confidence is below {LEAST_CONFIDENCE}"),
        (screening.sensitivity is Sensitivity.PUBLIC, "it is not public"),
        (screening.never_global is None, "it touches what is never told everywhere"),
        (screening.secret is None, "it holds a credential"),
        (screening.pii_risk == 0, "it holds personal data"),
        (screening.instruction is None, "it reads like an instruction to the model"),
    )
    return [reason for holds, reason in checks if not holds]


def _tells(attribute: Attribute | None) -> bool:
    """Whether a handle says more than what somebody is called."""
    return (
        attribute is not None
        and attribute.name in HANDLES
        and name_tells_something(attribute.value)
    )


def _is_sure(confidence: float | None) -> bool:
    # The string "1.0", NaN and 7 have all been seen from extractors.
    if not isinstance(confidence, int | float) or isinstance(confidence, bool):
        return False
    return math.isfinite(confidence) and LEAST_CONFIDENCE <= confidence <= 1


def asks_for_everywhere(text: str) -> bool:
    """Whether somebody asks to have something remembered everywhere (S5)."""
    return next(_everywhere().find(words(plain(text))), None) is not None


@cache
def _everywhere() -> Terms:
    return Terms((term, "everywhere") for term in table("everywhere")["terms"])
