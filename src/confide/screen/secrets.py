"""Finds credentials, which are refused (A14): by format, by checksum and by what is said."""

import re
from collections.abc import Iterator
from functools import cache

from confide.language.words import Word
from confide.screen.cards import find_cards
from confide.screen.findings import Finding
from confide.screen.lists import table
from confide.screen.phrases import spoken_secret
from confide.screen.randomness import random_token
from confide.screen.seeds import seed_phrase

# Not inside a longer word; a quote, bracket or `=` before a token is fine.
# What no format begins with is not tried against a hundred of them.
TOKEN_STARTS = r"(?<![\w.-])(?=[\w.~?&$-])"
LONG_RUN = re.compile(r"[^\s]{16}")


def find_secret(text: str, words: list[Word]) -> Finding | None:
    """The first credential in the text. Its reason names the kind and never the value."""
    return next(_secrets(text, words), None)


def _secrets(text: str, words: list[Word]) -> Iterator[Finding]:
    if LONG_RUN.search(text) or "-----" in text or "assw" in text or "earer" in text:
        match = _formats().search(text)
        if match:
            yield Finding(
                kind="secret", reason=f"looks like a credential: {_named(match)}", span=match.span()
            )
    yield from find_cards(text)
    yield from spoken_secret(text, words)
    yield from random_token(text, words)
    yield from seed_phrase(text, words)


@cache
def _formats() -> re.Pattern[str]:
    """All formats as one pattern; the name of the group that matched tells which."""
    patterns = [pattern for _, pattern in _numbered()]
    groups = (f"(?P<f{number}>{pattern})" for number, pattern in enumerate(patterns))
    return re.compile(TOKEN_STARTS + "(?:" + "|".join(groups) + ")")


@cache
def _numbered() -> tuple[tuple[str, str], ...]:
    formats = table("secret_formats")
    shapes = tuple(formats["shapes"].items())
    issued = tuple(
        (f"{issuer} key", pattern)
        for issuer, patterns in formats["formats"].items()
        for pattern in patterns
    )
    return shapes + issued


def _named(match: re.Match[str]) -> str:
    number = int((match.lastgroup or "f0")[1:])
    return _numbered()[number][0]
