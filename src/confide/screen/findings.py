"""The nouns of screening: a finding, and all that was seen in one text."""

from dataclasses import dataclass
from typing import Final

from confide.language.attributes import Attribute
from confide.language.rules import Rule
from confide.model import Sensitivity, Trust

ORDERS_AN_ACT: Final = "orders an act, which may come from a page that a model has read"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Something seen in a text. The reason uses our words, never the text's."""

    kind: str
    reason: str
    span: tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Screening:
    """What the screen saw in one text, each part with its reason."""

    secret: Finding | None
    pii_risk: int
    pii: tuple[Finding, ...]
    sensitivity: Sensitivity
    sensitive: tuple[Finding, ...]
    attribute: Attribute | None
    never_global: Finding | None
    instruction: Finding | None
    rule: Rule | None = None  # how to answer or write, or something to do

    def instructs(self, *, is_carried: bool = False) -> str | None:
        """Why it waits, if it tells the model what to do. `is_carried`: a model wrote the words, and
        may have read them on a page."""
        if self.instruction is not None:
            return f"it reads like an instruction: {self.instruction.reason}"
        if is_carried and self.rule is Rule.ACT:
            return f"it reads like an instruction: {ORDERS_AN_ACT}"
        return None

    def is_procedural(self, trust: Trust) -> bool:
        """S10: how a person wants things done, in their own words. What orders an act becomes so once
        its owner freed it (B18)."""
        return self.rule is not None and trust is Trust.SAID
