"""The readable form of an export: the same facts as the JSON, as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

# Markdown that stored text could be mistaken for, and what could steer whoever shows it.
_STEERING: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]+")
_MARKED: Final = re.compile(r"([\\`*_\[\]<>#|])")


def readable(kept: Mapping[str, Any]) -> str:
    return "\n".join(_lines(kept)) + "\n"


def _lines(kept: Mapping[str, Any]) -> Iterator[str]:
    yield f"# What is kept of {_plain(kept['entity'])}"
    yield ""
    yield f"By the agent {_plain(kept['agent'])}. {_privacy(kept['privacy'])}"
    yield from _memories("Your memories", kept["memories"])
    yield from _memories("Yours, and told to nobody now", kept["not_told_now"])
    yield from _memories("What others said about you, as far as you may hear it",
                         kept["said_about_you"])  # fmt: skip
    yield from _section("Messages that were not deleted yet", kept["messages"], _message)
    yield from _section("What you agreed to", kept["consents"], _consent)
    yield from _section("What you asked for", kept["requests"], _request)
    yield from _section("What else is known of you", kept["records"], _record)
    yield from _section("When your memories were told", kept["tellings"], _telling)


def _memories(title: str, found: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    yield from _section(title, found, _memory)


def _section(title: str, found: Sequence[Mapping[str, Any]], line: Any) -> Iterator[str]:
    yield ""
    yield f"## {title} ({len(found)})"
    if found:
        yield ""
    for one in found:
        yield line(one)


def _memory(one: Mapping[str, Any]) -> str:
    where = f"from {_plain(one['origin'])}" if one["origin"] else "from nowhere in particular"
    by = f", said by {_plain(one['speaker'])}" if one["speaker"] else ""
    waits = f", waits: {_plain(one['waits_because'])}" if one.get("waits_because") else ""
    details = (
        f"{one['kind']}, {one['level']}, {one['sensitivity']}, {one['status']}, {where}{by}, "
        f"{one['said_at'][:10]}{waits}, id {one['id']}"
    )
    return f"- {_plain(one['text'])}\n  ({details})"


def _message(one: Mapping[str, Any]) -> str:
    return f"- {_plain(one['text'])}\n  (in {_plain(one['place'])}, {one['said_at'][:10]})"


def _consent(one: Mapping[str, Any]) -> str:
    ends = one["revoked_at"] or one["expires_at"]
    until = f", until {ends[:10]}" if ends else ""
    return f"- {_plain(one['grantee'])} may hear it{until} (id {one['id']})"


def _request(one: Mapping[str, Any]) -> str:
    answer = "waits for an answer"
    if one["answered_at"]:
        answer = ("granted: " if one["is_granted"] else "refused: ") + _plain(one["reason"])
    return f"- {one['what']}, asked {one['asked_at'][:10]}, due {one['due_at'][:10]}; {answer}"


def _record(one: Mapping[str, Any]) -> str:
    return f"- {one['what']}: {_plain(one['value'])}"


def _telling(one: Mapping[str, Any]) -> str:
    return f"- {one['told_at'][:16].replace('T', ' ')}, in a place of kind {one['where']}, {one['memory']}"


def _privacy(found: Mapping[str, Any]) -> str:
    if not found["is_opted_out"]:
        return "You have not opted out."
    of = "what follows you everywhere" if found["is_global_only"] else "being remembered"
    return f"You opted out of {of} on {found['since'][:10]}."


def _plain(text: str) -> str:
    return _MARKED.sub(r"\\\1", _STEERING.sub(" ", text))
