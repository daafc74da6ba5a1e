"""JSON as a stream: the parts that a format asks for, one at a time, however long the file is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import ijson
from ijson.common import ObjectBuilder

from confide.imports.fed import Fed, TooBig
from confide.imports.said import Wrong
from confide.imports.source import BrokenPart, Files

#: A record that holds more is no conversation. It is left out, and the rest is read.
MOST_BYTES: Final = 64 * 1024**2
MOST_EVENTS: Final = 2_000_000
DEEPEST: Final = 60
LONGEST_PATH: Final = 2_000
OPENS: Final = ("start_map", "start_array")
CLOSES: Final = ("end_map", "end_array")
TOO_BIG: Final = object()


def parts(files: Files, part: str, wanted: Sequence[str]) -> Iterator[tuple[str, Any] | Wrong]:
    """Each value at one of the `wanted` paths ("item", "messages.item"), as soon as it is read."""
    paths = frozenset(wanted)
    count = 0
    try:
        with files.open(part) as file:
            fed = Fed(file)
            events = iter(ijson.parse(fed, use_float=True, buf_size=fed.MOST))
            for path, event, value in events:
                if len(path) > LONGEST_PATH:
                    raise TooBig("is nested too deeply")
                if path not in paths or event in CLOSES or event == "map_key":
                    continue
                if event not in OPENS:
                    yield path, value
                    continue
                count += 1
                whole = _whole(event, value, events, fed)
                if whole is TOO_BIG:
                    yield Wrong(part, f"record {count}", "is too large for one conversation")
                else:
                    yield path, whole
    except ijson.IncompleteJSONError as problem:
        says = "is not UTF-8" if "UTF8" in str(problem) else "is cut off or no JSON"
        yield Wrong(part, "file", f"{says} after {count} records")
    except (TooBig, BrokenPart) as problem:
        yield Wrong(part, "file", f"{problem} after {count} records")
    except (ijson.JSONError, UnicodeDecodeError, ValueError):
        yield Wrong(part, "file", f"is no JSON after {count} records")


def _whole(event: str, value: Any, events: Iterator[tuple[str, str, Any]], fed: Fed) -> Any:
    """The value that begins here, or that it is too big; then its end is reached without keeping it."""
    builder = ObjectBuilder()
    builder.event(event, value)
    depth, begun, is_too_big = 1, fed.position, False
    for size, (path, event, value) in enumerate(events):
        depth += (event in OPENS) - (event in CLOSES)
        if len(path) > LONGEST_PATH:
            raise TooBig("is nested too deeply")
        if size > MOST_EVENTS or depth > DEEPEST or fed.position - begun > MOST_BYTES:
            is_too_big, builder = True, ObjectBuilder()
        if not is_too_big:
            builder.event(event, value)
        if not depth:
            break
    return TOO_BIG if is_too_big else builder.value


def is_list(head: bytes) -> bool:
    return head.lstrip().startswith(b"[")


def text(value: Any, key: str) -> str:
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, str) else ""


def table(value: Any, key: str) -> dict[str, Any]:
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, dict) else {}


def items(value: Any, key: str) -> list[Any]:
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, list) else []


def value(raw: Any, key: str) -> Any:
    return raw.get(key) if isinstance(raw, dict) else None
