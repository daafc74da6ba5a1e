"""Long answers as several messages: cut between paragraphs, and code stays code."""

from __future__ import annotations

import re
from typing import Final

#: Discord refuses longer messages.
MOST: Final = 2000
_FENCE: Final = re.compile(r"^```([\w+#.-]{0,20})\s*$")
#: Room for closing a fence at the end of a part and opening it again.
_SPARE: Final = 32


def split(text: str, most: int = MOST) -> list[str]:
    """Parts of at most `most` characters that hold all of `text`, in order."""
    parts: list[str] = []
    part, fence = "", None
    for line in _lines(text, most - _SPARE):
        if part and len(part) + len(line) + 1 > most - _SPARE:
            cut = _between_paragraphs(part) if fence is None else len(part)
            if len(part) - cut + len(line) > most - _SPARE:
                cut = len(part)
            head, rest = part[:cut], part[cut:].lstrip("\n")
            parts.append(f"{head}\n```" if fence is not None else head)
            part = f"```{fence}" if fence is not None else rest
        part = f"{part}\n{line}" if part else line
        found = _FENCE.match(line)
        if found:
            fence = found[1] if fence is None else None
    if fence is not None:
        part = f"{part}\n```"
    return [one for one in (*(p.strip("\n") for p in parts), part.strip("\n")) if one.strip()]


def _between_paragraphs(part: str) -> int:
    """Where the last paragraph begins, unless that leaves too little before it."""
    at = part.rfind("\n\n")
    opened = len(re.findall(r"^```", part[:at], re.MULTILINE)) % 2
    return at if at > len(part) // 3 and not opened else len(part)


def _lines(text: str, most: int) -> list[str]:
    """Lines, the longest cut between words."""
    lines: list[str] = []
    for line in text.split("\n"):
        while len(line) > most:
            at = line.rfind(" ", most // 2, most)
            at = most if at < 0 else at
            lines.append(line[:at])
            line = line[at:].lstrip(" ") if at < most else line[at:]
        lines.append(line)
    return lines
