"""Discord: channels as DiscordChatExporter writes them, and Discord's own data package."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any, Final

from confide.imports.json_parts import items, parts, table, text, value
from confide.imports.said import (
    BOT,
    EMPTY,
    ME,
    NOTICE,
    Person,
    Read,
    Room,
    Said,
    Stay,
    Wrong,
    moment,
)
from confide.imports.source import Files, lines

SPOKEN: Final = frozenset({"Default", "Reply", ""})


class DiscordChannel:
    name = "discord"

    def recognises(self, files: Files) -> bool:
        return any(map(_is_channel, map(files.head, _json(files))))

    def read(self, files: Files) -> Iterator[Read]:
        for part in _json(files):
            if _is_channel(files.head(part)):
                yield from _channel(files, part)


def _json(files: Files) -> list[str]:
    return [part for part in files.parts if part.endswith(".json")]


def _is_channel(head: bytes) -> bool:
    return b'"guild"' in head and b'"channel"' in head and b'"messages"' in head


def _channel(files: Files, part: str) -> Iterator[Read]:
    room, number = part, 0
    for found in parts(files, part, ["channel", "messages.item"]):
        if isinstance(found, Wrong):
            yield found
        elif found[0] == "channel":
            room = text(found[1], "id") or part
        else:
            number += 1
            yield _message(found[1], room, f"{part}, message {number}")


def _message(raw: Any, room: str, where: str) -> Read:
    author = table(raw, "author")
    if text(raw, "type") not in SPOKEN:
        return NOTICE
    if value(author, "isBot") is True:
        return BOT
    said, at = text(raw, "content").strip(), moment(value(raw, "timestamp"))
    if not said:
        return EMPTY
    if not text(author, "id"):
        return Wrong(where, "author", "has no id")
    if at is None:
        return Wrong(where, "timestamp", "is missing or no time")
    name = text(author, "nickname") or text(author, "name") or text(author, "id")
    by = Person(f"discord {text(author, 'id')}", name)
    return Said(id=text(raw, "id") or where, room=room, by=by, text=said, at=at, where=where)


class DiscordPackage:
    """What Discord sends on request: only the words of whoever asked for it."""

    name = "discord-package"

    def recognises(self, files: Files) -> bool:
        return bool(_own(files)) and any(
            PurePosixPath(part).name == "channel.json" for part in files.parts
        )

    def read(self, files: Files) -> Iterator[Read]:
        own = {text(one, "id") for part in files.named("user.json") for one in _one(files, part)}
        for part in _own(files):
            folder = PurePosixPath(part).parent
            partners = _partners(files, str(folder / "channel.json")) - own if own else ()
            if partners:
                others = (Stay(Person(f"discord {id}", id)) for id in sorted(partners))
                yield Room(folder.name, (Stay(ME), *others))
            for number, found in enumerate(_rows(files, part), 1):
                where = f"{part}, message {number}"
                is_wrong = isinstance(found, Wrong)
                yield found if is_wrong else _own_message(found, folder.name, where)


def _own_message(raw: Any, room: str, where: str) -> Read:
    said, at = str(value(raw, "Contents") or "").strip(), moment(value(raw, "Timestamp"))
    if not said:
        return EMPTY
    if at is None:
        return Wrong(where, "Timestamp", "is missing or no time")
    id = str(value(raw, "ID") or where)
    return Said(id=id, room=room, by=ME, text=said, at=at, where=where)


def _partners(files: Files, part: str) -> set[str]:
    """Who is in a chat of two. Who was in a larger one when is not in the package."""
    found = set[str]()
    for raw in _one(files, part):
        listed = [one for one in items(raw, "recipients") if isinstance(one, str) and one]
        is_of_two = value(raw, "type") in (1, "1", "DM") and len(listed) <= 2
        found |= set(listed) if is_of_two else set()
    return found


def _one(files: Files, part: str) -> list[Any]:
    """The one object of a small file; nothing where there is no such file, or it is broken."""
    if part not in files.parts:
        return []
    return [found[1] for found in parts(files, part, [""]) if not isinstance(found, Wrong)]


def _own(files: Files) -> list[str]:
    return [
        part
        for part in files.parts
        if PurePosixPath(part).name in ("messages.json", "messages.csv")
        and PurePosixPath(part).parent.name.startswith(("c", "C"))
    ]


def _rows(files: Files, part: str) -> Iterator[dict[str, Any] | Wrong]:
    if part.endswith(".json"):
        for found in parts(files, part, ["item"]):
            if isinstance(found, Wrong):
                yield found
            elif isinstance(found[1], dict):
                yield found[1]
            else:
                yield Wrong(part, "message", "is no object")
        return
    # By lines, as a row that is opened and never closed would be the rest of the file.
    wrong: list[Wrong] = []
    try:
        for row in csv.DictReader(_good(lines(files, part), wrong)):
            yield from _drained(wrong)
            yield row
    except csv.Error:
        yield Wrong(part, "file", "is no CSV")
    yield from _drained(wrong)


def _good(read: Iterator[tuple[int, str | Wrong]], wrong: list[Wrong]) -> Iterator[str]:
    for _, line in read:
        if isinstance(line, Wrong):
            wrong.append(line)
        else:
            yield line


def _drained(wrong: list[Wrong]) -> Iterator[Wrong]:
    while wrong:
        yield wrong.pop(0)
