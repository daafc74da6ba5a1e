"""Street addresses in the forms of the supported languages."""

import re
from collections.abc import Iterator
from functools import cache

from confide.screen.findings import Finding
from confide.screen.lists import table

NAME = r"[^\W\d_][\w'’.-]*"


def find_addresses(text: str) -> Iterator[Finding]:
    """A street with a house number."""
    if any(map(str.isdigit, text)):
        for match in _streets().finditer(text):
            yield Finding(kind="address", reason="a street address", span=match.span())


@cache
def _streets() -> re.Pattern[str]:
    streets = table("pii")["streets"]
    after, before, endings = (
        "|".join(map(re.escape, streets[form]))
        for form in ("after_number", "before_name", "endings")
    )
    capital = r"(?-i:[A-ZÀ-ÞŠŽČĐ])[\w'’.-]*"
    numbered = rf"\b\d{{1,5}}[a-z]?,? (?:{capital} ){{1,4}}(?:{after})\b"
    named_first = rf"\b(?:{before})\.? (?:{NAME} ){{0,4}}{NAME},? (?:n[º°o.]*\.? ?)?\d{{1,5}}\b"
    number_named = rf"\b\d{{1,5}}(?: ?(?:bis|ter))?,? (?:{before}) (?:{NAME} ?){{1,5}}"
    suffixed = rf"\b{capital}(?:{endings}) \d{{1,4}}[a-z]?\b|\b{capital} (?:Straße|Strasse|Weg|Platz|Allee) \d{{1,4}}\b"
    unit = r"\b(?:apt|apartment|suite|unit)\.? #?\d{1,5}\b"
    box = r"\bP\.? ?O\.? Box \d+\b"
    return re.compile(
        "|".join((numbered, named_first, number_named, suffixed, unit, box)), re.IGNORECASE
    )
