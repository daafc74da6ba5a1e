"""Step 6 of learning: whether a new memory repeats, replaces or stands beside what is known.

Nearness in meaning alone decides nothing: "is" and "is not" are near neighbours. What counts are the
words that carry content, the numbers and the negations. When in doubt both stay.
"""

from __future__ import annotations

import re
import uuid
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from confide.model import Trust
from confide.remember.lending import parts
from confide.store.connection import Row
from confide.store.memory import Memory
from confide.store.terms import terms, words

LEAST_SIMILARITY: Final = 0.85  # unless CONFIDE_MERGE_SIMILARITY says otherwise
_NEGATIONS: Final = frozenset(
    {"not", "no", "never", "none", "nothing", "nobody", "neither", "nor", "without", "cannot"}
    | {"dont", "doesnt", "didnt", "isnt", "arent", "wasnt", "wont", "wouldnt", "havent", "hasnt"}
    | {"cant", "aint", "stopped", "quit", "anymore", "longer"}
)
_CONTRACTED: Final = re.compile(r"n['’]t\b", re.IGNORECASE)
_DENIES: Final = re.compile(rf"n['’]t\b|\b(?:{'|'.join(sorted(_NEGATIONS))})\b", re.IGNORECASE)
_OF_ONESELF: Final = re.compile(r"\b(?:i|we|my)\b", re.IGNORECASE)
_FILLERS: Final = frozenset(
    {"really", "very", "quite", "so", "just", "actually", "also", "too", "now", "still", "pretty"}
    | {"currently", "always", "definitely", "totally", "truly", "absolutely", "well"}
)
_EMPTY: Final = frozenset(term for word in _NEGATIONS | _FILLERS for term in terms(word))
_NUMBER: Final = re.compile(r"\d+(?:[.,:/-]\d+)*")
#: What a person has one of at a time, and how they say which. A new value replaces the old one.
_ONE_AT_A_TIME: Final = tuple(
    (slot, re.compile(pattern, re.IGNORECASE))
    for slot, pattern in (
        ("home", r"\b(?:i|we)(?:'m| am|'re| are|'ve)? (?:now |currently |just |recently |have )*(?:live|living|moved|based)(?: now| back)? (?:in|to|at) (?!(?:an?|my|our|another|one|the (?!netherlands|uk|usa?|philippines|states|north|south|east|west|country|city|coast))\b)(?P<value>.+)"),
        ("work", r"\bi(?:'m| am)? (?:now |currently )?(?:work|working) (?:at|for) (?P<value>.+)"),
        ("job", r"\bi(?:'m| am)? (?:now |currently )?(?:work|working) as (?P<value>.+)"),
        ("job", r"\bi(?:'m| am) (?:now )?an? (?P<value>\w+ ?(?:engineer|developer|teacher|nurse|doctor|designer|manager|student|chef|lawyer|writer))\b"),
        ("age", r"\bi(?:'m| am|'ve turned| turned)(?: now)? (?P<value>\d{1,3})(?: years old)?\s*[.!]?$"),
        ("marriage", r"\bi(?:'m| am) (?:now )?(?P<value>single|married|divorced|engaged|widowed)\b"),
        ("", r"\bmy (?:new |current )?(?P<slot>name|nickname|pronouns|birthday|job|age|address|email|phone number|time ?zone|main(?: character)?|major|boss|favou?rite [\w ]{2,30}?|preferred [\w ]{2,30}?)(?: is|'s|:) (?:now )?(?P<value>.+)"),
    )
)  # fmt: skip
#: Of these one says more or less without meaning another.
_DESCRIBED: Final = frozenset({"home", "work", "job"})
#: Typed attributes (S5) of which a person has one.
SINGLE: Final = frozenset({"in game name", "user name", "time zone", "region"})


