"""JSON Lines: one message a line, with the names that most programs use for its fields."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from confide.imports.json_parts import text
from confide.imports.said import ASSISTANT, EMPTY, ME, Person, Read, Said, Wrong, moment
from confide.imports.source import Files, lines

TEXT: Final = ("text", "content", "message", "body")
WHO: Final = ("by", "speaker", "author", "from", "user", "role")
WHEN: Final = ("at", "said_at", "timestamp", "time", "created_at", "date", "ts")
ROOM: Final = ("room", "in", "channel", "conversation_id", "thread", "origin")
ASSISTANTS: Final = frozenset({"assistant", "system", "tool", "model", "ai", "bot"})


class JsonLines:
    name = "jsonl"

    def recognises(self, files: Files) -> bool:
        return any(_first_is_object(files, part) for part in _files(files))

    def read(self, files: Files) -> Iterator[Read]:
        for part in _files(files) or files.parts:
            for number, line in lines(files, part):
                if isinstance(line, Wrong):
                    yield line
                elif line.strip():
                    yield _line(line, f"{part}, line {number}")


def _files(files: Files) -> list[str]:
    return [part for part in files.parts if part.endswith((".jsonl", ".ndjson"))]


def _first_is_object(files: Files, part: str) -> bool:
    return files.head(part).lstrip().startswith(b"{")


def _line(line: str, where: str) -> Read:
    try:
        raw = json.loads(line)
    except (ValueError, RecursionError):
        return Wrong(where, "line", "is not JSON")
    if not isinstance(raw, dict):
        return Wrong(where, "line", "is no object")
    said, who, room = _first(raw, TEXT).strip(), _first(raw, WHO), _first(raw, ROOM)
    if who.casefold() in ASSISTANTS or raw.get("from_agent") is True:
        return ASSISTANT
    if not said:
        return EMPTY if any(name in raw for name in TEXT) else Wrong(where, "text", "is missing")
    at = next((found for name in WHEN if (found := moment(raw.get(name))) is not None), None)
    if at is None:
        return Wrong(where, "at", "is missing or no time, for example 2026-03-01T12:00:00Z")
    by = ME if who.casefold() in ("", "user", "me", "human") else Person(who, who)
    # Some programs number the messages of each person, or of each day.
    id = str(raw["id"]) if isinstance(raw.get("id"), str | int) else said
    id = "\x1f".join((room, at.isoformat(), who, id))
    return Said(id=id, room=room or "jsonl", by=by, text=said, at=at, where=where)


def _first(raw: dict[str, Any], names: tuple[str, ...]) -> str:
    for name in names:
        value = raw.get(name)
        if isinstance(value, dict):
            value = text(value, "name") or text(value, "id")
        if isinstance(value, str) and value:
            return value
    return ""
