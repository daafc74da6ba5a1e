"""An age under eighteen that somebody states: at least personal, in five languages."""

import re
from collections.abc import Iterator
from functools import cache

from confide.screen.findings import Finding
from confide.screen.lists import table


def find_minor(text: str) -> Iterator[Finding]:
    """Where the text gives the age of somebody who is not grown up."""
    for match in _pattern().finditer(text):
        yield Finding(kind="minors", reason="minors: a stated age under 18", span=match.span())


@cache
def _pattern() -> re.Pattern[str]:
    said = table("ages")
    young = rf"(?:{'|'.join(said['numbers'])})"
    one = "|".join(pattern.replace("{age}", young) for pattern in said["patterns"])
    return re.compile(one, re.IGNORECASE)
