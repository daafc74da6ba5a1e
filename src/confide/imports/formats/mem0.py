"""mem0: a list of memories, each one sentence about its user."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from confide.imports.json_parts import is_list, parts, text
from confide.imports.said import ASSISTANT, EMPTY, ME, Person, Read, Said, Wrong, moment
from confide.imports.source import Files


class Mem0:
    name = "mem0"

    def recognises(self, files: Files) -> bool:
        return any(_is_mem0(files.head(part)) for part in _files(files))

    def read(self, files: Files) -> Iterator[Read]:
        for part in _files(files):
            head = files.head(part)
            if not _is_mem0(head):
                continue
            paths = ["item"] if is_list(head) else ["results.item", "memories.item"]
            is_of_one = len(_users(files, part, paths)) <= 1
            number = 0
            for found in parts(files, part, paths):
                if isinstance(found, Wrong):
                    yield found
                    continue
                number += 1
                yield _memory(found[1], is_of_one, f"{part}, memory {number}")


def _files(files: Files) -> list[str]:
    return [part for part in files.parts if part.endswith(".json")]


def _is_mem0(head: bytes) -> bool:
    return b'"memory"' in head and (b'"user_id"' in head or b'"created_at"' in head)


def _users(files: Files, part: str, paths: list[str]) -> set[str]:
    """Whose memories these are: one person's are their own, of several each has their own."""
    found = set[str]()
    for one in parts(files, part, [f"{path}.user_id" for path in paths]):
        if not isinstance(one, Wrong) and isinstance(one[1], str):
            found.add(one[1])
            if len(found) > 1:
                break
    return found


def _memory(raw: Any, is_of_one: bool, where: str) -> Read:
    if text(raw, "role") == "assistant":
        return ASSISTANT
    said = (text(raw, "memory") or text(raw, "text")).strip()
    if not said:
        return EMPTY
    at = moment(text(raw, "updated_at")) or moment(text(raw, "created_at"))
    if at is None:
        return Wrong(where, "created_at", "is missing or no time")
    user = text(raw, "user_id")
    by = ME if is_of_one or not user else Person(f"mem0 {user}", user)
    return Said(id=text(raw, "id") or where, room="mem0", by=by, text=said, at=at, where=where)
