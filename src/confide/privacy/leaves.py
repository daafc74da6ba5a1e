"""Parts of an answer: why each may leave, and under which name."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class Leaf(StrEnum):
    TOLD = "told"  # everyone who reads the answer may hear it
    OWN = "own"  # the caller's own affairs: blank unless they alone read the answer
    OWN_NUMBERS = "own numbers"  # the same, and shown to those who see numbers without words
    SAID = "said"  # the caller said or did it themselves, a moment ago
    PLAIN = "plain"  # ids, times, counts and labels that this kind of caller may see
    HERE = "here"  # for whoever opened the store; it is never sent


@dataclass(frozen=True, slots=True)
class Called:
    """What a field is called on every surface, where that is not its name in Python."""

    name: str


class Flat:
    """The parts of this value stand in the answer themselves."""


FLAT: Final = Flat()
