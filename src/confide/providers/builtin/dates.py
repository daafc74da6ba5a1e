"""A18: "last Tuesday" becomes the date it was, counted from when it was said."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final

from confide.providers.builtin.lexicon import DAYS, MONTHS, NUMBERS

_NUMBER = rf"(?:\d{{1,4}}|an?|{'|'.join(NUMBERS)}|couple of|a couple of|a couple)"
_DAY = "|".join(DAYS)
_MONTH = "|".join(MONTHS)
_UNIT = r"(?P<unit>day|week|month|year|fortnight)s?"

#: Tried in this order; the first that fits a place in the text wins.
_PHRASES: Final[tuple[tuple[str, str], ...]] = (
    ("iso", r"(?P<year>(?:19|20)\d\d)-(?P<month>\d\d)-(?P<day>\d\d)"),
    ("relative_day", r"(?P<word>(?:the )?day (?:before yesterday|after tomorrow)|yesterday|today"
     r"|tonight|tomorrow|last night|this (?:morning|afternoon|evening)|earlier today)"),
    ("ago", rf"(?:about |around |almost |over )?(?P<count>{_NUMBER}) {_UNIT} (?:ago|back)"),
    ("in_time", rf"in (?P<count>{_NUMBER}) {_UNIT}(?:'s? time)?"),
    ("which_day", rf"(?P<which>last|this past|past|this|next|this coming|coming) (?P<name>{_DAY})"),
    ("which_weekend", r"(?P<which>last|this past|past|this|next|this coming) weekend"),
    ("which_month", rf"(?P<which>last|this past|this|next) (?P<name>{_MONTH})"),
    ("which_unit", r"(?P<which>last|this past|past|this|next|this coming) (?P<unit>week|month|year)"),
    ("day_month", rf"(?:on )?(?:the )?(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<name>{_MONTH})\.?"
     r"(?:,? (?P<year>(?:19|20)\d\d))?"),
    ("month_day", rf"(?:on )?(?P<name>{_MONTH})\.? (?P<day>\d{{1,2}})(?:st|nd|rd|th)?\b"
     r"(?:,? (?P<year>(?:19|20)\d\d))?"),
    ("month_year", rf"(?:in )?(?P<name>{_MONTH}),? (?P<year>(?:19|20)\d\d)"),
    ("plain_year", r"(?:in|since|until|back in) (?P<year>(?:19|20)\d\d)"),
    ("plain_month", rf"(?:in|since|until|by) (?P<name>{_MONTH})"),
    ("plain_day", rf"(?:on|by|until) (?P<name>{_DAY})"),
)  # fmt: skip
_COMPILED: Final = tuple(
    (name, re.compile(rf"\b{phrase}(?![\w-])", re.IGNORECASE)) for name, phrase in _PHRASES
)
_ANY: Final = re.compile(
    r"\b(?:ago|back|yesterday|to(?:day|night|morrow)|last|past|next|this|coming|in|on|by|since|until"
    rf"|(?:19|20)\d\d|{_MONTH})\b",
    re.IGNORECASE,
)
_STEP: Final = {
    "last": -1,
    "past": -1,
    "this past": -1,
    "this": 0,
    "next": 1,
    "coming": 1,
    "this coming": 1,
}
_PAST: Final = re.compile(
    r"\b(?:was|were|went|had|got|did|been|since|met|saw|took|made|came|left|last|bought|won|lost|ran|\w{3,}ed"
    r"|died|tied|lied|owed|used|broke|began|became|brought|built|caught|chose|drove|ate|fell|felt|found|flew|forgot"
    r"|gave|grew|heard|held|hired|kept|knew|paid|quit|rode|said|sang|sold|sent|slept|spoke|spent|stole|swam|taught"
    r"|told|thought|woke|wore|wrote|born)\b",
    re.IGNORECASE,
)
#: A phrase by itself says nothing of before or after.
_BARE: Final = re.compile(r"\s*(?:on |in )?\w+\s*$", re.IGNORECASE)
_FUTURE: Final = re.compile(
    r"\b(?:will|'ll|going to|gonna|plan(?:s|ning)?|due|by|until|upcoming|next|deadline|want to|hoping|let's|can"
    r"|starts|is on|are on|should|must|need|please|scheduled|give|send|join"
    r"|(?:i'm|we're|am|are|is) (?:getting|flying|moving|leaving|starting|having|hosting|turning|visiting))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class When:
    """A date phrase: the first day it means, and how exactly ("day", "week", "month", "year")."""

    day: date
    exactness: str
    start: int
    end: int

    def __str__(self) -> str:
        match self.exactness:
            case "year":
                return f"{self.day:%Y}"
            case "month":
                return f"{self.day:%Y-%m}"
            case "week":
                return f"week of {self.day.isoformat()}"
            case _:
                return self.day.isoformat()


def resolve_date(phrase: str, said_at: datetime) -> date | None:
    """The (first) day that a phrase means when said at that time, or None if it names none."""
    for when in find_dates(phrase, said_at):
        return when.day
    name = phrase.strip().lower()
    if name in DAYS:
        return _nearest_day(DAYS[name], said_at.date(), is_future=False)
    return None


def find_dates(text: str, said_at: datetime) -> Iterator[When]:
    """All date phrases of a text, from left to right, each resolved against when it was said."""
    if not _ANY.search(text):
        return
    ahead, back = bool(_FUTURE.search(text)), bool(_PAST.search(text))
    is_future = ahead or not (back or _BARE.match(text))
    tense = ahead - back
    found: list[tuple[int, int, int, str, re.Match[str]]] = []
    for rank, (name, pattern) in enumerate(_COMPILED):
        found += [(m.start(), rank, m.end(), name, m) for m in pattern.finditer(text)]
    reached = 0
    for start, _, end, name, match in sorted(found, key=lambda one: one[:3]):
        if start < reached:
            continue
        try:
            meant = _meaning(name, match, said_at.date(), is_future, tense)
        except (ValueError, OverflowError):  # 31 February, 9999 years ago
            continue
        if meant:
            reached = end
            yield When(*meant, start, end)


def _meaning(
    name: str, match: re.Match[str], today: date, is_future: bool, tense: int
) -> tuple[date, str] | None:
    parts = match.groupdict()
    match name:
        case "relative_day":
            return today + timedelta(days=_relative_day(parts["word"].lower())), "day"
        case "ago" | "in_time":
            count = _number(parts["count"]) * (-1 if name == "ago" else 1)
            return _moved(today, count, parts["unit"].lower())
        case "which_day":
            step, day = _STEP[parts["which"].lower()], DAYS[parts["name"].lower()]
            return _which_day(day, step, today), "day"
        case "which_weekend":
            saturday = _which_weekend(_STEP[parts["which"].lower()], today)
            return saturday, "day"
        case "which_unit":
            return _moved(today, _STEP[parts["which"].lower()], parts["unit"].lower(), is_span=True)
        case "which_month":
            return _which_month(parts, today), "month"
        case "plain_year":
            return date(int(parts["year"]), 1, 1), "year"
        case "plain_day":
            return _nearest_day(DAYS[parts["name"].lower()], today, is_future), "day"
        case _:
            return _calendar_date(parts, today, is_future, tense)


def _relative_day(word: str) -> int:
    if word.endswith("before yesterday"):
        return -2
    if word.endswith("after tomorrow"):
        return 2
    return {"yesterday": -1, "last night": -1, "tomorrow": 1}.get(word, 0)


def _number(word: str) -> int:
    word = word.lower()
    return int(word) if word.isdigit() else NUMBERS.get(word, 2 if "couple" in word else 1)


def _moved(today: date, count: int, unit: str, *, is_span: bool = False) -> tuple[date, str]:
    """`is_span`: "last week" is the whole week; "two weeks ago" is a day."""
    if unit == "day":
        return today + timedelta(days=count), "day"
    if unit in ("week", "fortnight"):
        day = today + timedelta(weeks=count * (2 if unit == "fortnight" else 1))
        return (day - timedelta(days=day.weekday()), "week") if is_span else (day, "day")
    months = today.year * 12 + today.month - 1 + count * (12 if unit == "year" else 1)
    first = date(months // 12, 1 if unit == "year" else months % 12 + 1, 1)
    return first, unit


def _which_day(day: int, step: int, today: date) -> date:
    if step < 0:
        return today - timedelta(days=(today.weekday() - day) % 7 or 7)
    ahead = (day - today.weekday()) % 7
    return today + timedelta(days=ahead or (7 if step else 0))


def _which_weekend(step: int, today: date) -> date:
    saturday = (
        today + timedelta(days=5 - today.weekday()) if today.weekday() < 6 else today - timedelta(1)
    )
    is_weekend_now = today.weekday() >= 5
    if step < 0:
        return saturday - timedelta(weeks=1)
    return saturday + timedelta(weeks=1) if step and is_weekend_now else saturday


def _nearest_day(day: int, today: date, is_future: bool) -> date:
    back = (today.weekday() - day) % 7
    return today + timedelta(days=(7 - back) % 7) if is_future else today - timedelta(days=back)


def _which_month(parts: dict[str, str | None], today: date) -> date:
    month = MONTHS[(parts["name"] or "").lower()]
    match _STEP[(parts["which"] or "").lower()]:
        case -1:
            year = today.year - (month >= today.month)
        case 1:
            year = today.year + (month <= today.month)
        case _:
            year = today.year
    return date(year, month, 1)


def _calendar_date(
    parts: dict[str, str | None], today: date, is_future: bool, tense: int
) -> tuple[date, str] | None:
    name = parts.get("name")
    month = MONTHS[name.lower()] if name else int(parts["month"] or 0)
    day, year = int(parts.get("day") or 1), parts.get("year")
    exactness = "day" if parts.get("day") else "month"
    if year:
        return date(int(year), month, day), exactness
    if name in ("may", "march"):
        return None  # more often the verb than the month
    if exactness == "month":
        past = date(today.year - (month > today.month), month, 1)
        return (
            past if not is_future or past.month == today.month else date(past.year + 1, month, 1)
        ), "month"
    near = [date(today.year + step, month, day) for step in (-1, 0, 1)]
    # A deadline lies ahead, and what was done lies back; else the nearest is meant.
    near = [one for one in near if (one - today).days * tense >= 0]
    return min(near, key=lambda one: abs((one - today).days)), "day"
