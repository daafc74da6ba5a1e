"""Gemini: Takeout's list of activities, and conversations of AI Studio."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from confide.imports.json_parts import parts, text
from confide.imports.said import ASSISTANT, EMPTY, ME, NOTICE, Read, Said, Wrong, moment
from confide.imports.source import Files

PROMPTED: Final = "Prompted "


class Takeout:
    name = "gemini"

    def recognises(self, files: Files) -> bool:
        return any(_is_gemini(files.head(part)) for part in _activity(files))

    def read(self, files: Files) -> Iterator[Read]:
        for part in _activity(files):
            if not _is_gemini(files.head(part)):
                continue
            number = 0
            for found in parts(files, part, ["item"]):
                if isinstance(found, Wrong):
                    yield found
                    continue
                number += 1
                yield _activity_of(found[1], f"{part}, record {number}")


def _activity(files: Files) -> list[str]:
    return [part for part in files.parts if part.endswith(".json")]


def _is_gemini(head: bytes) -> bool:
    return b'"header"' in head and (b"Gemini" in head or b"Bard" in head)


def _activity_of(raw: Any, where: str) -> Read:
    title = text(raw, "title")
    if text(raw, "header") not in ("Gemini Apps", "Gemini", "Bard") or not title.startswith(
        PROMPTED
    ):
        return NOTICE
    said, at = title.removeprefix(PROMPTED).strip(), moment(text(raw, "time"))
    if not said:
        return EMPTY
    if at is None:
        return Wrong(where, "time", "is missing or no time")
    return Said(
        id=f"{text(raw, 'time')} {said}", room="gemini", by=ME, text=said, at=at, where=where
    )


class AIStudio:
    name = "ai-studio"

    def recognises(self, files: Files) -> bool:
        return any(b'"chunkedPrompt"' in files.head(part) for part in files.parts)

    def read(self, files: Files) -> Iterator[Read]:
        for part in files.parts:
            if b'"chunkedPrompt"' not in files.head(part):
                continue
            number = 0
            for found in parts(files, part, ["chunkedPrompt.chunks.item"]):
                if isinstance(found, Wrong):
                    yield found
                    continue
                number += 1
                yield _chunk(found[1], part, number, files)


def _chunk(raw: Any, part: str, number: int, files: Files) -> Read:
    if text(raw, "role") != "user":
        return ASSISTANT
    said = text(raw, "text").strip()
    if not said:
        return EMPTY
    # Older files have no times; then it was said when the file was last changed.
    at = moment(text(raw, "createTime")) or files.changed_at
    id, where = f"{part}/{number}", f"{part}, chunk {number}"
    return Said(id=id, room=part, by=ME, text=said, at=at, where=where)
