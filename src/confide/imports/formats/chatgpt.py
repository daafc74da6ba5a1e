"""ChatGPT: `conversations.json`, each a tree of messages of which one branch is the conversation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from confide.imports.json_parts import is_list, items, parts, table, text, value
from confide.imports.said import ASSISTANT, EMPTY, ME, NOTICE, LeftOut, Read, Said, Wrong, moment
from confide.imports.source import Files

#: The only memory setting of a conversation that lets it be remembered everywhere.
REMEMBERED: Final = "global_enabled"
EXCLUDED: Final = LeftOut("its conversation is excluded from memory")


class ChatGPT:
    name = "chatgpt"

    def recognises(self, files: Files) -> bool:
        return any(b'"mapping"' in files.head(part) for part in _files(files))

    def read(self, files: Files) -> Iterator[Read]:
        for part in _files(files):
            head = files.head(part)
            if b'"mapping"' not in head:
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
    mapping = table(raw, "mapping")
    if not mapping:
        yield Wrong(where, "mapping", "is missing or empty")
        return
    scope = value(raw, "memory_scope")
    is_excluded = value(raw, "is_do_not_remember") is True or scope not in (None, REMEMBERED)
    room = text(raw, "conversation_id") or text(raw, "id") or where
    for message in _branch(mapping, text(raw, "current_node")):
        yield EXCLUDED if is_excluded else _message(message, room, where, value(raw, "create_time"))


def _branch(mapping: dict[str, Any], current: str) -> list[dict[str, Any]]:
    """From the first message to the current one. Other branches were edited away."""
    if current not in mapping:
        leaves = [id for id, node in mapping.items() if not items(node, "children")]
        current = leaves[-1] if leaves else next(reversed(mapping))
    found: list[dict[str, Any]] = []
    seen: set[str] = set()
    while current in mapping and current not in seen:
        seen.add(current)
        node = mapping[current]
        if table(node, "message"):
            found.append(node["message"])
        current = text(node, "parent")
    return found[::-1]


def _message(raw: dict[str, Any], room: str, where: str, begun: object) -> Read:
    role = text(table(raw, "author"), "role")
    about = table(raw, "metadata")
    if role != "user":
        return ASSISTANT if role == "assistant" else NOTICE
    if value(about, "is_visually_hidden_from_conversation") or value(
        about, "is_user_system_message"
    ):
        return NOTICE
    if text(raw, "recipient") not in ("", "all"):
        return NOTICE
    content = table(raw, "content")
    if text(content, "content_type") not in ("text", "multimodal_text"):
        return NOTICE
    said = "\n".join(map(_words, items(content, "parts"))).strip()
    at = moment(value(raw, "create_time")) or moment(begun)
    here = f"{where}, message {text(raw, 'id')}"
    if not said:
        return EMPTY
    if at is None:
        return Wrong(here, "create_time", "is missing or no time")
    id = text(raw, "id") or f"{room}/{at.timestamp()}"
    return Said(id=id, room=room, by=ME, text=said, at=at, where=here)


def _words(part: Any) -> str:
    """Of what was typed, or spoken and written down."""
    if isinstance(part, str):
        return part
    return text(part, "text") if text(part, "content_type") == "audio_transcription" else ""
