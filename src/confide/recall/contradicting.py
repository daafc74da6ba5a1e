"""Whether two memories say different things about one matter of one person.

Nearness decides nothing: "I like tea" is as near to "I like coffee" as "I live in Berlin" is to
"I live in Munich". Two clauses speak of one matter if they are the same but for one value, and if that
is said of what both name: after "is" or "in", or after a word for what one has one of. When in doubt
both are true, and search leaves them where they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from confide.model import Kind
from confide.recall.claims import HAS, IS, LEADS, ONE, USUAL, Claim, Clause, Value, lexicon

#: What one does with many things, each as true as the others.
_MANY: Final = lexicon(
    """like love enjoy hate dislik ador fan hobbi interest collect play speak listen read watch know
    own visit travel want need tri learn allerg afraid fear friend good bad believ fond keen tire
    proud excit worri dream think talk hear recommend thank great nice sound mean"""
)
#: What follows a subject.
_VERBS: Final = IS | HAS | lexicon("do does did can could should would must might shall")
_BEFORE_NUMBERS: Final = IS | HAS | LEADS  # "Room 12 smells" has none
_HAPPENS: Final = frozenset({Kind.EVENT, Kind.OBSERVATION, Kind.TASK})
_SHORT: Final = 2  # clauses
_LISTED: Final = frozenset({"platform"})  # and each attribute whose name is a plural


def contradicts(one: Claim, other: Claim) -> bool:
    """Whether `one`, which is first-hand or newer, says otherwise than `other` about one matter."""
    if one.people != other.people:
        return False
    if one.attribute and other.attribute:
        return _is_other_value(one.attribute, other.attribute)
    if one.topics.isdisjoint(other.topics) or one.row["text"] == other.row["text"]:
        return False
    names = one.names | other.names
    # Whoever asks for something that only one of them has wants that one.
    if (one.asked ^ other.asked) - names:
        return False
    asked = one.question.asked
    is_newer_only = one.standing[:2] == other.standing[:2]
    recurs = is_newer_only and {one.row["kind"], other.row["kind"]} <= _HAPPENS
    is_short = max(len(one.clauses), len(other.clauses)) <= _SHORT
    return any(
        _Pair(a.without(names), b.without(names), asked).differ(is_newer_only, recurs)
        for a in one.clauses
        for b in other.clauses
        if (a.has_value and b.has_value) or a.is_denied != b.is_denied
        if not (a.adds or b.adds) and _is_meant((a.terms & b.terms) - names, asked, is_short)
    )


def _is_meant(shared: frozenset[str], asked: Sequence[str], is_short: bool) -> bool:
    """Whether two clauses share what the question asks for. Where it names nothing of the kind, what
    two short memories have in common is what they are about; long ones have much in common."""
    if not shared.isdisjoint(asked):
        return True
    return bool(shared) and is_short and (not asked or not shared.isdisjoint(USUAL))


class _Pair(NamedTuple):
    """Clauses about one person, the better first, and the question's words that are no names."""

    one: Clause
    other: Clause
    asked: tuple[str, ...]

    def differ(self, is_newer_only: bool, recurs: bool) -> bool:
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
        if recurs and not (shared & ONE or IS.intersection(one.link)):
            return False
        return (
            self._is_said(one, shared)
            and self._is_said(other, shared)
            and (bool(shared & ONE) or self._are_alike(one, other, shared))
        )

    def _are_opposites(self) -> bool:
        return self.one.is_denied != self.other.is_denied and self.one.terms == self.other.terms

    def _is_said(self, value: Value, shared: frozenset[str]) -> bool:
        """Whether `value` is said of the shared words, and not part of what something is said of."""
        if value.after & _VERBS:  # "Green is my favourite colour"; but "Room 12 is free"
            return bool(shared & ONE) and not value.matter
        if value.is_one_of_many or any(word.text in _VERBS for word in value.words):
            return False
        if value.matter in ONE:
            return value.matter != "favourit" or bool(value.link)
        if value.is_number:
            return any(word.text in _BEFORE_NUMBERS for word in value.before)
        if not value.matter:  # "I am on the red team"
            return (
                bool(LEADS.intersection(value.link))
                and "a" not in value.link
                and (shared.issuperset(self.asked[:1]))
            )
        if value.link == ("a",):  # "I drive a Volvo"
            return value.matter in self.asked
        return not (IS | LEADS).isdisjoint(value.link)

    def _are_alike(self, one: Value, other: Value, shared: frozenset[str]) -> bool:
        """Whether two values are of one sort, so that only one can be true: the car cannot be in Rome
        and in Oslo, but it can be red and in Rome."""
        if one.link != other.link or one.is_number != other.is_number:
            return False
        if one.is_number or one.link == ("a",) or LEADS.intersection(one.link):
            # One swims on Mondays and on Fridays, works with many, and has many goals "to" do something.
            return one.link not in (("on",), ("with",), ("is", "to"))
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
