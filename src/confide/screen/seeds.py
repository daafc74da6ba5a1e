"""Wallet seed phrases: twelve or more words of a BIP-39 list, proven by their checksum."""

from collections.abc import Iterator
from functools import cache
from hashlib import sha256

from mnemonic import Mnemonic

from confide.language.words import Terms, Word, fold
from confide.screen.findings import Finding
from confide.screen.lists import table

LANGUAGES = ("english", "french", "spanish", "portuguese")
LENGTHS = (24, 21, 18, 15, 12)


def seed_phrase(text: str, words: list[Word]) -> Iterator[Finding]:
    """A run of list words with a right checksum, or any such run after "seed phrase"."""
    if len(words) < LENGTHS[-1]:
        return
    for language in LANGUAGES:
        for first, last in _runs(words, _word_list(language)):
            if _is_announced(words) or _has_checksum(language, words[first:last]):
                span = (words[first].start, words[last - 1].end)
                yield Finding(kind="secret", reason="a wallet's seed phrase", span=span)


def _runs(words: list[Word], known: dict[str, int]) -> Iterator[tuple[int, int]]:
    """Maximal runs of list words, long enough to be a phrase."""
    # A run of twelve covers every twelfth word, so most texts are done after a few looks.
    if not any(word.folded in known for word in words[LENGTHS[-1] - 1 :: LENGTHS[-1]]):
        return
    first = 0
    for position in range(len(words) + 1):
        if position < len(words) and words[position].folded in known:
            continue
        if position - first >= LENGTHS[-1]:
            yield first, position
        first = position + 1


def _is_announced(words: list[Word]) -> bool:
    return next(_seed_words().find(words), None) is not None


def _has_checksum(language: str, run: list[Word]) -> bool:
    known = _word_list(language)
    numbers = [known[word.folded] for word in run]
    return any(
        _is_sound(numbers[start : start + length])
        for length in LENGTHS
        for start in range(len(numbers) - length + 1)
    )


def _is_sound(numbers: list[int]) -> bool:
    """As BIP-39 says: eleven bits a word, the last of them the first of a SHA-256 of the others."""
    bits, proof = 0, len(numbers) // 3
    for number in numbers:
        bits = bits << 11 | number
    entropy = (bits >> proof).to_bytes(proof * 4, "big")
    return sha256(entropy).digest()[0] >> (8 - proof) == bits & ((1 << proof) - 1)


@cache
def _word_list(language: str) -> dict[str, int]:
    """Where each word stands in the list, by its folded form."""
    return {fold(word): number for number, word in enumerate(Mnemonic(language).wordlist)}


@cache
def _seed_words() -> Terms:
    return Terms((term, "seed") for term in table("secret_words")["seed"])
