"""Words that ask for confidence ("between us") or that nothing is remembered ("off the record")."""

import re
from functools import cache

from confide.language.lists import OWN
from confide.language.words import plain

#: Words that may stand beside such a wish without saying anything: "please", "ok guys".
FEW = 3
WORD = re.compile(r"[^\W\d_]+")


def asks_for_confidence(text: str) -> bool:
    """Whether it should stay between those who are there, or those who are named."""
    return _pattern("between_us").search(plain(text)) is not None


def asks_for_nothing_else(text: str) -> bool:
    """Whether such a wish is all that the text says, so that it is about what was said before."""
    rest, found = _pattern("between_us").subn(" ", plain(text))
    return found > 0 and len(WORD.findall(rest)) <= FEW


def without_wish(text: str) -> str:
    """The text with such wishes blanked out, so that positions still hold."""
    return _pattern("between_us").sub(lambda found: " " * len(found[0]), text)


def is_off_the_record(text: str) -> bool:
    return _pattern("off_the_record").search(plain(text)) is not None


@cache
def _pattern(name: str) -> re.Pattern[str]:
    """Case counts only for names: "don't tell Kate" names somebody, "don't tell lies" nobody."""
    listed = OWN.table("confidence")
    one = "|".join(pattern for patterns in listed[name].values() for pattern in patterns)
    for part, said in listed["parts"].items():
        one = one.replace("{" + part + "}", said)
    one = one.replace("[A-Z]", "(?-i:[A-ZÀ-Þ])").replace("'", "['’]")
    return re.compile(rf"(?<!\w)(?:{one})", re.IGNORECASE)