class Relation(StrEnum):
    """What a new statement is to an old one."""

    SAME = "same"
    NEWER = "newer"  # the new one replaces the old one
    OLDER = "older"  # the new one was said before the old one, which replaces it
    OTHER = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What reconciling may know of a statement."""

    text: str
    said_at: datetime
    trust: Trust
    speaker: str | None
    subjects: frozenset[str] = frozenset()
    attribute: str | None = None
    id: uuid.UUID | None = None


def said_of(memory: Memory) -> Said:
    return Said(
        text=memory.text,
        said_at=memory.said_at,
        trust=memory.trust,
        speaker=str(memory.speaker) if memory.speaker else None,
        subjects=frozenset(str(one) for one in memory.subjects),
        attribute=memory.attribute,
    )


def said_before(row: Row) -> Said:
    return Said(
        id=row["id"],
        text=row["text"],
        said_at=row["said_at"],
        trust=Trust(row["trust"]),
        speaker=row["speaker"],
        subjects=frozenset(row["subjects"]),
        attribute=row["attribute"],
    )


def relation(new: Said, old: Said, similarity: float, above: float = LEAST_SIMILARITY) -> Relation:
    """Both have the identical label, kind and namespace; anything else is never compared."""
    if new.subjects != old.subjects:
        return Relation.OTHER
    is_same = similarity > above and says_the_same(new.text, old.text)
    if new.trust is Trust.UNTRUSTED:
        return Relation.SAME if is_same else Relation.OTHER  # a file replaces nothing
    if is_same:
        # Said by oneself at last: the same words of a file must not swallow it.
        return Relation.NEWER if old.trust is Trust.UNTRUSTED else Relation.SAME
    if not (is_update(new, old) and new.speaker == old.speaker):
        return Relation.OTHER
    if new.trust.rank > old.trust.rank:
        return Relation.OTHER  # hearsay stands beside what somebody said of themselves
    return Relation.NEWER if new.said_at >= old.said_at else Relation.OLDER


def says_the_same(a: str, b: str) -> bool:
    """The same content words, numbers and negation; only small words and their order differ."""
    return (
        _content(a) == _content(b)
        and _numbers(a) == _numbers(b)
        and is_negated(a) == is_negated(b)
        and bool(_content(a))
    )


def is_update(new: Said, old: Said) -> bool:
    """Another value of something one has one of, or the opposite of the same words."""
    if new.attribute and old.attribute:
        (name, _, value), (was, _, before) = (
            new.attribute.partition(": "),
            old.attribute.partition(": "),
        )
        return name == was and name in SINGLE and value.casefold() != before.casefold()
    said, said_before = own_words(new.text), own_words(old.text)
    slot, value = _slot(said)
    was, before = _slot(said_before)
    is_opposite = is_negated(said) != is_negated(said_before)
    if slot and slot == was:
        return is_opposite or _is_another(slot, _content(value), _content(before))
    return is_opposite and bool(_content(new.text)) and _content(new.text) == _content(old.text)


def own_words(text: str) -> str:
    """Without the words that were lent to it: they say what it is about, not what holds now."""
    return parts(text)[0]


def _is_another(slot: str, value: frozenset[str], before: frozenset[str]) -> bool:
    """ "Ghent" and "Ghent with my husband" are one home, but "UTC" and "UTC+2" two time zones."""
    if slot in _DESCRIBED:
        return not (value <= before or before <= value)
    return value != before


def is_negated(text: str) -> bool:
    """An odd number of negations; two take each other back."""
    plain = _CONTRACTED.sub(" not", text)
    return sum(word in _NEGATIONS for word in words(plain)) % 2 == 1


def _content(text: str) -> frozenset[str]:
    plain = _CONTRACTED.sub(" not", text)
    return frozenset(terms(plain)) - _EMPTY


def _numbers(text: str) -> list[str]:
    return sorted(_NUMBER.findall(text))


def _slot(text: str) -> tuple[str, str]:
    plain = text.replace("’", "'")
    for slot, pattern in _ONE_AT_A_TIME:
        if found := pattern.search(plain):
            name = slot or re.sub(r"our\b", "or", " ".join(found["slot"].casefold().split()))
            name = name.replace("favour", "favor")
            return name, found["value"]
    return "", ""


def best(
    new: Said, known: Iterable[tuple[Said, float]], above: float = LEAST_SIMILARITY
) -> tuple[Relation, list[Said]]:
    """What to do with a new statement, and about which old ones. Repeating beats replacing."""
    related = [(relation(new, old, similarity, above), old) for old, similarity in known]
    for wanted in (Relation.SAME, Relation.OLDER):
        for found, old in related:
            if found is wanted:
                return wanted, [old]
    replaced = [old for found, old in related if found is Relation.NEWER]
    return (Relation.NEWER if replaced else Relation.OTHER), replaced


def contradicting(known: Iterable[Said]) -> list[tuple[Said, Said]]:
    """Pairs of an older and a newer statement that replaces it, which nobody noticed.

    All of them are of one person and have the identical label, kind and namespace.
    """
    said_so = list(known)
    by_matter: dict[object, list[Said]] = defaultdict(list)
    # Only what somebody denied can be the opposite of something.
    is_denied = any(is_negated(own_words(one.text)) for one in said_so if _DENIES.search(one.text))
    for one in said_so:
        for matter in _matters(one, is_denied):
            by_matter[matter].append(one)
    found: dict[uuid.UUID | None, tuple[Said, Said]] = {}
    for said in by_matter.values():
        newest = max(said, key=lambda one: (one.said_at, str(one.id)))
        for one in said:
            if one is not newest and relation(newest, one, 0.0) is Relation.NEWER:
                found.setdefault(one.id, (one, newest))
    return list(found.values())


def _matters(said: Said, is_denied: bool) -> Iterator[object]:
    """What two statements must have in common before one can replace the other."""
    if said.attribute:
        yield said.attribute.partition(": ")[0]
        return
    if _OF_ONESELF.search(said.text) and (slot := _slot(own_words(said.text))[0]):
        yield slot
    if is_denied and (content := _content(said.text)):
        yield content
