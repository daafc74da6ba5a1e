"""A4: when somebody asks outright that something be remembered, for how long, and for whom."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from confide.providers.builtin.lexicon import NUMBERS

_COUNT = rf"(?:\d{{1,4}}|an?|the(?: next)?(?: (?:\d{{1,4}}|{'|'.join(NUMBERS)}))?|{'|'.join(NUMBERS)}|a couple of|half an?)"
_FOR: Final = re.compile(
    rf"\bfor (?:about )?(?P<count>{_COUNT})(?: next)? (?P<unit>minute|hour|day|week|fortnight|month|year)s?\b",
    re.IGNORECASE,
)
_TODAY: Final = re.compile(r"\bfor (?:today|the rest of the day)\b", re.IGNORECASE)
_PRIVATE: Final = re.compile(
    r"[,(]? ?\b(?:(?:but )?(?:just|only) (?:for|between) (?:me|us|you and me)|for me (?:only|alone)|for myself(?: only)?|privately"
    r"|in private|(?:and )?keep (?:it|this|that) (?:private|to yourself|between us)"
    r"|(?:and )?(?:don't|do not) tell (?:anyone|anybody|others|the others)(?: else)?)\b[,)]?",
    re.IGNORECASE,
)
_EVERYWHERE: Final = re.compile(
    r"[,(]? ?\b(?:everywhere|globally|in (?:all|every|any) (?:servers?|channels?|chats?|places?|rooms?|guilds?|conversations?)"
    r"|across (?:all )?(?:servers|channels|chats|places|guilds|conversations)|wherever i (?:am|go|talk to you))\b[,)]?",
    re.IGNORECASE,
)
_LEAD: Final = (
    r"(?:(?:hey|hi|ok|okay|yo|so|also|and|oh|btw|by the way|please|pls|plz|now)[,!]? |<?@[\w!]{1,40}>?[,:]? "
    r"|(?:can|could|would|will) you (?:please )?|i(?:'d| would)? (?:want|like|need) you to |you should |(?:let's|let us) "
    r"|(?-i:[A-Z])\w{1,20}[,:] ){0,4}"
)
_VERB: Final = (
    r"(?:remember|don't forget|do not forget|never forget|keep in mind|bear in mind|make a note|take a note|take note"
    r"|note down|memori[sz]e|save (?:this|that|it) (?:to|in) (?:your )?memory|store (?:this|that)(?: in memory)?"
    r"|note(?= (?:that|this|for|everywhere)\b|:))"
)
_START: Final = re.compile(rf"\s{{0,8}}{_LEAD}{_VERB}\b(?P<rest>.*)", re.IGNORECASE | re.DOTALL)
#: Talk about memories, not a wish to make one.
_NOT: Final = re.compile(
    r"\s*(?:when|how|the (?:time|day|last)|what|who|where|why|me\b|him\b|her\b|us\b|them\b|it\b|those|back when|anything"
    r"|everything|my name\??$|being|seeing|having|going|\w+ing\b|[?.!]*$)",
    re.IGNORECASE,
)
_FILLING: Final = re.compile(
    r"^[\s,:;\-–—]*(?:(?:this|the following|these|of|also|please|about|and|but)[\s,:]+)*(?:that\b|:|to\b(?! do\b))?[\s,:]*",
    re.IGNORECASE,
)
_PARTS: Final = re.compile(
    r"(?:,|;)? (?:and|but)(?: also)? that |, that |;\s+|\n\s*(?:[-*•]|\d{1,2}[.)])?\s*|(?:^|\s)\d{1,2}[.)] ",
    re.IGNORECASE,
)
_HOURS: Final = {"hour": 1, "day": 24, "week": 168, "fortnight": 336, "month": 730, "year": 8766}


@dataclass(frozen=True, slots=True)
class Request:
    """One thing somebody asked to have remembered."""

    text: str
    lifetime: timedelta | None = None
    is_everywhere: bool = False
    is_private: bool = False


def requested(text: str) -> list[Request]:
    """What the text asks to remember; empty if it is no such request."""
    start = _START.match(text)
    if not start or (
        text.rstrip().endswith("?")
        and not text.lower().lstrip().startswith(("can", "could", "would", "will", "please", "hey"))
    ):
        return []
    rest = start.group("rest").rstrip(" ?") if text.rstrip().endswith("?") else start.group("rest")
    wish, flags = _wish(rest)
    if _NOT.match(wish):
        return []
    parts = [_tidied(part) for part in _PARTS.split(_FILLING.sub("", wish, count=1))]
    return [Request(part, **flags) for part in parts if len(part) > 2]


def _wish(rest: str) -> tuple[str, dict[str, Any]]:
    """The rest of the request without how long and for whom, and what these said."""
    lifetime = None
    # Only before the content: "remember that I was in Rome for two weeks" sets no lifetime.
    head, that, tail = _at_content(rest)
    if found := _FOR.search(head):
        lifetime = _lifetime(found)
        head = head[: found.start()] + head[found.end() :]
    elif found := _TODAY.search(head):
        lifetime = timedelta(days=1)
        head = head[: found.start()] + head[found.end() :]
    rest = head + that + tail
    is_private, is_everywhere = bool(_PRIVATE.search(rest)), bool(_EVERYWHERE.search(head))
    rest = _PRIVATE.sub(" ", rest)
    if is_everywhere or _EVERYWHERE.search(rest[-40:]):
        is_everywhere = True
        rest = _EVERYWHERE.sub(" ", rest)
    return rest, {
        "lifetime": lifetime,
        # Both at once is a contradiction; the narrower wish wins.
        "is_everywhere": is_everywhere and not is_private,
        "is_private": is_private,
    }


def _at_content(rest: str) -> tuple[str, str, str]:
    found = re.search(r"\bthat\b|:|\bto\b", rest)
    if not found:
        match = _FOR.match(rest.lstrip(" ,"))
        cut = len(rest) - len(rest.lstrip(" ,")) + match.end() if match else 0
        return rest[:cut], "", rest[cut:]
    return rest[: found.start()], found.group(), rest[found.end() :]


def _lifetime(found: re.Match[str]) -> timedelta:
    words = found.group("count").lower().split()
    unit = found.group("unit").lower()
    hours = 1 / 60 if unit == "minute" else _HOURS[unit]
    if "half" in words:
        return timedelta(hours=hours / 2)
    count = next((int(word) for word in words if word.isdigit()), None)
    if count is None:
        count = next(
            (NUMBERS[word] for word in words if word in NUMBERS), 2 if "couple" in words else 1
        )
    return timedelta(hours=hours * count)


def _tidied(part: str) -> str:
    part = re.sub(r"\s+", " ", part).strip(" ,;:-–—")
    part = re.sub(
        r"(?:,? (?:please|pls|thanks|thank you|thx|ok|okay))+[.!]*$", "", part, flags=re.IGNORECASE
    )
    return re.sub(r",? (?:but|and)$", "", part, flags=re.IGNORECASE).strip(" ,;:")
