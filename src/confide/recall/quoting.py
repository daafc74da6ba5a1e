"""Step 4 of recalling: stored text as one line of data that hides nothing from a reader."""

from __future__ import annotations

import json
import re
import unicodedata
from typing import Final

_HIDDEN: Final = frozenset({"Cc", "Cf", "Zl", "Zp", "Cs", "Co"})
# Characters that count as printable, or are not assigned yet, and show nothing: fillers, joiners and
# variation selectors. A row of them carries any message that a model reads and a person does not.
_SHOWS_NOTHING: Final = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2065\u2800\u3164\ufe00-\ufe0f\uffa0\ufff0-\ufff8"
    "\U000e0000-\U000e0fff]"
)
_EMOJI_OR_TEXT: Final = "\ufe0e\ufe0f"  # chooses how the emoji before it is drawn
_KEYCAPS: Final = frozenset("0123456789#*")


def quoted(text: str) -> str:
    """One line that can end neither the fence nor the line, nor turn the writing direction."""
    written = json.dumps(text, ensure_ascii=False)
    if written.isprintable() and not _SHOWS_NOTHING.search(written):
        return written
    pairs = zip(" " + written, written, strict=False)
    return "".join(_escaped(c) if _is_hidden(c, before) else c for before, c in pairs)


def _is_hidden(c: str, before: str) -> bool:
    if c in _EMOJI_OR_TEXT:
        return before not in _KEYCAPS and unicodedata.category(before) not in ("So", "Sm")
    return unicodedata.category(c) in _HIDDEN or _SHOWS_NOTHING.match(c) is not None


def _escaped(c: str) -> str:
    return json.dumps(c)[1:-1]
