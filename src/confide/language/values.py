"""Validators of attribute values: each gives the canonical value, or None."""

import re
from collections.abc import Callable
from functools import cache, partial

from confide.language.lists import OWN
from confide.language.words import fold

HANDLE = re.compile(r"(?=.*[^\W\d])[A-Za-z0-9][\w.#-]{1,30}[\w#]|[A-Za-z0-9_]{3,16}")
OFFSET = re.compile(r"(?:UTC|GMT)\s?([+-−–])\s?(\d{1,2})(?::?([03]0|45))?", re.IGNORECASE)
AND = re.compile(r"\s*(?:,|\s\+\s|&|\b(?:and|und|et|y|e|i|plus)\b)\s*", re.IGNORECASE)
SOME = re.compile(
    r"^(?:some|a little|a bit of|fluent|ein bisschen|etwas|un peu de|un poco de|um pouco de) ",
    re.IGNORECASE,
)
ARTICLE = re.compile(
    r"^(?:the|der|die|das|den|dem|le|la|les|l'|el|los|las|o|a|os|as|um|eine?m?)\s+", re.IGNORECASE
)
MOST_VALUES = 8


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


def _handle(match: re.Match[str]) -> str | None:
    said = match["value"].strip("`*\"'“”‘’ ")
    is_name = HANDLE.fullmatch(said) and not said.isdigit() and not is_a_state(said)
    return said if is_name else None


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


def _one(name: str, match: re.Match[str]) -> str | None:
    return known(name, match["value"])


def _several(name: str, match: re.Match[str]) -> str | None:
    said = [SOME.sub("", part) for part in AND.split(match["value"]) if part]
    values = [known(name, part) for part in said]
    if not values or len(values) > MOST_VALUES or None in values:
        return None
    return ", ".join(dict.fromkeys(value for value in values if value))


def _time_zone(match: re.Match[str]) -> str | None:
    offset = OFFSET.fullmatch(match["value"].strip())
    if not offset:
        return known("time_zones", match["value"])
    sign, hours, minutes = offset.groups()
    if int(hours) > 14:
        return None
    return f"UTC{'+' if sign == '+' else '-'}{int(hours)}" + (f":{minutes}" if minutes else "")


def _region(match: re.Match[str]) -> str | None:
    return known("regions", match["value"])


def _edition(match: re.Match[str]) -> str | None:
    return {
        "java": "Java Edition",
        "bedrock": "Bedrock Edition",
        "education": "Education Edition",
    }.get(fold(match["value"]).removesuffix(" edition"))


def _expertise(match: re.Match[str]) -> str | None:
    said = fold(match["value"])
    levels = OWN.table("attributes")["levels"]
    level = next((name for name, forms in levels.items() if said in map(fold, forms)), None)
    topic = next(
        (
            found
            for name in ("programming_languages", "skills", "games", "mods")
            if (found := known(name, match["topic"]))
        ),
        None,
    )
    return f"{level} in {topic}" if level and topic else None


VALIDATORS: dict[str, Callable[[re.Match[str]], str | None]] = {
    "in_game_name": _handle,
    "user_name": _handle,
    "time_zone": _time_zone,
    "region": _region,
    "programming_languages": partial(_several, "programming_languages"),
    "favourite_game": partial(_one, "games"),
    "favourite_mod": partial(_one, "mods"),
    "favourite_modpack": partial(_one, "modpacks"),
    "game_edition": _edition,
    "platform": partial(_several, "platforms"),
    "expertise": _expertise,
    "spoken_languages": partial(_several, "spoken_languages"),
}
