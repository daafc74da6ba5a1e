"""Tokens that look drawn at random, which no format names."""

import math
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache

from confide.language.words import Terms, Word
from confide.screen.findings import Finding
from confide.screen.lists import table

TOKEN = re.compile(r"(?<![\w/.@-])[A-Za-z0-9+/_=~.-]{24,}(?![\w@])")
ADDRESS = re.compile(
    r"https?://|www\.|\.(?:com|org|net|io|png|jpe?g|gif|mp4|html?)\b", re.IGNORECASE
)
HEX = re.compile(r"[0-9a-f-]+|[0-9A-F-]+")
INNER_CAPITALS = re.compile(r"[a-z0-9][A-Z]{1,3}[a-z0-9].*[a-z0-9][A-Z]")
BITS_PER_CHARACTER = 3.3
LONG_ENOUGH_ALONE = 32


def looks_random(token: str) -> bool:
    """At least eight characters, digits and letters mixed, and no character used too often."""
    if len(token) < 8 or ADDRESS.search(token):
        return False
    has_digit = any(map(str.isdigit, token))
    has_letter = any(map(str.isalpha, token))
    return has_digit and has_letter and _entropy(token) >= min(2.5, math.log2(len(token)) - 1)


def random_token(text: str, words: list[Word]) -> Iterator[Finding]:
    """Long random tokens; shorter ones and plain hexadecimal only beside a credential word."""
    for match in TOKEN.finditer(text):
        token = match.group()
        if ADDRESS.search(text, max(0, match.start() - 8), match.end()) or not _is_mixed(token):
            continue
        if (len(token) >= LONG_ENOUGH_ALONE and not HEX.fullmatch(token)) or _is_announced(words):
            reason = "a long random token, as keys and session tokens are"
            yield Finding(kind="secret", reason=reason, span=match.span())


def _is_mixed(token: str) -> bool:
    digits = sum(map(str.isdigit, token))
    letters = sum(map(str.isalpha, token))
    # Words joined by dashes or underscores have few digits and little entropy.
    fewest = 1 if INNER_CAPITALS.search(token) else 3
    return digits >= fewest and letters >= 3 and _entropy(token) >= BITS_PER_CHARACTER


def _is_announced(words: list[Word]) -> bool:
    return next(_credential_words().find(words), None) is not None


@cache
def _credential_words() -> Terms:
    said = table("secret_words")
    return Terms((term, kind) for kind in ("password", "key", "services") for term in said[kind])


def _entropy(token: str) -> float:
    """Bits per character of the token's own distribution."""
    size = len(token)
    return -sum(n / size * math.log2(n / size) for n in Counter(token).values())
