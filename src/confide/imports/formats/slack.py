"""Slack: a zip with a folder for each channel and a file for each day."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import PurePosixPath
from typing import Any, Final

from confide.imports.json_parts import items, parts, table, text, value
from confide.imports.said import (
    BOT,
    EMPTY,
    NOTICE,
    Person,
    Read,
    Room,
    Said,
    Stay,
    Wrong,
    moment,
)
from confide.imports.source import Files

_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d\.json")
_MENTION: Final = re.compile(r"<@([UW][A-Z0-9]+)(?:\|[^>]*)?>")
_LINK: Final = re.compile(r"<(https?://[^|>]+)(?:\|[^>]*)?>")
SPOKEN: Final = frozenset({"", "thread_broadcast", "me_message", "reply_broadcast"})
#: Public channels, private ones, group messages and direct messages, each with its members.
LISTS: Final = ("channels.json", "groups.json", "mpims.json", "dms.json")
JOINED: Final = frozenset({"channel_join", "group_join"})
LEFT: Final = frozenset({"channel_leave", "group_leave"})
MOST_CHANGES: Final = 200_000  # of who is in one channel


class Slack:
    name = "slack"

    def recognises(self, files: Files) -> bool:
        return bool(
            files.named("users.json") and files.named("channels.json", "dms.json", "groups.json")
        )

    def read(self, files: Files) -> Iterator[Read]:
        names: dict[str, str] = {}
        for part in files.named("users.json"):
            for one in _items(files, part):
                if isinstance(one, Wrong):
                    yield one
                else:
                    names[text(one, "id")] = _name(one)
        members: dict[str, list[str]] = {}
        ids: dict[str, str] = {}  # of channels, whatever they are called by now
        for part in files.named(*LISTS):
            for one in _items(files, part):
                if isinstance(one, Wrong):
                    yield one
                else:
                    listed = [who for who in items(one, "members") if isinstance(who, str) and who]
                    room = text(one, "name") or text(one, "id")
                    members[room], ids[room] = listed, text(one, "id")
        for room, days in _rooms(files).items():
            if members.get(room):
                yield Room(room, _stays(files, days, members[room], names))
            for part in days:
                yield from _day(files, part, (ids.get(room) or room, room), names)


def _items(files: Files, part: str) -> Iterator[Any]:
    """Each record of a list, or what is wrong with it."""
    for found in parts(files, part, ["item"]):
        yield found if isinstance(found, Wrong) else found[1]


def _rooms(files: Files) -> dict[str, list[str]]:
    """The days of each channel, oldest first."""
    found: dict[str, list[str]] = defaultdict(list)
    for part in files.parts:
        path = PurePosixPath(part)
        if _DAY.fullmatch(path.name):
            found[path.parent.name].append(part)
    return found


def _day(files: Files, part: str, room: tuple[str, str], names: dict[str, str]) -> Iterator[Read]:
    number = 0
    for one in _items(files, part):
        if isinstance(one, Wrong):
            yield one
            continue
        number += 1
        yield _message(one, room, names, f"{part}, message {number}")


def _stays(
    files: Files, days: list[str], members: list[str], names: dict[str, str]
) -> tuple[Stay, ...]:
    """Who was there when: the list says who is there at the end, notices who came and left."""
    since: dict[str, datetime | None] = {}  # of those who came and have not left
    stays: list[Stay] = []
    gone: set[str] = set()
    latest = datetime.min.replace(tzinfo=UTC)
    for at, who, has_come in _changes(files, days):
        latest = max(latest, at)
        if has_come:
            since.setdefault(who, at)
            gone.discard(who)
        elif who:
            begins = since.pop(who, at if who in gone else None)
            stays.append(Stay(_person(who, names), begins, at))
            gone.add(who)
    # Who left, and is listed although nothing says that they came back, missed what was said since.
    # Whom the list lacks although nothing says that they left, left nobody knows when.
    after = latest + timedelta(microseconds=1)
    for who in dict.fromkeys(members):
        stays.append(Stay(_person(who, names), after if who in gone else since.get(who)))
    return tuple(stays)


def _changes(files: Files, days: list[str]) -> Iterator[tuple[datetime, str, bool]]:
    """When who came or left; nobody, for words. What happens between words happens at once."""
    began: datetime | None = None
    count = 0
    for part in days:
        for one in _items(files, part):
            kind, at = text(one, "subtype"), moment(value(one, "ts"))
            if at is None:
                continue
            if kind not in JOINED | LEFT or not text(one, "user"):
                began = None
                yield at, "", False
                continue
            count += 1
            began = began or at
            if count <= MOST_CHANGES:
                yield began, text(one, "user"), kind in JOINED


def _name(raw: Any) -> str:
    profile = table(raw, "profile")
    found = text(profile, "display_name") or text(profile, "real_name") or text(raw, "name")
    return found or text(raw, "id")


def _person(who: str, names: dict[str, str]) -> Person:
    return Person(f"slack {who}", names.get(who) or who)


def _message(raw: Any, room: tuple[str, str], names: dict[str, str], where: str) -> Read:
    if text(raw, "type") != "message" or text(raw, "subtype") not in SPOKEN:
        is_bot = text(raw, "subtype") == "bot_message"
        return BOT if is_bot else NOTICE
    if text(raw, "bot_id"):
        return BOT
    who, at = text(raw, "user"), moment(value(raw, "ts"))
    said = _MENTION.sub(lambda m: "@" + names.get(m[1], m[1]), text(raw, "text"))
    said = (
        _LINK.sub(r"\1", said)
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&")
        .strip()
    )
    if not said:
        return EMPTY
    if not who:
        return Wrong(where, "user", "is missing")
    if at is None:
        return Wrong(where, "ts", "is missing or no time")
    by, (channel, called) = _person(who, names), room
    return Said(
        id=f"{channel}/{raw['ts']}/{who}", room=called, by=by, text=said, at=at, where=where
    )
