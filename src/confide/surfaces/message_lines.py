"""Messages as JSON Lines: what each field means, and what is wrong with a line that has none."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any, Final, cast

from confide.errors import InvalidInput
from confide.model import Entity, Message, clean_text
from confide.reading import is_list_of_text, read_entities, read_entity, read_namespace, read_place

NEEDED: Final = ("id", "in", "by", "text", "at")
KNOWN: Final = {
    *NEEDED, "present", "to_agent", "from_agent", "confidential", "only_for",
    "platform", "namespace"
}  # fmt: skip


def read_lines(lines: Iterable[bytes]) -> tuple[list[Message], list[str]]:
    """The messages, and for each line that is none its number and why."""
    messages: list[Message] = []
    wrong: list[str] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            messages.append(read_line(line))
        except InvalidInput as problem:
            wrong.append(f"line {number}: {problem}")
    return messages, wrong


def read_line(line: bytes) -> Message:
    raw = _object(line)
    speaker = read_entity(_text(raw, "by"), "by")
    others = _people(raw, "present")
    is_from_agent = _flag(raw, "from_agent", False)
    return Message(
        id=clean_text(_text(raw, "id"), "id"),
        place=read_place(_text(raw, "in"), _whose(speaker, others, is_from_agent)),
        speaker=speaker,
        text=clean_text(_text(raw, "text")),
        said_at=_time(_text(raw, "at")),
        platform=clean_text(_text(raw, "platform"), "platform") if "platform" in raw else "local",
        present=others,
        is_to_agent=_flag(raw, "to_agent", True),
        is_from_agent=is_from_agent,
        is_confidential=_flag(raw, "confidential", False),
        only_for=_people(raw, "only_for"),
        namespace=read_namespace(_text(raw, "namespace")) if "namespace" in raw else None,
    )


def _whose(speaker: Entity, others: frozenset[Entity], is_from_agent: bool) -> Entity:
    """Whose direct chat `dm` is: the other's, when the agent speaks."""
    return next(iter(others)) if is_from_agent and len(others) == 1 else speaker


def _object(line: bytes) -> dict[str, Any]:
    try:
        raw: object = json.loads(line)
    except (ValueError, RecursionError):
        raise InvalidInput("line", "is not JSON; write one object a line") from None
    if not isinstance(raw, dict):
        raise InvalidInput("line", "is not an object; write {…} with id, in, by, text and at")
    table = cast("dict[str, Any]", raw)
    unknown = sorted(set(table) - KNOWN)
    if unknown:
        raise InvalidInput(unknown[0][:40], f"is unknown; known are {', '.join(sorted(KNOWN))}")
    return table


def _text(raw: dict[str, Any], field: str) -> str:
    if field not in raw:
        raise InvalidInput(field, "is missing")
    if not isinstance(raw[field], str):
        raise InvalidInput(field, "must be text in quotes")
    return raw[field]


def _people(raw: dict[str, Any], field: str) -> frozenset[Entity]:
    named: object = raw.get(field, [])
    if not is_list_of_text(named):
        raise InvalidInput(field, 'must be a list of entities, for example ["human:bob"]')
    return read_entities(named, field)


def _flag(raw: dict[str, Any], field: str, default: bool) -> bool:
    value = raw.get(field, default)
    # The string "false" must not count as true.
    if not isinstance(value, bool):
        raise InvalidInput(field, "must be true or false")
    return value


def _time(text: str) -> datetime:
    try:
        when = datetime.fromisoformat(text)
    except ValueError:
        raise InvalidInput("at", "is no ISO 8601 time, for example 2026-03-01T12:00:00Z") from None
    return when if when.tzinfo else when.replace(tzinfo=UTC)
