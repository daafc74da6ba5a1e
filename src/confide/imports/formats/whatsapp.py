"""WhatsApp: a text file in which every message begins with a date, written as the phone likes it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import Final, NamedTuple

from confide.imports.said import EMPTY, NOTICE, Person, Read, Said, Wrong
from confide.imports.source import Files, lines

#: Of both halves of the day, in languages that write them: the first letter or the whole word.
_MORNING: Final = ("a", "ص", "오전", "上午", "午前", "凌晨", "早上", "清晨")
_HALF: Final = r"[AaPp]\.?\s?[Mm]\.?|[صم]|오전|오후|上午|下午|午前|午後|凌晨|早上|清晨|中午|晚上"
_BEGIN: Final = re.compile(
    r"^\u200e*\[?(?P<a>\d{1,4})(?:[/年-]|\.\s?)(?P<b>\d{1,2})(?:[/月-]|\.\s?)(?P<c>\d{1,4})[.日]?"
    r"(?:\s[^\W\d]\.)?[,،]?[\s_]+(?:[^\W\d]{1,3}\.?\s)??"  # г. · klo · à · um · at
    rf"(?:(?P<before>{_HALF})\s?)?(?P<h>\d{{1,2}})[:.](?P<m>\d\d)(?:[:.](?P<s>\d\d))?"
    rf"(?:[\s_]*(?P<after>{_HALF}))?(?:\s(?:Uhr|ч\.|h))?"
    r"(?:\]|[\s_]*[-–][\s_]|[,:]\s|(?=[\s_\u200e]))[\s_]*(?P<rest>.*)$",
    re.DOTALL,
)
_SPEAKER: Final = re.compile(
    r"^\u200e*(?:~\s?)?(?P<name>[^:\n]{1,100}?)\s?: (?P<text>.*)$", re.DOTALL
)
_NO_WORDS: Final = re.compile(
    r"^(?:<[^>]{1,60}>|(?:image|video|audio|sticker|GIF|document|Contact card) omitted"
    r"|(?:This message was deleted|You deleted this message)\.?|[^\n]{1,120}\(file attached\))$",
    re.IGNORECASE,
)
#: Added by the program, in any language: a phone marks its own words with U+200E.
_NOTE: Final = re.compile(r"\s*\u200e<[^>]{1,60}>\s*$")
_MARKS: Final = dict.fromkeys(map(ord, "\u200f\u202a\u202b\u202c\ufeff"))
#: A browser adds (1) to a file that it downloads again; the chat is the same.
_TITLE: Final = re.compile(
    r"^(?:WhatsApp Chat (?:with|-) |Chat de WhatsApp con |WhatsApp-?Chat mit )?(.*?)"
    r"(?:\s?\(\d{1,3}\))?(?:\.txt|\.zip)?$",
    re.IGNORECASE | re.DOTALL,
)
LOOK: Final = 20_000


class _Line(NamedTuple):
    number: int
    begin: re.Match[str]
    rest: str


class _Seen:
    """There are no ids: the same words in the same minute are told apart by their order. Who said
    them does not count, as a phone writes what its owner calls people today."""

    def __init__(self) -> None:
        self._at, self._said = datetime.min.replace(tzinfo=UTC), Counter[str]()

    def again(self, at: datetime, said: str) -> int:
        if at != self._at:
            self._at, self._said = at, Counter()
        self._said[said] += 1
        return self._said[said]


class WhatsApp:
    name = "whatsapp"

    def recognises(self, files: Files) -> bool:
        return any(self._is_chat(files, part) for part in _files(files))

    def _is_chat(self, files: Files, part: str) -> bool:
        head = files.head(part)[:4000].rsplit(b"\n", 1)[0].decode("utf-8", "replace")
        written = [line.translate(_MARKS) for line in head.splitlines() if line.strip()]
        begun = sum(_BEGIN.match(line) is not None for line in written)
        return begun > 0 and begun * 3 >= len(written)

    def read(self, files: Files) -> Iterator[Read]:
        for part in _files(files):
            if not self._is_chat(files, part):
                continue
            order = _order(files, part)
            room = _title(PurePosixPath(part).name)
            room = _title(files.name) if room == "_chat" else room
            seen = _Seen()
            for found in _messages(files, part):
                yield (
                    found if isinstance(found, Wrong) else _message(found, room, part, order, seen)
                )


def _files(files: Files) -> list[str]:
    return [part for part in files.parts if part.lower().endswith(".txt")]


def _title(name: str) -> str:
    found = _TITLE.match(name)
    return found[1] if found else name


def _messages(files: Files, part: str) -> Iterator[_Line | Wrong]:
    """A line without a date goes on with the message before."""
    waiting: _Line | None = None
    for number, line in lines(files, part):
        if isinstance(line, Wrong):
            yield line
            continue
        begin = _BEGIN.match(line.translate(_MARKS).rstrip("\r\n"))
        if begin is None:
            if waiting is not None and len(waiting.rest) < 64_000:
                waiting = waiting._replace(rest=f"{waiting.rest}\n{line.rstrip()}")
            continue
        if waiting is not None:
            yield waiting
        waiting = _Line(number, begin, begin["rest"])
    if waiting is not None:
        yield waiting


def _order(files: Files, part: str) -> str:
    """Which number is the day: one above 12 tells, or which order keeps time from running back;
    else it is guessed from how dates are written."""
    is_american = dotted = False
    back = Counter[str]()
    before: dict[str, tuple[int, ...]] = {}
    for number, line in lines(files, part):
        if number > LOOK:
            break
        begin = None if isinstance(line, Wrong) else _BEGIN.match(line.translate(_MARKS))
        if begin is None:
            continue
        first, second, third = int(begin["a"]), int(begin["b"]), int(begin["c"])
        if first > 31:
            return "ymd"
        if first > 12:
            return "dmy"
        if second > 12:
            return "mdy"
        for order, day in (("dmy", (third, second, first)), ("mdy", (third, first, second))):
            back[order] += day < before.get(order, day)
            before[order] = day
        is_american |= begin["after"] in ("AM", "PM")
        dotted |= "." in begin[0][:8]
    if back["dmy"] != back["mdy"]:
        return min(("dmy", "mdy"), key=back.__getitem__)
    return "mdy" if is_american and not dotted else "dmy"


def _message(line: _Line, room: str, part: str, order: str, seen: _Seen) -> Read:
    where = f"{part}, line {line.number}"
    spoken = _SPEAKER.match(line.rest)
    if spoken is None:
        return NOTICE
    at = _when(line.begin, order)
    if at is None:
        return Wrong(where, "date", "is no date that exists")
    is_note = spoken["text"].startswith("\u200e")
    said = _NOTE.sub("", spoken["text"]).replace("\u200e", "").strip()
    if not said or is_note or _NO_WORDS.match(said):
        return EMPTY
    name = spoken["name"].strip()
    id = f"{room}\x1f{at.isoformat()}\x1f{seen.again(at, said)}\x1f{said}"
    return Said(id=id, room=room, by=Person(name, name), text=said, at=at, where=where)


def _when(begin: re.Match[str], order: str) -> datetime | None:
    a, b, c = int(begin["a"]), int(begin["b"]), int(begin["c"])
    year, month, day = {"ymd": (a, b, c), "dmy": (c, b, a), "mdy": (c, a, b)}[order]
    if order != "ymd" and a > 31:
        year, month, day = a, b, c
    hour = int(begin["h"])
    if half := (begin["before"] or begin["after"] or "").lower():
        hour = hour % 12 + (0 if half.startswith(_MORNING) else 12)
    # Chats that were joined from phones of two countries mix both orders.
    for m, d in ((month, day), (day, month)):
        try:
            return datetime(
                year + 2000 if year < 100 else year, m, d, hour, int(begin["m"]), int(begin["s"] or 0),
                tzinfo=UTC,
            )  # fmt: skip
        except ValueError:
            continue
    return None
