"""The words that the rules know, read once from the data folder."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any, Final

DAYS: Final = {
    "monday": 0, "tuesday": 1, "wednesday": 2, "thursday": 3, "friday": 4, "saturday": 5, "sunday": 6,
    "mon": 0, "tue": 1, "tues": 1, "wed": 2, "thu": 3, "thurs": 3, "fri": 4, "sat": 5, "sun": 6,
}  # fmt: skip
MONTHS: Final = {
    "january": 1, "february": 2, "march": 3, "april": 4, "may": 5, "june": 6, "july": 7, "august": 8,
    "september": 9, "october": 10, "november": 11, "december": 12,
    "jan": 1, "feb": 2, "mar": 3, "apr": 4, "jun": 6, "jul": 7, "aug": 8, "sept": 9, "sep": 9,
    "oct": 10, "nov": 11, "dec": 12,
}  # fmt: skip
NUMBERS: Final = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "eleven": 11, "twelve": 12, "fifteen": 15, "twenty": 20, "thirty": 30,
}  # fmt: skip


@cache
def read(name: str) -> dict[str, Any]:
    """A table from `data/<name>.toml`."""
    return tomllib.loads(
        (files("confide.providers.builtin") / "data" / f"{name}.toml").read_text("utf-8")
    )


@cache
def tags() -> dict[str, tuple[str, ...]]:
    """Each known word with the lists it stands in."""
    found: dict[str, list[str]] = {}
    for tag, words in read("words").items():
        for word in words.split():
            found.setdefault(word, []).append(tag)
    return {word: tuple(dict.fromkeys(lists)) for word, lists in found.items()}


@cache
def first_names() -> frozenset[str]:
    return frozenset(
        (files("confide.providers.builtin") / "data" / "first_names.txt").read_text("utf-8").split()
    )
