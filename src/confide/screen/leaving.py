"""Which text may leave this machine for a provider's model (S18). A provider is a recipient too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from confide.model import Sensitivity

if TYPE_CHECKING:
    from confide.screen.screen import Screen

External = Literal["all", "not_sensitive", "none"]


class Leaving:
    """Asked before anything is sent. Credentials never leave, whatever the rule."""

    def __init__(self, screen: Screen, rule: External) -> None:
        self._screen = screen
        self.rule: External = rule

    def which(self, texts: Sequence[str]) -> list[bool]:
        """For each text, whether it may leave."""
        if self.rule == "none" or not texts:
            return [False] * len(texts)
        return [
            seen.secret is None
            and (
                self.rule == "all"
                or (seen.sensitivity is not Sensitivity.SENSITIVE and seen.pii_risk < 2)
            )
            for seen in self._screen.look_all(texts)
        ]

    def may(self, *texts: str) -> bool:
        """Whether all of them may leave, also together: two harmless halves may make a secret."""
        return all(self.which([*texts, "\n".join(texts)]))
