"""Telegram: `result.json` of one chat or of all."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from confide.imports.json_parts import items, parts, text, value
from confide.imports.said import EMPTY, NOTICE, Person, Read, Said, Wrong, moment
from confide.imports.source import Files

_ME: Final = "personal_information.user_id"
#: One chat, all chats, and those that were left.
_CHATS: Final = ("", "chats.list.item.", "left_chats.list.item.")
_IDS: Final = tuple(f"{chat}id" for chat in _CHATS)
_SAID: Final = tuple(f"{chat}messages.item" for chat in _CHATS)


class Telegram:
    name = "telegram"

    def recognises(self, files: Files) -> bool:
        return any(_is_telegram(files.head(part)) for part in _files(files))

    def read(self, files: Files) -> Iterator[Read]:
        for part in _files(files):
            if not _is_telegram(files.head(part)):
                continue
            room, me, number = part, "", 0
            for found in parts(files, part, [_ME, *_IDS, *_SAID]):
                if isinstance(found, Wrong):
                    yield found
                elif found[0] == _ME:
                    me = f"user{found[1]}"
                elif found[0] in _IDS:
                    room = str(found[1])
                else:
                    number += 1
                    yield _message(found[1], room, me, f"{part}, message {number}")


def _files(files: Files) -> list[str]:
    return [part for part in files.parts if part.endswith(".json")]


def _is_telegram(head: bytes) -> bool:
    return b'"from_id"' in head or b'"actor_id"' in head or b'"personal_information"' in head


def _message(raw: Any, room: str, me: str, where: str) -> Read:
    if text(raw, "type") != "message":
        return NOTICE
    who, said = _who(raw), _text(raw).strip()
    at = moment(value(raw, "date_unixtime")) or moment(value(raw, "date"))
    if not said:
        return EMPTY
    if not who:
        return Wrong(where, "from_id", "is missing")
    if at is None:
        return Wrong(where, "date", "is missing or no time")
    by = Person(f"telegram {who}", text(raw, "from") or who, is_importer=who == me)
    return Said(id=f"{room}/{value(raw, 'id')}", room=room, by=by, text=said, at=at, where=where)


def _who(raw: Any) -> str:
    """`user17`; exports of before 2021 have the number alone."""
    found = value(raw, "from_id")
    return f"user{found}" if type(found) is int else text(raw, "from_id")


def _text(raw: Any) -> str:
    """Text is a string, or pieces of which some are links, mentions or bold."""
    whole = value(raw, "text")
    if isinstance(whole, str):
        return whole
    return "".join(one if isinstance(one, str) else text(one, "text") for one in items(raw, "text"))
