"""Whether two memories say different things about one matter of one person.

Nearness decides nothing: "I like tea" is as near to "I like coffee" as "I live in Berlin" is to
"I live in Munich". Two clauses speak of one matter if they are the same but for one value, and if that
is said of what both name: after "is" or "in", or after a word for what one has one of. When in doubt
both are true, and search leaves them where they are.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from confide.model import Kind
from confide.recall.claims import SAME, Claim, Clause, Value, lexicon
from confide.store.terms import Asked

#: What one has one of at a time.
_ONE: Final = lexicon(
    """live weigh weight height tall cost price salari favourit name nicknam pronoun birthday born age
    old address email password timezon deadlin"""
)
#: What one does with many things, each as true as the others.
_MANY: Final = lexicon(
    """like love enjoy hate dislik ador fan hobbi interest collect play speak listen read watch know
    own visit travel want need tri learn allerg afraid fear friend good bad believ fond keen tire
    proud excit worri dream think talk hear recommend"""
)
_IS: Final = lexicon("is are am be was were will")
_HAS: Final = lexicon("has have had")
_LEADS: Final = lexicon("in at on to from of for with under by into near as")
#: What follows a subject.
_VERBS: Final = _IS | _HAS | lexicon("do does did can could should would must might shall")
_ADDS: Final = lexicon("also too another both sometimes besides either second")
_HAPPENS: Final = frozenset({Kind.EVENT, Kind.OBSERVATION, Kind.TASK})
_LISTED: Final = frozenset({"platform"})  # and each attribute whose name is a plural


def contradicts(question: Asked, one: Claim, other: Claim) -> bool:
    """Whether `one`, which is first-hand or newer, says otherwise than `other` about one matter."""
    if one.people != other.people or one.row["text"] == other.row["text"]:
        return False
    if one.row["attribute"] and other.row["attribute"]:
        return _is_other_value(one.row["attribute"], other.row["attribute"])
    names = one.names | other.names
    asked = tuple(SAME.get(term, term) for term in question.terms if term not in names)
    # Whoever asks for something that only one of them has wants that one.
    if not (one.terms ^ other.terms).isdisjoint(asked):
        return False
    is_newer_only = one.standing[:2] == other.standing[:2]
    recurs = is_newer_only and {one.row["kind"], other.row["kind"]} <= _HAPPENS
    return any(
        _Pair(a.without(names), b.without(names), asked).differ(is_newer_only, recurs)
        for a in one.clauses
        for b in other.clauses
        if not a.terms.isdisjoint(b.terms - names)
    )


class _Pair(NamedTuple):
    """Clauses about one person, the better first, and the question's words that are no names."""

    one: Clause
    other: Clause
    asked: tuple[str, ...]

    def differ(self, is_newer_only: bool, recurs: bool) -> bool:
        if any(word.text in _ADDS for word in (*self.one.words, *self.other.words)):
            return False
        if self.one.is_denied or self.other.is_denied:
            was = is_newer_only and any(word.is_past for word in self.one.words)
            return not was and self._are_opposites()
        shared = self.one.terms & self.other.terms
        if shared & _MANY and "favourit" not in shared:
            return False
        one, other = self.one.value(shared), self.other.value(shared)
        if one is None or other is None:
            return False
        # What happened stays true when something like it happens again.
        if is_newer_only and one.is_past:
            return False
        if recurs and not (shared & _ONE or _IS.intersection(one.link)):
            return False
        return (
            self._is_said(one, shared)
            and self._is_said(other, shared)
            and (bool(shared & _ONE) or self._are_alike(one, other, shared))
        )

    def _are_opposites(self) -> bool:
        return self.one.is_denied != self.other.is_denied and self.one.terms == self.other.terms

    def _is_said(self, value: Value, shared: frozenset[str]) -> bool:
        """Whether `value` is said of the shared words, and not part of what something is said of."""
        if value.after & _VERBS:  # "Green is my favourite colour"; but "Room 12 is free"
            return bool(shared & _ONE) and not value.matter
        if value.is_one_of_many or any(word.text in _VERBS for word in value.words):
            return False
        if value.matter in _ONE:
            return value.matter != "favourit" or bool(value.link)
        if value.is_number:
            return any(word.text in _IS | _LEADS | _HAS for word in value.before)
        if not value.matter:  # "I am on the red team"
            return (
                bool(_LEADS.intersection(value.link))
                and "a" not in value.link
                and (shared.issuperset(self.asked[:1]))
            )
        if value.link == ("a",):  # "I drive a Volvo"
            return value.matter in self.asked
        return not (_IS | _LEADS).isdisjoint(value.link)

    def _are_alike(self, one: Value, other: Value, shared: frozenset[str]) -> bool:
        """Whether two values are of one sort, so that only one can be true: the car cannot be in Rome
        and in Oslo, but it can be red and in Rome."""
        if one.link != other.link or one.is_number != other.is_number:
            return False
        if one.is_number or one.link == ("a",) or _LEADS.intersection(one.link):
            return one.link != ("on",)  # "I swim on Mondays", and on Fridays
        # "What colour is my car?" asks for a colour, whatever else the car is.
        is_asked = self.asked[0] in shared if self.asked else len(shared) > 1
        return is_asked and one.is_name == other.is_name


def _is_other_value(one: str, other: str) -> bool:
    """Typed attributes (S5) decide where both have one."""
    (name, _, value), (named, _, held) = one.partition(": "), other.partition(": ")
    if (
        name != named
        or name in _LISTED
        or name.endswith("s")
        or value.casefold() == held.casefold()
    ):
        return False
    # "expertise: beginner in Rust" says nothing about another topic.
    return value.partition(" in ")[2] == held.partition(" in ")[2]
