"""What a memory says of whom: its clauses, and where two of them differ."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, Final, NamedTuple

from confide.model import Trust
from confide.store.lexicon import ENGLISH, IRREGULAR
from confide.store.search import Found
from confide.store.terms import Asked, name_terms, terms, words


def lexicon(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: What one has one of at a time.
ONE: Final = lexicon(
    """live weigh weight height tall size cost price salari favourit name nicknam pronoun birthday born age
    old address email password timezon deadlin"""
)
USUAL: Final = ONE | {"work"}  # asked for by many other words
IS: Final = lexicon("is are am be was were will")
HAS: Final = lexicon("has have had")
LEADS: Final = lexicon("in at on to from of for with under by into near as")
_LINKS: Final = IS | HAS | LEADS | lexicon("a an")
_ADDS: Final = lexicon("also too another both sometimes besides either second")
#: One term for one thing, beyond what stems bring together.
SAME: Final = {"resid": "live", "favorit": "favourit", "color": "colour"}
_EMPTY: Final = lexicon(
    """now just really only today current currently new latest actually still already anymore nowadays
    finally exactly probably officially meanwhile recently roughly approximately dr mr mrs ms"""
)
#: Small words of other languages, which are telling words to a search in English.
_SMALL: Final = {"ist": "is", "sind": "are", "est": "is", "sont": "are", "es": "is", "sao": "are"} | {
    "en": "in", "em": "in", "bei": "at", "chez": "at",
}  # fmt: skip
_NUMBERS: Final = lexicon(
    """one two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty sixty
    hundred thousand half noon midnight midday morning evening afternoon night tomorrow monday
    tuesday wednesday thursday friday saturday sunday january february march april june july
    august september october november december"""
)
_PAST: Final = (
    frozenset(form for form in IRREGULAR if not form.endswith("s"))
    - lexicon("children men women feet teeth mice geese left")
) | lexicon("was were did had used been ago former formerly previously once")
_NOT_PAST: Final = lexicon("based married scheduled located supposed")
_ARTICLES: Final = {"an": "a", "the": ""}

_REPORTED: Final = re.compile(
    r"^(?:i|we) (?:think|believe|guess|heard|hear|suppose|know)(?: that)? ", re.IGNORECASE
)
_MOVED: Final = re.compile(
    r"\b(?:move|moved|moving|relocated) (?:back )?(?:in)?to (?=[A-Z])|\b(?:based|settled) in "
)
_NAMED: Final = re.compile(r"(?:'s|\b(?:is|are|am)) (?:called|named) ")
_PADDING: Final = re.compile(
    r"\b(?:right now|these days|at the moment|at present|for now|all[- ]time)\b", re.IGNORECASE
)
_CLAUSE: Final = re.compile(
    r"(?<!\bdr)(?<!\bmr)(?<!\bms)(?<!\bmrs)(?<!\bst)[.!?;,\n]+(?=\s|$)"
    r"|\b(?:and|but|since|because|although|though|while|when|where|which|until|after|before|who)\b",
    re.IGNORECASE,
)
_FIGURES: Final = re.compile(r"\d[\d.,:/-]*\d")
_DENIED: Final = re.compile(r"n['’]t\b|\b(?:not|never|no|none|cannot|without)\b", re.IGNORECASE)
_MAX_CLAUSES, _MAX_LENGTH = 8, 500  # a longer text tells a story


class Word(NamedTuple):
    text: str  # folded
    term: str  # what it tells, if anything
    is_capitalised: bool

    @property
    def is_number(self) -> bool:
        return self.text in _NUMBERS or self.text[:1].isdigit()

    @property
    def is_past(self) -> bool:
        is_regular = self.text.endswith("ed") and len(self.text) > 4 and self.text[-3] != "e"
        return (is_regular or self.text in _PAST) and self.text not in _NOT_PAST


class Value(NamedTuple):
    """The part of a clause that another clause does not have, and what stands around it."""

    words: tuple[Word, ...]
    before: tuple[Word, ...]  # everything before it
    matter: str  # the last telling word before it
    link: tuple[str, ...]  # what leads from there to it
    after: frozenset[str]  # what follows it, up to the next telling word

    @property
    def is_number(self) -> bool:
        return any(word.is_number for word in self.words)

    @property
    def is_name(self) -> bool:
        return any(word.is_capitalised for word in self.words)

    @property
    def is_one_of_many(self) -> bool:
        """ "An appointment on Monday" leaves room for another on Friday."""
        first = next((n for n, word in enumerate(self.before) if word.term), 0)
        return first > 0 and self.before[first - 1].text in ("a", "an")

    @property
    def is_past(self) -> bool:
        return any(word.is_past for word in self.before) and self.matter != "born"


class Clause(NamedTuple):
    words: tuple[Word, ...]
    terms: frozenset[str]
    is_denied: bool
    has_value: bool  # something can be said in it of something else
    adds: bool  # to what was said before: "I also live in Porto"

    def without(self, names: frozenset[str]) -> Clause:
        if self.terms.isdisjoint(names):
            return self
        left = tuple(word for word in self.words if word.term not in names)
        return self._replace(words=left, terms=self.terms - names)

    def value(self, shared: frozenset[str]) -> Value | None:
        """All that is not `shared`, if it stands in one place."""
        telling = [n for n, word in enumerate(self.words) if word.term]
        own = [n for n in telling if self.words[n].term not in shared]
        if not own:
            return None
        first, last = own[0], own[-1]
        if any(first < n < last and self.words[n].term in shared for n in telling):
            return None
        start = max((n + 1 for n in telling if n < first), default=0)
        end = min((n for n in telling if n > last), default=len(self.words))
        link = (_ARTICLES.get(w.text, w.text) for w in self.words[start:first])
        return Value(
            words=self.words[first : last + 1],
            before=self.words[:first],
            matter=self.words[start - 1].term if start else "",
            link=tuple(word for word in link if word),
            after=frozenset(word.text for word in self.words[last + 1 : end]),
        )


class Question(NamedTuple):
    terms: frozenset[str]
    asked: tuple[str, ...]  # what it asks for, without the names of those it asks about


@dataclass(frozen=True)
class Claim:
    """A memory that was found, read only as far as somebody asks."""

    found: Found
    question: Question

    @property
    def row(self) -> Mapping[str, Any]:
        return self.found.row

    @cached_property
    def attribute(self) -> str | None:
        return self.row["attribute"]

    @cached_property
    def people(self) -> frozenset[str]:
        """Whom it is about. "I live with Bob" is about who says so."""
        is_of_oneself = words(self._said[:40])[:1] in (["i"], ["we"])
        subjects = frozenset[str](() if is_of_oneself else self.row["subjects"])
        return subjects or frozenset({self.found.author})

    @cached_property
    def names(self) -> frozenset[str]:
        """What the people it is about are called."""
        called = self.row["called"] if self.row["owner"] in self.people else None
        return _called(self.people) | name_terms([called or ""])

    @cached_property
    def standing(self) -> tuple[bool, int, datetime]:
        """First-hand before hearsay, then the newer."""
        trust = Trust(self.row["trust"])
        is_own = self.found.author in self.people and trust is not Trust.UNTRUSTED
        return is_own, -trust.rank, self.row["said_at"]

    @cached_property
    def clauses(self) -> list[Clause]:
        if len(self._said) > _MAX_LENGTH:
            return []
        plain = _NAMED.sub(" name is ", _MOVED.sub("live in ", self._said))
        plain = _PADDING.sub(" ", plain).replace(": ", " is ")
        parts = [part for part in _CLAUSE.split(plain) if part and not part.isspace()]
        return [_clause(part) for part in parts] if len(parts) <= _MAX_CLAUSES else []

    @cached_property
    def terms(self) -> frozenset[str]:
        return frozenset[str]().union(*(clause.terms for clause in self.clauses))

    @cached_property
    def asked(self) -> frozenset[str]:
        """The words of the question that it has."""
        return self.terms & self.question.terms

    @cached_property
    def topics(self) -> frozenset[str]:
        """What it shares with others that speak of what is asked for."""
        asked = self.question.asked
        return self.terms & USUAL.union(asked) if asked else self.terms

    @cached_property
    def _said(self) -> str:
        return _REPORTED.sub("", self.row["text"])


def claims(found: Sequence[Found], question: Asked) -> list[Claim]:
    people = {who for one in found for who in (one.author, *one.row["subjects"])}
    names = _called(people) | name_terms({one.row["called"] or "" for one in found})
    terms = [SAME.get(term, term) for term in question.terms]
    asked = Question(frozenset(terms), tuple(term for term in terms if term not in names))
    return [Claim(one, asked) for one in found]


def _called(people: Iterable[str]) -> frozenset[str]:
    return name_terms(one.partition(":")[2] for one in people)


def _clause(text: str) -> Clause:
    found = [
        Word(_SMALL.get(word, word), _term(word), n > 0 and token[:1].isupper())
        for n, token in enumerate(text.split())
        for word in _FIGURES.findall(token) or words(token)
        if word not in _EMPTY
    ]
    heard = frozenset(word.term for word in found if word.term)
    texts = [word.text for word in found]
    return Clause(
        words=tuple(found),
        terms=heard,
        is_denied=_DENIED.search(text) is not None,
        has_value=not (_LINKS.isdisjoint(texts) and ONE.isdisjoint(heard)),
        adds=not _ADDS.isdisjoint(texts),
    )


def _term(word: str) -> str:
    if word in ENGLISH or word in _SMALL:
        return ""
    if word[:1].isdigit():
        return word  # "9:40" is one value
    # To a search "lives" may be the plural of "life"; here the verb matters.
    term = "live" if word == "lives" else next(iter(terms(word)), "")
    return SAME.get(term, term)
