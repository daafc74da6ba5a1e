"""The nouns of screening: a finding, and all that was seen in one text."""

from dataclasses import dataclass

from confide.language.attributes import Attribute
from confide.model import Sensitivity


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
