"""Text becomes terms, the same way for what is stored and what is asked."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Final, cast

import Stemmer

from confide.store.lexicon import ENGLISH, FIRST_PERSON, IRREGULAR, OTHERS

#: Goes up whenever the same text would give other terms; stored terms are then made anew.
TERMS_VERSION: Final = 2
#: A question with more telling words than this is a text; its first ones say what it is about.
MAX_ASKED: Final = 20
KEYS: Final = 1_000_000_000  # as many as a sparse vector can have
_MAX_WORD: Final = 40

# Chinese, Japanese, Korean and Thai write no spaces between what English calls words.
_UNSPACED = "\u0e00-\u0e7f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
# Indic vowel signs are marks, which \w leaves out; "c++" and "c#" are names.
_LETTER = rf"(?:[^\W_{_UNSPACED}]|[\u0900-\u0dff])"
_TOKEN = re.compile(rf"[{_UNSPACED}]+|{_LETTER}+(?:'{_LETTER}+)*(?:\+\+|#(?!\w))?")
_ACCENTS = re.compile("[\u0300-\u036f]")
_ENDINGS: Final = frozenset({"s", "t", "m", "d", "re", "ve", "ll"})
_APOSTROPHES = str.maketrans("’‘ʼ´`", "'''''")
_SENTENCE = re.compile(r"[.!?¿¡]\s*")

# No cache: how long a word takes to stem must not tell whether it was ever stored.
_stemmer = cast("Any", Stemmer).Stemmer("english", 0)
_stem = cast("Callable[[str], str]", _stemmer.stemWord)
_stem_all = cast("Callable[[Iterable[str]], list[str]]", _stemmer.stemWords)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as search sees it."""

    terms: tuple[str, ...]  # telling words, in the order asked
    names: frozenset[str]  # those that could be somebody's name
    is_about_asker: bool = False

    @property
    def names_in_order(self) -> list[str]:
        return [*self.terms, *sorted(self.names - set(self.terms))]


def words(text: str) -> list[str]:
    """The words of `text`, folded: no case, accents, possessives or contractions."""
    if text.isascii():
        folded = text.lower().replace("`", "'")
    else:
        folded = unicodedata.normalize("NFKD", text).casefold().translate(_APOSTROPHES)
        folded = unicodedata.normalize("NFC", _ACCENTS.sub("", folded))
    tokens: list[str] = _TOKEN.findall(folded)
    if folded.isascii() and "'" not in folded:
        return tokens  # nothing to split
    return [word for token in tokens for word in _split(token)]


def terms(text: str) -> list[str]:
    """What `text` is indexed under, with repetitions: its length is the number of these."""
    telling = [IRREGULAR.get(word, word) for word in words(text) if word not in ENGLISH]
    return [stem[:_MAX_WORD] for stem in _stem_all(telling)]


def name_terms(names: Iterable[str]) -> frozenset[str]:
    """What people called `names` are found under. A person may be called Will, so all count."""
    return frozenset(_term(word) for name in names for word in words(name))


def asked(question: str) -> Asked:
    """The telling words of a question, without the stop words of the language it is asked in."""
    heard = words(question)
    silent = _stop_words(heard)
    telling = list(dict.fromkeys(_term(word) for word in heard if word not in silent))[:MAX_ASKED]
    return Asked(
        tuple(telling),
        frozenset(telling) | _capitalised(question, silent),
        not FIRST_PERSON.isdisjoint(heard),
    )


def term_key(term: str) -> int:
    """A term as the number it is stored under. Two terms share one so seldom that it never matters:
    once in thousands of questions one memory would seem to have a word that it has not."""
    return int.from_bytes(blake2b(term.encode(), digest_size=8).digest(), "big") % KEYS + 1


def _term(word: str) -> str:
    return _stem(IRREGULAR.get(word, word))[:_MAX_WORD]


def _split(token: str) -> list[str]:
    if token[0] >= "\u0e00" and re.match(f"[{_UNSPACED}]", token):
        return [token[i : i + 2] for i in range(max(1, len(token) - 1))]
    head, apostrophe, tail = token.rpartition("'")
    if not apostrophe:
        return [token]
    if tail == "t" and head.endswith("n"):
        return [head[:-1]]
    if tail in _ENDINGS:
        return [head]
    # French elision: "l'eau" is found under "eau", "qu'il" under "il".
    return [tail] if len(head) <= 2 else [head, tail]


def _stop_words(heard: list[str]) -> frozenset[str]:
    def known(language: frozenset[str]) -> int:
        return sum(word in language for word in heard)

    best = max(OTHERS.values(), key=known)
    return best | ENGLISH if known(best) > known(ENGLISH) else ENGLISH


def _capitalised(question: str, silent: frozenset[str]) -> frozenset[str]:
    """Stop words written like a name inside a sentence: "When did Will arrive?"."""
    return frozenset(
        _term(word)
        for sentence in _SENTENCE.split(question)
        for token in sentence.split()[1:]
        if token[:1].isupper() and token not in {"I", "I'm", "I've", "I'd", "I'll"}
        for word in words(token)
        if word in silent
    )
