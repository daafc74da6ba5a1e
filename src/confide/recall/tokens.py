"""How many tokens a text costs a model: an estimate that is never under."""

from __future__ import annotations

import re
from typing import Final

# Models differ. Words cost them about a token for four letters; invented words, numbers and other
# scripts cost more, so each is counted at what the worst common tokenizer makes of it.
_PARTS: Final = re.compile(r"[A-Za-z]+|\s+|.", re.DOTALL)
_LETTERS_A_TOKEN: Final = 2
_LONGEST_WORD: Final = 20


def estimate_tokens(text: str) -> int:
    return 1 + sum(_cost(part) for part in _PARTS.findall(text))


def _cost(part: str) -> int:
    if part.isspace():
        return len(part) - 1 + part.count("\n")
    if not part.isascii():
        return len(part.encode())
    is_a_word = len(part) <= _LONGEST_WORD and part[1:].islower()
    return -(-len(part) // _LETTERS_A_TOKEN) if is_a_word else len(part)
