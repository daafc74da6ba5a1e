"""Values of attributes: which words are one, and what it is called."""

import re
from functools import cache
from typing import NamedTuple

from confide.language.lists import OWN
from confide.language.words import fold

HANDLE = re.compile(r"(?=.*[^\W\d])[A-Za-z0-9][\w.#-]{1,30}[\w#]|[A-Za-z0-9_]{3,16}")
OFFSET = re.compile(r"(?:UTC|GMT)\s?([+-−–])\s?(\d{1,2})(?::?([03]0|45))?", re.IGNORECASE)
ARTICLE = re.compile(
    r"^(?:the|der|die|das|den|dem|le|la|les|l'|el|los|las|o|a|os|as|um|eine?m?)\s+", re.IGNORECASE
)
# Some are said of a moment: "I'm on my phone".
OF_A_MOMENT = frozenset({"mobile", "tablet"})
DISTINCT = re.compile(r"[\d_#.-]|(?<=[^\WA-Z])[A-Z]")
LISTS = {
    "time_zone": ("time_zones",),
    "region": ("regions",),
    "programming_languages": ("programming_languages",),
    "favourite_game": ("games",),
    "favourite_mod": ("mods",),
    "favourite_modpack": ("modpacks",),
    "platform": ("platforms",),
    "expertise": ("programming_languages", "skills", "games", "mods"),
    "spoken_languages": ("spoken_languages",),
}
EDITIONS = {"java": "Java Edition", "bedrock": "Bedrock Edition", "education": "Education Edition"}


class Value(NamedTuple):
    name: str
    is_plain: bool = True  # means only this, so that few words need to stand around it
    is_level: bool = False


def known(name: str, said: str) -> str | None:
    """The canonical form of a listed value."""
    values = _listed(name)
    exact = fold(said.strip())
    return values.get(exact) or values.get(ARTICLE.sub("", exact))


@cache
def _listed(name: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for line in OWN.lines(name):
        canonical, *others = (part.strip() for part in line.split(" = "))
        for form in (canonical, *others):
            found.setdefault(fold(form), canonical)
    return found


def is_a_state(said: str) -> bool:
    """Whether it says how something is, rather than what it is called: "hacked", "geheim"."""
    word = fold(said)
    return said.isalpha() and (word in no_values() or bool(_states().fullmatch(said.lower())))


@cache
def no_values() -> frozenset[str]:
    """Words that stand where a value is expected and are none."""
    return frozenset(map(fold, OWN.table("own_words")["no_values"].split()))


@cache
def _states() -> re.Pattern[str]:
    return re.compile(OWN.table("own_words")["participles"])


def value_at(attribute: str, said: str) -> Value | None:
    """The value of an attribute that the words are, if they are one."""
    if attribute == "game_edition":
        edition = EDITIONS.get(fold(said).removesuffix(" edition"))
        return Value(edition) if edition else None
    if attribute == "time_zone":
        return _time_zone(said)
    if attribute == "expertise" and (level := _levels().get(fold(said))):
        return Value(level, is_level=True)
    for name in LISTS[attribute]:
        if found := known(name, said):
            return Value(found, is_plain=found not in OF_A_MOMENT)
    return None


def _time_zone(said: str) -> Value | None:
    offset = OFFSET.fullmatch(said.strip())
    if offset:
        sign, hours, minutes = offset.groups()
        if int(hours) > 14:
            return None
        name = f"UTC{'+' if sign == '+' else '-'}{int(hours)}" + (f":{minutes}" if minutes else "")
        return Value(name)
    # "Tokyo time" is one; somebody may be in Tokyo for a day.
    if (found := known("time_zones", said)) and ("/" in said or "/" not in found):
        return Value(found)
    zone = _zones_of_cities().get(fold(said))
    return Value(zone, is_plain=False) if zone else None


@cache
def _zones_of_cities() -> dict[str, str]:
    zones = (line.split(" = ") for line in OWN.lines("time_zones") if "/" in line)
    return {
        fold(city): zone
        for zone, *others in zones
        for city in (zone.rsplit("/", 1)[1].replace("_", " "), *others)
    }


@cache
def _levels() -> dict[str, str]:
    levels: dict[str, list[str]] = OWN.table("attributes")["levels"]
    return {fold(form): level for level, forms in levels.items() for form in forms}


def is_handle(said: str) -> bool:
    """Whether somebody can be called so: no state ("hacked"), place or other thing that is known."""
    return (
        bool(HANDLE.fullmatch(said))
        and not said.isdigit()
        and (bool(DISTINCT.search(said)) or not is_a_state(said))
        and not any(value_at(attribute, said) for attribute in (*LISTS, "game_edition"))
    )


def is_distinct(said: str, *, is_capital_telling: bool) -> bool:
    """Whether it looks like a name that somebody chose, and like no word."""
    return bool(DISTINCT.search(said)) or (is_capital_telling and said[0].isupper())
