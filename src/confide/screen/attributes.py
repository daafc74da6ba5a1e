"""The closed set of harmless attributes (S5): a whole sentence that says one value, and no more."""

import re
from collections.abc import Callable, Sequence
from functools import cache

from confide.screen.findings import Attribute
from confide.screen.lists import table
from confide.screen.values import VALIDATORS

LONGEST = 160
OPENING = re.compile(r"^[\s\"'“]*")
NAMED = re.compile(r"\(\?P<\w+>")
CLOSING = re.compile(r"[\s.!\"'”]*$")


def find_attribute(text: str, owner_names: Sequence[str] = ()) -> Attribute | None:
    """The one attribute that the whole text states, its value validated; else None."""
    if len(text) > LONGEST or "\n" in text.strip():
        return None
    said = CLOSING.sub("", OPENING.sub("", _in_first_person(text, owner_names)))
    if not _any_sentence().fullmatch(said):
        return None
    for name, pattern in _sentences():
        match = pattern.fullmatch(said)
        if match:
            value = _canonical(name, match)
            if value:
                return Attribute(name=name, value=value)
    return None


def _canonical(name: str, match: re.Match[str]) -> str | None:
    validate: Callable[[re.Match[str]], str | None] = VALIDATORS[name]
    return validate(match)


def _in_first_person(text: str, owner_names: Sequence[str]) -> str:
    """A summary names its owner: "Alice's time zone is CET" says "my time zone is CET"."""
    for name in (*owner_names, "The user", "User"):
        for ending, mine in (("'s ", "my "), ("’s ", "my "), (" ", "")):
            if text.casefold().startswith((name + ending).casefold()):
                return mine + text[len(name + ending) :]
    return text


@cache
def _any_sentence() -> re.Pattern[str]:
    """All sentences in one look, which most texts end with."""
    sentences = (NAMED.sub("(?:", pattern.pattern) for _, pattern in _sentences())
    return re.compile("|".join(f"(?:{sentence})" for sentence in sentences), re.IGNORECASE)


@cache
def _sentences() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Each attribute's sentences as patterns; `{value}` and the like become groups."""
    listed = table("attributes")
    parts = {name: f"(?:{'|'.join(options)})" for name, options in listed["parts"].items()}
    return tuple(
        (name, re.compile(_with_groups(sentence, parts), re.IGNORECASE))
        for name, attribute in listed["attributes"].items()
        for sentence in attribute["sentences"]
    )


def _with_groups(sentence: str, parts: dict[str, str]) -> str:
    for name, options in parts.items():
        sentence = sentence.replace("{" + name + "}", options)
    sentence = sentence.replace("{value}", r"(?P<value>[^,;:?!\n]{1,60}?|\S{1,40})")
    sentence = sentence.replace("{list}", r"(?P<value>[^;:?!\n]{1,100}?)")
    sentence = sentence.replace("{topic}", r"(?P<topic>[^,;:?!\n]{1,40}?)")
    return sentence.replace(" ?", r"\s*").replace(" ", r"\s+")
