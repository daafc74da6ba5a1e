"""Step 1 of built-in extraction: a message becomes sentences that know where they stood in it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

#: Longer stretches without an end are logs, code or junk, not something said.
LONGEST_SENTENCE: Final = 600

_END = re.compile(r"[.!?…]+[\"')\]”’*_~]{0,4}(?=\s|$)|\n+")
_ABBREVIATION = re.compile(
    r"(?:^|[\s(])(?:[A-Za-z]|Mr|Mrs|Ms|Dr|St|Prof|Jr|Sr|vs|etc|e\.g|i\.e|approx|No|Mt|a\.m|p\.m|U\.S)\.$"
)
_WORD = re.compile(r"[@#]?\w+(?:['’\-+.]\w+)*[+#]{0,2}")
_FENCE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]{1,200}`", re.DOTALL)
_TICKS = re.compile(r"\s*`[^`\n]{1,40}`[.! ]*")
_QUOTED_LINE = re.compile(r"^[ \t]{0,8}(?:>|\|(?!\|)).*$", re.MULTILINE)
_SPOILER = re.compile(r"\|\|")
_LINK = re.compile(r"<?\bhttps?://\S{1,2000}>?|<[@#:][^>\s]{1,80}>")
_UNMARKED = re.compile(
    r"(?:(?:and|so|but|ok|wait|hey|lol),? )?(?:what(?:'?s|’s| (?:is|are|was|were|do|does|even|time|kind|we|about|would|should|if))"
    r"|(?:who|where|why|when)(?:'?s|’s|'?re| (?:is|are|was|were|do|does|did|can|should|would)(?! (?:i|we) was))"
    r"|how (?:do|does|did|is|are|can|should|would|come|many|much|long|old|often|far|big)"
    r"|which (?:one|of|\w+ (?:is|are|do|does))"
    r"|(?:do|does|did|are|have) (?:u|you|ya|we|they|any\w*)|(?:is|isn'?t|are|aren'?t) (?:it|there|that|this|any\w*|\w+ (?:poisonous|ok|safe|open))"
    r"|(?:is|are|was|were|did|does|do|can|could|should|would|has|have) (?:i|you|u|ya|we|he|she|it|they|the|that|this|there|some\w+|any\w*|my|your|our)\b(?! be)"
    r"|any(?:one|body|1) (?:know|got|want|up|else|here|have|wanna))\b(?!.*\b(?:is|was) (?:that|because)\b)",
    re.IGNORECASE,
)
#: One line without the signs that code, quotes, logs and links begin with.
_PLAIN = re.compile(r"[^\n`<>|{}\[\]/$#]*")
_DATED_LOG = re.compile(
    r"^[ \t]{0,8}(?:\[?\d{2,4}[-:/]\d\d[-:/]\d\d\S{0,20}.{0,40}(?:ERROR|WARN|INFO|DEBUG)|Traceback |at \w+[.(]"
    r"|File \"|[{}\[\]<>;$#]).*$",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A stretch of a message; `start` and `end` point into the message's own text."""

    text: str
    start: int
    end: int
    words: tuple[str, ...]
    lowered: tuple[str, ...]

    @property
    def is_question(self) -> bool:
        """Also one without its mark: "what time is it in chile"."""
        return self.text.rstrip("\"')]”’*_~ ").endswith(("?", "?!", "!?")) or bool(
            _UNMARKED.match(self.text)
        )


def without_what_was_not_said(text: str) -> str:
    """The text with code, quoted lines, logs and links blanked out, so that positions still hold."""
    if _PLAIN.fullmatch(text):
        return text
    for pattern in (_FENCE, _QUOTED_LINE, _SPOILER, _LINK, _DATED_LOG):
        text = pattern.sub(_blank, text)
    return text


def _blank(found: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", found.group())


def split(text: str) -> list[Sentence]:
    """The sentences of a message, in order."""
    said = without_what_was_not_said(text)
    sentences: list[Sentence] = []
    start = 0
    for end in (*_ends(said), len(said)):
        piece = said[start:end]
        left = start + len(piece) - len(piece.lstrip(" \t\n-–—*•"))
        right = start + len(piece.rstrip())
        if left < right and right - left <= LONGEST_SENTENCE:
            sentences.append(sentence_at(said[left:right], left))
        start = end
    return sentences


def sentence_at(text: str, start: int) -> Sentence:
    """A sentence that begins at that place of its message."""
    words = tuple(_WORD.findall(text))
    lowered = tuple(_WORD.findall(text.lower().replace("’", "'")))
    if len(words) != len(lowered):  # some letters become two in lower case
        lowered = tuple(word.lower() for word in words)
    return Sentence(text, start, start + len(text), words, lowered)


def _ends(text: str) -> list[int]:
    return [
        found.end()
        for found in _END.finditer(text)
        if not (
            found.group() == "."
            and _ABBREVIATION.search(text, max(0, found.start() - 8), found.end())
        )
    ]


def as_written(text: str, sentence: Sentence) -> str:
    """The sentence with what was blanked out of it: a name in code ticks is a name. Empty inside a
    quotation, which somebody else said."""
    before = text[: sentence.start]
    is_quoted = before.count('"') % 2 or before.count("“") > before.count("”")
    if is_quoted or before.rstrip().endswith(":"):
        return ""
    return text[sentence.start :].split("\n", 1)[0][: _reach(text, sentence)].strip()


def _reach(text: str, sentence: Sentence) -> int:
    """As far as the end of the sentence, or of the code ticks that it ends with."""
    ticks = _TICKS.match(text, sentence.end)
    return (ticks.end() if ticks else sentence.end) - sentence.start
