"""How many tokens a text costs a model: an estimate that is never under."""

from __future__ import annotations

import re
from typing import Final

# Models differ. Words cost them about a token for four letters; invented words, numbers and other
# scripts cost more, so each is counted at what the worst common tokenizer makes of it: a token a
# byte, or half of that in a word of up to twenty letters, which takes its space along.
_WORD: Final = re.compile(r"(?: |(?<![A-Za-z]))[A-Za-z][a-z]{1,19}(?![A-Za-z])")


def fits(text: str, tokens: int) -> bool:
    """Whether a text costs no more than that. What is much shorter or longer is not counted."""
    if len(text) > longest(tokens):
        return False
    return len(text.encode()) < tokens or estimate_tokens(text) <= tokens


def longest(tokens: int) -> int:
    """How many characters can cost that: each is at least a third of a token, in " ab ab"."""
    return 3 * tokens


def estimate_tokens(text: str) -> int:
    return 1 + len(text.encode()) - sum(map(_saved, _WORD.findall(text)))


def _saved(word: str) -> int:
    return (len(word) + 1) // 2 if word[0] == " " else len(word) // 2
