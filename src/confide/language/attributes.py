"""The closed set of harmless attributes (S5): a statement that says one value of its speaker, and no more.

A text states an attribute only when all of it is understood. Whatever else stands in a sentence (a
question, an if, a not, somebody else, a place, a reason) leaves nothing stated.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from confide.language.lists import OWN
from confide.language.values import VALIDATORS

LONGEST = 160
OPENING = re.compile(r"^[\s\"'“]*")
NAMED = re.compile(r"\(\?P<\w+>")
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
    return frozenset(OWN.table("attributes")["attributes"])


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
    found = _stated(said)
    return Stated(found, said) if found and _first_person().search(said) else None


def _without_frame(said: str) -> str:
    if slanted := SLANTED.fullmatch(said):
        said = slanted["said"]
    while True:
        shorter = _frame().sub("", AROUND.sub("", said))
        if shorter == said:
            return said
        said = shorter


def _stated(said: str) -> Attribute | None:
    if not _any_sentence().fullmatch(said):
        return None
    for name, pattern in _sentences():
        match = pattern.fullmatch(said)
        if match and (value := VALIDATORS[name](match)):
            return Attribute(name=name, value=value)
    return None


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
def _first_person() -> re.Pattern[str]:
    return re.compile(
        rf"(?:^|\s)(?:{_any_of(OWN.table('own_words')['first_person'])})(?:\s|$|(?<='))",
        re.IGNORECASE,
    )


@cache
def _of_oneself() -> re.Pattern[str]:
    """Whether any word could be one of the first person, whatever marks stand around it: a quick
    look, for most of what people say is not about themselves."""
    first = _any_of(OWN.table("own_words")["first_person"])
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


@cache
def _any_sentence() -> re.Pattern[str]:
    """All sentences in one look, which most texts end with."""
    sentences = (NAMED.sub("(?:", pattern.pattern) for _, pattern in _sentences())
    return re.compile("|".join(f"(?:{sentence})" for sentence in sentences), re.IGNORECASE)


@cache
def _sentences() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Each attribute's sentences as patterns; `{value}` and the like become groups."""
    listed = OWN.table("attributes")
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
    return sentence.replace("'", "['’]").replace(" ?", r"\s*").replace(" ", r"\s+")
