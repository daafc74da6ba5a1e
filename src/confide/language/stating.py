"""Which attribute a sentence states of its owner: every word of it must be understood.

A word is understood as (part of) the value, as one of the attribute's words, or as one that changes
nothing; `data/attributes.toml` lists them for each language. Whatever else stands in a sentence (a
question, an if, a not, somebody else, a reason) is none of these, so it leaves nothing stated.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, NamedTuple

from confide.language.lists import OWN
from confide.language.values import Value, is_distinct, is_handle, value_at
from confide.language.words import fold

LANGUAGES: Final = ("en", "de", "fr", "es", "pt")
MOST_TOKENS: Final = 16
MOST_IN_A_VALUE: Final = 6
MOST_VALUES: Final = 8
#: A plain word that people say they go by: shorter ones are mostly words ("I go by night").
PLAIN_NAME: Final = 7
HANDLE: Final = "handle"
_WORD: Final = re.compile(r"(?<!\w)(?:qu|[cdjlmn])['’](?=\w)|[^\s,;!()…*~`\"“”„«»]+", re.IGNORECASE)
_QUOTED_WORD: Final = re.compile(r"[\"“„«`]\s?([^\s\"“”„«»`]+)\s?[\"”“»`]")
_ASKING_OR_QUOTING: Final = re.compile(r"[?¿\"“”„«»\n]|[:;]\s")
_LISTING: Final = re.compile(r"^([^:]{2,30}):\s*(?=[^\s\d])")
_OFFSET: Final = re.compile(r"\b(UTC|GMT)\s+([+\-−–])\s*(?=\d)|\b(UTC|GMT)([+\-−–])\s+(?=\d)", re.I)  # fmt: skip
_AND: Final = frozenset({"and", "und", "et", "y", "e", "&", "+"})


class Token(NamedTuple):
    word: str  # without case and accents
    start: int
    end: int


class Reading(NamedTuple):
    """What was understood of a sentence: its values, its other words, and a word that is neither."""

    values: tuple[Value, ...]
    said: frozenset[str]
    name: Token | None


@dataclass(frozen=True, slots=True)
class Rule:
    """One attribute in one language. Phrases are written with `_` between their words."""

    attribute: str
    language: str
    phrases: dict[str, tuple[tuple[str, ...], ...]]  # by their first word, the longest first
    cues: tuple[frozenset[str], ...]
    weak: tuple[frozenset[str], ...]
    nouns: frozenset[str]
    places: frozenset[str]
    own: frozenset[str]
    inverted: frozenset[str]


def stated(text: str, *, by_owner: bool) -> tuple[str, str] | None:
    """The attribute that the whole text states, and its value; `by_owner`: in the first person."""
    said = _OFFSET.sub(lambda m: f"{m[1] or m[3]}{m[2] or m[4]}", _QUOTED_WORD.sub(r"\1", text))
    said = _LISTING.sub(r"\1 = ", said)
    if _ASKING_OR_QUOTING.search(said):
        return None
    tokens = tokens_of(said)
    if not tokens or len(tokens) > MOST_TOKENS:
        return None
    for rule in _rules_for(tokens):
        if by_owner and not _is_own(tokens, rule):
            continue
        reading = read_words(said, tokens, rule)
        if reading and (value := _value(said, tokens, reading, rule)):
            return value
    return None


def tokens_of(said: str) -> list[Token]:
    found: list[Token] = []
    for match in _WORD.finditer(said):
        start, _ = match.span()
        word = match[0]
        left = len(word) - len(word.lstrip("@.:'’‘-–—"))
        bare = word.strip("@.:-–—").lstrip("'’‘")
        bare = bare if re.search(r"['’]$", bare) and len(bare) <= 3 else bare.rstrip("'’‘")
        if bare:
            found += _parts(bare, start + left)
    return found


def _parts(bare: str, start: int) -> Iterator[Token]:
    """ "gamertag's" and "GitHub-Name" are two words."""
    folded = fold(bare)
    cut = 0
    if folded.endswith("'s") and folded not in {"it's", "that's"}:
        cut = len(bare) - 2
    elif "-" in bare and fold(bare.split("-")[0]) in sites():
        cut = bare.index("-")
    if not cut:
        yield Token(folded, start, start + len(bare))
        return
    yield Token(fold(bare[:cut]), start, start + cut)
    rest = bare[cut:].lstrip("-")
    yield Token(fold(rest), start + len(bare) - len(rest), start + len(bare))


def _is_own(tokens: Sequence[Token], rule: Rule) -> bool:
    first, second = tokens[0].word, tokens[1].word if len(tokens) > 1 else ""
    if first in rule.inverted or (second in {"ich", "je", "yo", "eu"} and first in rule.own):
        return False
    return any(token.word in rule.own for token in tokens)


def read_words(said: str, tokens: Sequence[Token], rule: Rule) -> Reading | None:
    values: list[Value] = []
    seen: set[str] = set()
    name: Token | None = None
    at = 0
    while at < len(tokens):
        phrase = _phrase_at(tokens, at, rule)
        value = _value_at(said, tokens, at, rule, longer_than=len(phrase))
        if value:
            values.append(value[1])
            at += value[0]
        elif phrase:
            seen |= {"_".join(phrase), *phrase}
            at += len(phrase)
        elif rule.attribute == HANDLE and name is None:
            name = tokens[at]
            at += 1
        else:
            return None
    return Reading(tuple(values), frozenset(seen), name)


def _phrase_at(tokens: Sequence[Token], at: int, rule: Rule) -> tuple[str, ...]:
    for phrase in rule.phrases.get(tokens[at].word, ()):
        if all(
            at + n < len(tokens) and tokens[at + n].word == word for n, word in enumerate(phrase)
        ):
            return phrase
    return ()


def _value_at(
    said: str, tokens: Sequence[Token], at: int, rule: Rule, *, longer_than: int
) -> tuple[int, Value] | None:
    if rule.attribute == HANDLE:
        return None
    for length in range(min(MOST_IN_A_VALUE, len(tokens) - at), longer_than, -1):
        words = said[tokens[at].start : tokens[at + length - 1].end]
        if value := value_at(rule.attribute, words):
            return length, value
    return None


def _value(
    said: str, tokens: Sequence[Token], reading: Reading, rule: Rule
) -> tuple[str, str] | None:
    if rule.attribute == HANDLE:
        return _handle(said, tokens, reading, rule)
    values = list(dict.fromkeys(one.name for one in reading.values))
    if not values or len(values) > MOST_VALUES:
        return None
    if rule.attribute == "expertise":
        levels = [one.name for one in reading.values if one.is_level]
        topics = [one.name for one in reading.values if not one.is_level]
        one_of_each = len(levels) == 1 and len(topics) == 1
        return (rule.attribute, f"{levels[0]} in {topics[0]}") if one_of_each else None
    if not _any(rule.cues, reading.said):
        is_plain = all(one.is_plain for one in reading.values)
        if not (is_plain and _any(rule.weak, reading.said)):
            return None
    if rule.attribute in _OF_ONE and len(values) > 1:
        return None
    return rule.attribute, ", ".join(values)


_OF_ONE: Final = frozenset(
    {"time_zone", "region", "favourite_game", "favourite_mod", "favourite_modpack", "game_edition"}
)


def _handle(
    said: str, tokens: Sequence[Token], reading: Reading, rule: Rule
) -> tuple[str, str] | None:
    """A name: plain words are one only where something is said to be a name."""
    token = reading.name
    if token is None:
        return None
    name = said[token.start : token.end]
    if not is_handle(name):
        return None
    is_first = token == tokens[0]
    distinct = is_distinct(name, is_capital_telling=rule.language != "de" and not is_first)
    accounts = _accounts() & reading.said
    is_somewhere = bool(sites() & reading.said or rule.places & reading.said)
    if not rule.nouns & reading.said:
        is_said = _any(rule.cues, reading.said) or bool(_names_only() & reading.said)
        is_named = is_said and (distinct or len(name) >= PLAIN_NAME)
        is_likely = _any(rule.weak, reading.said) and distinct
        if not (is_somewhere and (is_named or is_likely)):
            return None
    is_in_a_game = bool((sites() - _accounts()) & reading.said)
    is_user_name = bool(accounts or (_user_nouns() & reading.said and not is_in_a_game))
    return ("user_name" if is_user_name else "in_game_name"), name


def _any(cues: Sequence[frozenset[str]], said: frozenset[str]) -> bool:
    return any(cue <= said for cue in cues)


def _rules_for(tokens: Sequence[Token]) -> list[Rule]:
    found = dict.fromkeys(n for token in tokens for n in _by_word().get(token.word, ()))
    return [rules()[n] for n in sorted(found)]


@cache
def _by_word() -> dict[str, tuple[int, ...]]:
    """The rules that a word may be a sign of."""
    found: dict[str, list[int]] = {}
    for n, rule in enumerate(rules()):
        signs = {word for cue in (*rule.cues, *rule.weak, rule.nouns) for word in cue}
        signs |= _level_words() if rule.attribute == "expertise" else set()
        for sign in signs:
            found.setdefault(sign.split("_")[0], []).append(n)
    return {word: tuple(dict.fromkeys(rules)) for word, rules in found.items()}


@cache
def rules(*, asking: bool = False) -> tuple[Rule, ...]:
    """`asking`: with the words that questions are made of."""
    read = OWN.table("attributes")
    return tuple(
        _rule(language, attribute, read[language], read[language][attribute], asking=asking)
        for language in LANGUAGES
        for attribute in read[language]
        if isinstance(read[language][attribute], dict)
    )


def _rule(
    language: str, attribute: str, shared: dict[str, str], lists: dict[str, str], *, asking: bool
) -> Rule:
    def cues(name: str) -> tuple[frozenset[str], ...]:
        return tuple(
            frozenset(map(_spelled, one.split("+"))) for one in lists.get(name, "").split()
        )

    nouns, places = (
        frozenset(map(_spelled, lists.get(n, "").split())) for n in ("nouns", "places")
    )
    strong = cues("naming" if attribute == HANDLE else "cues") + (cues("asked") if asking else ())
    own = frozenset(f"{shared['own']} {lists.get('own', '')}".split())
    everything = {_spelled(one) for one in f"{shared['glue']} {lists['words']}".split()}
    everything |= nouns | places | own | _AND
    everything |= {_spelled(one) for one in shared["asking"].split()} if asking else set()
    everything |= {one for cue in (*strong, *cues("weak")) for one in cue}
    everything |= sites() if attribute == HANDLE else set()
    phrases: dict[str, list[tuple[str, ...]]] = {}
    for one in everything:
        words = tuple(one.split("_"))
        phrases.setdefault(words[0], []).append(words)
    return Rule(
        attribute,
        language,
        {first: tuple(sorted(found, key=len)[::-1]) for first, found in phrases.items()},
        strong,
        cues("weak"),
        nouns,
        places,
        own,
        frozenset(shared["inverted"].split()),
    )


def _spelled(phrase: str) -> str:
    """A phrase of the lists as its tokens: "m'appelle" is two."""
    return "_".join(token.word for token in tokens_of(phrase.replace("_", " "))) or phrase


@cache
def first_person() -> frozenset[str]:
    """Words that people say of themselves, in each language."""
    read = OWN.table("attributes")
    return frozenset(word for language in LANGUAGES for word in read[language]["own"].split())


def own_words() -> frozenset[str]:
    """Every word that makes a sentence one's own; "juego" does so for what one plays."""
    return frozenset(word for rule in rules() for word in rule.own)


@cache
def sites() -> frozenset[str]:
    return _accounts() | frozenset(OWN.table("attributes")["sites"]["games"].split())


@cache
def _accounts() -> frozenset[str]:
    return frozenset(OWN.table("attributes")["sites"]["accounts"].split())


@cache
def _names_only() -> frozenset[str]:
    return frozenset(OWN.table("attributes")["sites"]["names_only"].split())


@cache
def _user_nouns() -> frozenset[str]:
    return frozenset(map(_spelled, OWN.table("attributes")["sites"]["user_nouns"].split()))


@cache
def _level_words() -> frozenset[str]:
    levels = OWN.table("attributes")["levels"]
    return frozenset(fold(form.split()[0]) for forms in levels.values() for form in forms)
