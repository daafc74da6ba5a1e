"""Whether words that somebody says later take the place of what they said before.

Nearness in meaning decides nothing: "I like Rust" is near to "I like Go", and both are true. New words
replace old ones in three cases only: they say so ("no longer", "instead of", "from X to Y"); they deny
the very same words; or both are the same statement but for one value, in a place that holds one value at
a time. When in doubt both stay.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final, NamedTuple

from confide.language.lists import OWN

_TOKEN: Final = re.compile(r"`[^`]+`|https?://\S+|[\w#@+./~-]*[\w#+]|[;,:]")
_NUMBER: Final = re.compile(r"v?\d[\d.,:x]*(?:%|s|ms|k|m|kb|mb|gb|px|em|th|st|nd|rd)?\Z")
_MOST_VALUE: Final = 4  # words; what differs in more is another statement


class Change(NamedTuple):
    """What a sentence says holds no longer, and what does instead."""

    gone: frozenset[str]
    instead: frozenset[str]


class Said(NamedTuple):
    """A sentence as a row of words: lower case, without endings and small words."""

    words: tuple[str, ...]
    is_denied: bool
    gone: tuple[Change, ...]

    @property
    def content(self) -> frozenset[str]:
        return frozenset(self.words) - _lists().light - _lists().linking


class _Lists(NamedTuple):
    small: frozenset[str]
    light: frozenset[str]  # verbs that say little of what something is about
    changing: frozenset[str]
    denying: frozenset[str]
    many: frozenset[str]  # what one does with many things at a time
    one: frozenset[str]  # what is said of one thing at a time
    versioned: frozenset[str]
    being: frozenset[str]
    roles: frozenset[str]  # what somebody or something has one of
    linking: frozenset[str]
    weekdays: frozenset[str]
    alternatives: tuple[frozenset[str], ...]
    gone: tuple[re.Pattern[str], ...]


def replaces(new: str, old: str) -> bool:
    """Whether who says `new` takes back or changes what they said in `old`."""
    later, before = _read(new), _read(old)
    if not later.words or not before.words:
        return False
    if any(_is_taken_back(one, later, before) for one in later.gone):
        return True
    if later.is_denied != before.is_denied:
        return _same(later.content, before.content)
    return not before.is_denied and _is_another_value(later, before)


def _is_taken_back(change: Change, new: Said, old: Said) -> bool:
    """ "No longer Redis" takes back "Redis for caching", unless it speaks of something else."""
    if not change.gone <= old.content:
        return False
    rest, was = new.content - change.gone - change.instead, old.content - change.gone
    return not rest or not was or not rest.isdisjoint(was)


def _same(one: frozenset[str], other: frozenset[str]) -> bool:
    return bool(one) and (one == other or (len(one & other) >= 2 and one <= other))


def _is_another_value(new: Said, old: Said) -> bool:
    lists = _lists()
    before, after = _ends(new.words, old.words)
    value, was = (one[before : len(one) - after] for one in (new.words, old.words))
    if not (0 < len(value) <= _MOST_VALUE and 0 < len(was) <= _MOST_VALUE):
        return _is_reworded(new, old)
    shared = frozenset(new.words[:before] + new.words[len(new.words) - after :])
    if lists.many & shared and not (lists.one & shared):
        # One uses many things, but each in one version, and of some one at a time.
        is_version = _are_numbers(value, was) and bool(shared - lists.light - lists.linking)
        return bool(lists.versioned & shared) and (_are_alternatives(value, was) or is_version)
    if not before or not (shared - lists.light - lists.linking):
        # What differs is what the sentence is about, or nothing says what it is about.
        return bool(before) and _are_alternatives(value, was)
    verbs = [word for word in new.words[:before] if word in lists.light or word in lists.one]
    if not verbs and not _are_alternatives(value, was):
        return False
    if _are_alternatives(value, was) or _are_numbers(value, was):
        return True
    # "built with X" and "hosted on Y" are two things that something is.
    if not lists.one & frozenset(verbs) or not lists.linking.isdisjoint((*value, *was)):
        return False
    # A page is slow and tested; but the linter is one program.
    is_bare = before == 1 + max(new.words.index(word) for word in verbs)
    return not (is_bare and lists.being & frozenset(verbs)) or bool(lists.roles & shared)


def _is_reworded(new: Said, old: Said) -> bool:
    """The same words but for one value of a kind that is counted or chosen, in any order."""
    value, was = new.content - old.content, old.content - new.content
    shared = new.content & old.content
    return (
        bool(shared)
        and len(value) == len(was) == 1
        and not (_lists().many & shared)
        and (_are_numbers(tuple(value), tuple(was)) or _are_alternatives(tuple(value), tuple(was)))
        and len(shared) >= 2
    )


def _are_numbers(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    return len(one) == len(other) == 1 and all(_NUMBER.fullmatch(w) for w in (*one, *other))


def _are_alternatives(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Two of which a person or a project has one: `npm` and `pnpm`, tabs and spaces."""
    a, b = frozenset(one), frozenset(other)
    return any(a & kind and b & kind and a - kind == b - kind for kind in _lists().alternatives)


def _ends(new: tuple[str, ...], old: tuple[str, ...]) -> tuple[int, int]:
    """How many words both begin with, and how many they end with."""
    most = min(len(new), len(old))
    before = next((n for n in range(most) if new[n] != old[n]), most)
    most -= before
    after = next((n for n in range(most) if new[-1 - n] != old[-1 - n]), most)
    return before, after


def _read(text: str) -> Said:
    lists = _lists()
    flat = re.sub(r"n['’]t\b", " not", text.lower().replace("’", "'"))
    gone = [
        Change(*(frozenset(_words(found.groupdict().get(n) or "")) for n in ("gone", "instead")))
        for one in lists.gone
        for found in one.finditer(flat)
    ]
    tokens = _TOKEN.findall(flat)
    is_denied = sum(token in lists.denying for token in tokens) % 2 == 1
    return Said(tuple(_words(flat)), is_denied, tuple(one for one in gone if one.gone))


def _words(flat: str) -> list[str]:
    lists = _lists()
    skipped = lists.small | lists.changing | lists.denying
    return [
        _stem(token.strip("`"))
        for token in _TOKEN.findall(flat)
        if token not in skipped and token not in ";,:"
    ]


def _stem(word: str) -> str:
    if not word.isalpha() or len(word) < 4:
        return word
    for ending in ("ies", "ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)] + ("y" if ending == "ies" else "")
    return word.rstrip("e") if len(word) > 4 else word


@cache
def _lists() -> _Lists:
    read = OWN.table("replacing")
    stemmed = {
        name: frozenset(_stem(word) for word in read[name].split())
        for name in ("light", "many", "one", "versioned", "being", "roles", "linking", "weekdays")
    }
    plain = {name: frozenset(read[name].split()) for name in ("small", "changing", "denying")}
    kinds = tuple(frozenset(_stem(w) for w in kind.split()) for kind in read["alternatives"])
    gone = tuple(re.compile(one) for one in read["gone"])
    return _Lists(**plain, **stemmed, alternatives=(*kinds, stemmed["weekdays"]), gone=gone)
