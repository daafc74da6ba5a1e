"""The closed set of harmless attributes (S5): a statement that says one value of its speaker, and no more.

A text states an attribute only when all of it is understood. Whatever else stands in a sentence (a
question, an if, a not, somebody else, a place, a reason) leaves nothing stated.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from confide.language.lists import OWN
from confide.language.stating import own_words, stated
from confide.language.values import LISTS

LONGEST = 160
OPENING = re.compile(r"^[\s\"'“]*")
CLOSING = re.compile(r"[\s.!\"'”]*$")
#: What people put around words: emoji, smileys, dots.
TRIM = "\\s.!,;~*\U0001f000-\U0001faff\u2600-\u27bf\ufe0f\u200d"
SMILEY = r"(?:[:;=8]-?[)D(Pp3]|<3|\^\^|xD)"
#: A handle may end with an underscore; one that a whole sentence stands between is a mark.
AROUND = re.compile(rf"^(?:[{TRIM}_]|{SMILEY}(?!\w))+|(?:[{TRIM}]|\s{SMILEY})+$", re.IGNORECASE)
SLANTED = re.compile(r"\s*(_+)(?P<said>.*[^_])\1\s*", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Attribute:
    """One harmless trait, with its value in canonical form."""

    name: str
    value: str

    def __str__(self) -> str:
        return f"{self.name.replace('_', ' ')}: {self.value}"


@cache
def attribute_names() -> frozenset[str]:
    """What each of them is called."""
    return frozenset({*LISTS, "in_game_name", "user_name", "game_edition"})


def find_attribute(text: str, owner_names: Sequence[str] = ()) -> Attribute | None:
    """The one attribute that the whole text states of its owner, in a summary too; else None."""
    if len(text) > LONGEST or "\n" in text.strip():
        return None
    return _stated(CLOSING.sub("", OPENING.sub("", _in_first_person(text, owner_names))))


@dataclass(frozen=True, slots=True)
class Stated:
    """An attribute, and the words that state it."""

    attribute: Attribute
    words: str


def stated_by_speaker(sentence: str) -> tuple[Stated, ...]:
    """What a person says outright of themselves in a sentence of theirs: what says it must be
    understood to the last word, be in the first person and be no question."""
    if len(sentence) > LONGEST or "\n" in sentence.strip() or not _of_oneself().search(sentence):
        return ()
    said = _without_frame(sentence)
    for parts in ([said], _joins().split(said), _before_another_matter(said)):
        found = [_own(_without_frame(part)) for part in parts if part.strip()]
        if all(found):
            return tuple(one for one in found if one)
    return ()


def _before_another_matter(said: str) -> list[str]:
    """Of "my ign is Zyx_99 and I can't sleep" the first half, which the other does not touch."""
    match = _another_matter().fullmatch(said)
    return [match["first"]] if match else [said]


def _own(said: str) -> Stated | None:
    found = _stated(said, by_owner=True)
    return Stated(found, said) if found else None


def _without_frame(said: str) -> str:
    if slanted := SLANTED.fullmatch(said):
        said = slanted["said"]
    while True:
        shorter = _frame().sub("", AROUND.sub("", said))
        if shorter == said:
            return said
        said = shorter


def _stated(said: str, *, by_owner: bool = False) -> Attribute | None:
    found = stated(said, by_owner=by_owner)
    return Attribute(name=found[0], value=found[1]) if found else None


def _in_first_person(text: str, owner_names: Sequence[str]) -> str:
    """A summary names its owner: "Alice's time zone is CET" says "my time zone is CET"."""
    for name in (*owner_names, "The user", "User"):
        for ending, mine in (("'s ", "my "), ("’s ", "my "), (" ", "")):
            if text.casefold().startswith((name + ending).casefold()):
                return mine + text[len(name + ending) :]
    return text


@cache
def _frame() -> re.Pattern[str]:
    own = OWN.table("own_words")
    opening, closing = (_any_of(own[name]) for name in ("openings", "closings"))
    return re.compile(
        rf"^(?:{opening})(?:[\s,:;.!—–-]+|$)|(?:^|[\s,;.!—–(-]+)(?:{closing})\)?$", re.IGNORECASE
    )


@cache
def _of_oneself() -> re.Pattern[str]:
    """Whether any word could be one of the first person, whatever marks stand around it: a quick
    look, for most of what people say is not about themselves."""
    first = _any_of([*OWN.table("own_words")["first_person"], *own_words()])
    return re.compile(rf"(?<![^\W_])(?:{first})(?:(?![^\W_])|(?<=['’]))", re.IGNORECASE)


@cache
def _another_matter() -> re.Pattern[str]:
    own = OWN.table("own_words")
    joins, first, back = (_any_of(own[name]) for name in ("joins", "first_person", "points_back"))
    return re.compile(
        rf"(?P<first>.{{3,60}}?),?\s+(?:{joins})\s+(?:\w+ly\s+)?(?:{first})\b"
        rf"(?!.*\b(?:{back})\b).*",
        re.IGNORECASE,
    )


@cache
def _joins() -> re.Pattern[str]:
    joins = _any_of(OWN.table("own_words")["joins"])
    return re.compile(rf"\s*[,;]\s*(?:(?:{joins})\s+)?|\s+(?:{joins})\s+", re.IGNORECASE)


def _any_of(terms: Sequence[str]) -> str:
    """Longest first, so that "btw" does not hide "btw if you see me"; either apostrophe."""
    escaped = (re.escape(one).replace("'", "['’]") for one in sorted(set(terms), key=len)[::-1])
    return "|".join(one.replace(r"\ ", r"\s+") for one in escaped)
