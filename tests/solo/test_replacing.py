"""What somebody says later takes the place of what they said before, and never by likeness alone."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from confide.language.replacing import replaces
from confide.means import system_clock
from confide.model import Trust
from confide.remember.reconcile import Said, is_update

PAIRS = tomllib.loads((Path(__file__).parent / "pairs.toml").read_text("utf-8"))
LEAST_HELD = 11  # of 12


def takes_its_place(new: str, old: str) -> bool:
    later, before = (
        Said(text=one, said_at=system_clock(), trust=Trust.SAID, speaker="human:me")
        for one in (new, old)
    )
    return is_update(later, before) or replaces(new, old)


@pytest.mark.req("A13")
def test_new_words_replace_old_ones() -> None:
    assert [p for p in PAIRS["replaced"]["tuned"] if not takes_its_place(p[1], p[0])] == []
    held = PAIRS["replaced"]["held"]
    assert sum(takes_its_place(new, old) for old, new in held) >= LEAST_HELD


@pytest.mark.req("A13")
@pytest.mark.parametrize("half", ["tuned", "held"])
def test_what_is_true_beside_each_other_stays(half: str) -> None:
    """Whichever of the two is said first."""
    pairs = PAIRS["both"][half]
    assert [p for p in pairs if takes_its_place(*p) or takes_its_place(p[1], p[0])] == []


@pytest.mark.parametrize(
    "text", ["", "…", "no longer", "`", "from to", "not not not", "instead of", "a" * 5000]
)
def test_any_text_can_be_compared(text: str) -> None:
    assert not replaces(text, text)
    assert not replaces(text, "The port is 80.")
