"""How many tokens a text costs a model: an estimate that is never under."""

from __future__ import annotations

import re
from typing import Final

# Models differ. Words cost them about a token for four letters; invented words, numbers and other
# scripts cost more, so each is counted at what the worst common tokenizer makes of it.
_PARTS: Final = re.compile(r" ?[A-Za-z]+|.", re.DOTALL)  # a word takes its space along
_LETTERS_A_TOKEN: Final = 2
_LONGEST_WORD: Final = 20


def estimate_tokens(text: str) -> int:
    return 1 + sum(_cost(part) for part in _PARTS.findall(text))


def _cost(part: str) -> int:
    if not part.isascii():
        return len(part.encode())
    word = part.lstrip(" ")
    is_a_word = len(word) <= _LONGEST_WORD and word[1:].islower()
    return -(-len(word) // _LETTERS_A_TOKEN) if is_a_word else len(part)
