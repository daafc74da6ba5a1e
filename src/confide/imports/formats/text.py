"""Markdown and plain text: notes of whoever imports them, a paragraph or list entry at a time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from confide.imports.said import ME, NOTICE, Read, Said, Wrong
from confide.imports.source import Files, lines

_MARK: Final = re.compile(r"^\s*(?:[-*+]|\d{1,3}[.)])\s+|^\s*>\s?")
_HEADING: Final = re.compile(r"^\s*(?:#{1,6}\s|[=\-*_]{3,}\s*$|```)")
LONGEST: Final = 8000


class PlainText:
    name = "text"

    def recognises(self, files: Files) -> bool:
        return bool(_files(files)) and all(b"\0" not in files.head(part) for part in _files(files))

    def read(self, files: Files) -> Iterator[Read]:
        for part in _files(files) or files.parts:
            for number, said in _paragraphs(files, part):
                where = f"{part}, line {number}"
                if isinstance(said, Wrong):
                    yield said
                elif not re.search(r"\w", said):
                    yield NOTICE
                else:
                    id, at = f"{part}\x1f{said}", files.changed_at
                    yield Said(id=id, room=part, by=ME, text=said, at=at, where=where)


def _files(files: Files) -> list[str]:
    return [part for part in files.parts if part.lower().endswith((".txt", ".md", ".markdown"))]


def _paragraphs(files: Files, part: str) -> Iterator[tuple[int, str | Wrong]]:
    begun, waiting = 1, ""
    for number, line in lines(files, part):
        if isinstance(line, Wrong):
            yield number, line
            continue
        is_entry = bool(_MARK.match(line))
        ends = not line.strip() or is_entry or _HEADING.match(line) or len(waiting) > LONGEST
        if ends and waiting:
            yield begun, waiting
            waiting = ""
        if line.strip() and not _HEADING.match(line):
            begun = begun if waiting else number
            waiting = f"{waiting} {_MARK.sub('', line).strip()}".strip()
    if waiting:
        yield begun, waiting
