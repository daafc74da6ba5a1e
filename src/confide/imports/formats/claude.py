"""Claude: `conversations.json`, each with its `chat_messages`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from confide.imports.json_parts import is_list, items, parts, text, value
from confide.imports.said import ASSISTANT, EMPTY, ME, Read, Said, Wrong, moment
from confide.imports.source import Files


class Claude:
    name = "claude"

    def recognises(self, files: Files) -> bool:
        return any(b'"chat_messages"' in files.head(part) for part in _files(files))

    def read(self, files: Files) -> Iterator[Read]:
        for part in _files(files):
            head = files.head(part)
            if b'"chat_messages"' not in head:
                continue
            number = 0
            for found in parts(files, part, ["item" if is_list(head) else ""]):
                if isinstance(found, Wrong):
                    yield found
                    continue
                number += 1
                yield from _conversation(found[1], f"{part}, conversation {number}")


def _files(files: Files) -> list[str]:
    return [part for part in files.parts if part.endswith(".json")]


def _conversation(raw: Any, where: str) -> Iterator[Read]:
    room = text(raw, "uuid") or where
    for number, one in enumerate(items(raw, "chat_messages"), 1):
        here = f"{where}, message {number}"
        if text(one, "sender") != "human":
            yield ASSISTANT
            continue
        blocks = [
            text(block, "text") for block in items(one, "content") if text(block, "type") == "text"
        ]
        said = (text(one, "text") or "\n".join(blocks)).strip()
        at = moment(value(one, "created_at")) or moment(value(raw, "created_at"))
        if not said:
            yield EMPTY
        elif at is None:
            yield Wrong(here, "created_at", "is missing or no time")
        else:
            id = text(one, "uuid") or f"{room}/{number}"
            yield Said(id=id, room=room, by=ME, text=said, at=at, where=here)
